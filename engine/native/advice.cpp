#include "advice.hpp"

namespace spidervet {
namespace {

constexpr int32_t kWorth = 300;    // of a piece of advice: about a suited join
constexpr int kDepleted = 4;       // a column of so many cards or fewer is worth emptying
constexpr int kMiddleRank = 7;
constexpr int kUsualSize = 6;

int32_t of_kings(KingAdvice kings, const Action& a) {
    if (!a.to_space || !a.king || kings == KingAdvice::Level) return 0;
    if (kings == KingAdvice::Avoid) return -kWorth;
    return kings == KingAdvice::Spaces || a.count > 1 ? kWorth : -kWorth;
}

int32_t of_suit(SuitAdvice suit, const Action& a) {
    if (suit == SuitAdvice::Suit && !a.to_space) return a.suited ? kWorth / 2 : -kWorth / 2;
    if (suit == SuitAdvice::Depletion && a.source_size <= kDepleted) return kWorth;
    return 0;
}

}  // namespace

int32_t bonus(const Advice& advice, const Action& a) {
    int32_t sum = of_kings(advice.kings, a) + of_suit(advice.suit, a);
    if (advice.high_first && !a.to_space && !a.suited) sum += (a.rank - kMiddleRank) * (kWorth / 10);
    if (advice.tall_first) sum += (a.source_size - kUsualSize) * (kWorth / 20);
    if (advice.least_filler && a.to_space) sum -= a.uses * (kWorth / 3);
    return sum;
}

}  // namespace spidervet
