#include "worlds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace spidervet {
namespace {

std::vector<Card> unseen_cards(const View& view) {
    std::vector<Card> cards;
    for (int c = 0; c < 64; ++c) cards.insert(cards.end(), view.unseen[c], static_cast<Card>(c));
    return cards;
}

Position lay_out(const View& view, const std::vector<Card>& unseen) {
    const int columns = view.columns();
    std::vector<uint8_t> packed{static_cast<uint8_t>(columns), static_cast<uint8_t>(view.sequences_off),
                                static_cast<uint8_t>(view.stock)};
    packed.insert(packed.end(), view.size, view.size + columns);
    packed.insert(packed.end(), view.down, view.down + columns);
    auto next = unseen.begin();
    for (int i = 0; i < columns; ++i)
        for (int k = 0; k < view.size[i]; ++k) packed.push_back(k < view.down[i] ? *next++ : view.cards[i][k]);
    packed.insert(packed.end(), next, unseen.end());
    return Position(*view.rules, packed);
}

}  // namespace

Position sorted_world(const View& view) { return lay_out(view, unseen_cards(view)); }

Worlds::Worlds(const View& view, uint64_t seed)
    : view_(view), random_(seed), quantile_(static_cast<uint32_t>(random_.next())) {}

// Steps of the golden section: however many are taken, they fall evenly over the cards in ascending order.
void Worlds::add() {
    std::vector<Card> cards = unseen_cards(view_);
    const Card next = cards[static_cast<size_t>(uint64_t{quantile_} * cards.size() >> 32)];
    quantile_ += 0x9e3779b9u;
    for (size_t i = cards.size(); i > 1; --i) std::swap(cards[i - 1], cards[random_.below(i)]);
    orders_.push_back(std::move(cards));
    next_.push_back(next);
}

Position Worlds::at(size_t number, int column) {
    while (orders_.size() <= number) add();
    std::vector<Card> cards = orders_[number];
    if (column >= 0) {
        int place = -1;
        for (int i = 0; i <= column; ++i) place += view_.down[i];
        std::iter_swap(std::find(cards.begin(), cards.end(), next_[number]), cards.begin() + place);
    }
    return lay_out(view_, cards);
}

}  // namespace spidervet
