// The rating of a position: a sum over its columns of integer weights, plus a few terms over all columns.
// Weights are data (engine/data/solver_weights.json); the tables here are what the search reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"

namespace spidervet {

// The order is that of the weight vectors. Units: hundredths of the prototype's points (docs/solver.md).
enum Feature : uint8_t {
    kJoinSuit,      // a card on the next higher one of its suit
    kJoinMixed,     // the same across suits
    kBreak,         // any other pair
    kInversion,     // a break with the upper card higher than the lower
    kKingOver,      // a King on any card
    kDown,          // a face-down card
    kDownAny,       // a column with face-down cards
    kKingBase,      // a King at the base of a column
    kLength,        // a card on the table
    kEmpty,         // an empty column
    kOff,           // a sequence off the table
    kInversionGap,  // ranks by which an inversion rises
    kBreakGap,      // ranks by which another break falls
    kJoinRank,      // rank above seven, of the upper card of a join in suit
    kMixedRank,     // the same of a mixed join
    kRunSquare,     // (length - 1)^2 of each face-up run in suit, in tenths
    kDownSquare,    // square of a column's face-down count, in tenths
    kSegments,      // a face-up run in suit above face-down cards
    kEmptyMore,     // an empty column after the first
    kEnds,          // a distinct rank among the columns' ends
    kFits,          // a rank among the ends whose next higher rank is there too
    kTrapped,       // a card of lower rank anywhere under the base of a run in suit, counted for each run
    kFeatures
};

inline constexpr const char* kFeatureNames[kFeatures] = {
    "join_suit",     "join_mixed", "break",     "inversion",  "king_over",  "down",        "down_any", "king_base",
    "length",        "empty",      "off",       "inversion_gap", "break_gap", "join_rank", "mixed_rank", "run_square",
    "down_square",   "segments",   "empty_more", "ends",      "fits",       "trapped"};

// One weight vector: a weight per feature for every number of stock rows left. More rows than there are entries
// weigh like the last entry.
struct Weights {
    std::vector<std::array<int32_t, kFeatures>> by_rows_left;
};

// Reads kFeatures weights for no row left, then as many for one, and so on. Throws std::invalid_argument.
Weights weights_of(std::span<const int32_t> values);

struct Tables {
    int32_t pair[64][64];           // [lower card][upper card], without runs, length included
    int32_t base[64];               // a card at the base of its column
    int32_t run[kMaxRanks + 2];     // a run of that length
    int32_t step[kMaxRanks + 2];    // run[n] - run[n - 1]
    int32_t down[kMaxCards + 1];    // that many face-down cards
    int32_t empty[kMaxColumns + 1]; // that many empty columns
    int32_t segment;
    int32_t off;
    int32_t ends;
    int32_t fits;
    int32_t trapped;

    Tables(const Weights& weights, const Rules& rules, int rows_left);
};

}  // namespace spidervet
