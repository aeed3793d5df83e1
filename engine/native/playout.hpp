// Random play, for tests against the reference and for measuring the speed of the plain core.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "position.hpp"

namespace spidervet {

// Plays uniformly random legal moves, Random(seed).below(count) into the canonical order, until won, stuck or
// `most` actions. The position ends as the game did.
std::vector<Move> random_playout(Position& position, uint64_t seed, int most);

// How many lines of exactly `depth` actions start with each legal move, in canonical order; depth >= 1.
std::vector<std::pair<Move, uint64_t>> perft(Position& position, int depth);

}  // namespace spidervet
