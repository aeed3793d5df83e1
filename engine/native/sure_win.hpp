// Positions that reordering wins for sure, and how (docs/proofs.md).
#pragma once

#include <vector>

#include "board.hpp"

namespace spidervet {

// True if the stock is gone, every card is face up, no card lies on one of its own or a lower rank, and the
// reordering that sorts the ranks from the Aces up goes through; then `line` is a line from here to the win.
// False says nothing. The board comes back as it was.
bool sure_win(Board& board, std::vector<Move>& line);

}  // namespace spidervet
