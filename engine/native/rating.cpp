#include "rating.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace spidervet {

Weights weights_of(std::span<const int32_t> values) {
    if (values.empty() || values.size() % kFeatures != 0)
        throw std::invalid_argument("weights: " + std::to_string(values.size()) + " values, not a multiple of " +
                                    std::to_string(kFeatures));
    Weights w;
    w.by_rows_left.resize(values.size() / kFeatures);
    for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] < -100000 || values[i] > 100000)
            throw std::invalid_argument("weights: " + std::to_string(values[i]) + " is not within 100000 of 0");
        w.by_rows_left[i / kFeatures][i % kFeatures] = values[i];
    }
    return w;
}

Tables::Tables(const Weights& weights, const Rules& rules, int rows_left) {
    const size_t row = std::min(static_cast<size_t>(rows_left), weights.by_rows_left.size() - 1);
    auto w = [&](Feature f) { return weights.by_rows_left[row][f]; };
    for (int lower = 0; lower < 64; ++lower)
        for (int upper = 0; upper < 64; ++upper) {
            const int rl = rank_of(static_cast<Card>(lower)), ru = rank_of(static_cast<Card>(upper));
            int v = w(kLength);
            if (lower == upper + 1 && ru != 0) v += w(kJoinSuit) + (ru - 7) * w(kJoinRank);
            else if (rl == ru + 1) v += w(kJoinMixed) + (ru - 7) * w(kMixedRank);
            else if (ru > rl) v += w(kBreak) + w(kInversion) + (ru - rl) * w(kInversionGap);
            else v += w(kBreak) + (rl - ru) * w(kBreakGap);
            if (ru == rules.ranks) v += w(kKingOver);
            pair[lower][upper] = v;
        }
    for (int card = 0; card < 64; ++card)
        base[card] = w(kLength) + (rank_of(static_cast<Card>(card)) == rules.ranks ? w(kKingBase) : 0);
    run[0] = step[0] = 0;
    for (int n = 1; n <= kMaxRanks + 1; ++n) {
        run[n] = (n - 1) * (n - 1) * w(kRunSquare) / 10;
        step[n] = run[n] - run[n - 1];
    }
    down[0] = 0;
    for (int n = 1; n <= kMaxCards; ++n) down[n] = w(kDownAny) + n * w(kDown) + n * n * w(kDownSquare) / 10;
    empty[0] = 0;
    for (int n = 1; n <= kMaxColumns; ++n) empty[n] = n * w(kEmpty) + (n - 1) * w(kEmptyMore);
    segment = w(kSegments);
    off = w(kOff);
    ends = w(kEnds);
    fits = w(kFits);
    trapped = w(kTrapped);
}

}  // namespace spidervet
