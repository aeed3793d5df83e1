// Shortening a line that was found: loops out always, then better ways between its positions as the budget allows.
#pragma once

#include <vector>

#include "search.hpp"

namespace spidervet {

// A legal line from the start to the same end, no longer than `line`, which must be legal. Deterministic;
// spends at most the meter's budget, but loops and short cuts between the line's own positions always go.
// memory_bytes bounds the tables of one beam or window, counted in entries.
std::vector<Move> shorten(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes);

}  // namespace spidervet
