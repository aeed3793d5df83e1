// Weight vectors made for short lines, each with the rating that an action costs under it.
#pragma once

#include <algorithm>
#include <vector>

#include "rating.hpp"

namespace spidervet {

struct ShortWeights {
    Weights weights;
    std::vector<int> costs;  // by stock rows left; more rows than there are entries cost like the last entry

    int cost(int rows_left) const { return costs[std::min(static_cast<size_t>(rows_left), costs.size() - 1)]; }
};

inline constexpr int kShortVectors = 4;

// The vectors, in the order that the rounds of shorten.cpp refer to.
const ShortWeights& short_weights(int which);

}  // namespace spidervet
