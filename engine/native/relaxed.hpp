// A sound test for lost positions: the game in which no move ever takes a place away (docs/proofs.md).
#pragma once

#include "board.hpp"

namespace spidervet {

// True only if the position cannot be won. False says nothing.
bool relaxed_dead(const Board& board);

}  // namespace spidervet
