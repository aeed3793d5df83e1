#include "hand_rating.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace spidervet {

const std::vector<const char*>& HandWeights::names() {
    static const std::vector<const char*> all{
#define X(name) #name,
        SPIDERVET_WEIGHTS(X)
#undef X
    };
    return all;
}

HandWeights HandWeights::from(const std::vector<int>& values) {
    if (values.size() != names().size())
        throw std::invalid_argument("weights: " + std::to_string(values.size()) + " values, expected " +
                                    std::to_string(names().size()));
    HandWeights w;
    size_t at = 0;
#define X(name) w.name = values[at++];
    SPIDERVET_WEIGHTS(X)
#undef X
    return w;
}

HandRater::HandRater(const Rules& rules, const HandWeights& w) : weights_(w) {
    for (int below = 0; below < 64; ++below)
        for (int card = 0; card < 64; ++card) {
            const int lower = rank_of(static_cast<Card>(below)), upper = rank_of(static_cast<Card>(card));
            Kind kind = kFirst;
            if (below == kTable)
                kind = upper == rules.ranks ? kKingBase : kFirst;
            else if (lower > 0 && upper > 0)
                kind = lower == upper + 1 ? (below >> 4 == card >> 4 ? kSuited : kMixed)
                       : lower > upper    ? kGap
                       : upper == rules.ranks ? kKingOver
                                              : kInversion;
            kind_[below][card] = kind;
        }
    for (int over = 0; over < 2; ++over) {
        const int junction = w.length + (over ? w.junction_down : 0);
        value_[over][kFirst] = w.length;
        value_[over][kKingBase] = w.length + w.king_base;
        value_[over][kSuited] = w.length + w.join;
        value_[over][kMixed] = junction + w.mixed;
        value_[over][kGap] = junction + w.gap;
        value_[over][kInversion] = junction + w.inversion;
        value_[over][kKingOver] = junction + w.inversion + w.king_over;
    }
    for (int run = 0; run < 16; ++run) growth_[static_cast<size_t>(run)] = run > 2 ? w.join_growth * (run - 2) : 0;
    auto hidden = [&](int down) {
        return down == 0 ? 0 : w.down * down + w.down_any + w.down_growth * (down * (down - 1) / 2);
    };
    for (int down = 0; down <= kMaxCards; ++down) {
        const size_t d = static_cast<size_t>(down);
        base_hash_[d] = mix64(0x5eed0000u + d);
        bare_hash_[d] = down == 0 ? 0 : mix64(0xba5e0000u + d);
        base_rating_[d] = hidden(down);
        bare_rating_[d] = down == 0 ? w.empty : hidden(down - 1) + w.turn;
    }
}

}  // namespace spidervet
