// The exhaustive search: every position that legal moves reach, but for sound prunings, until a win is found
// or none is left. docs/proofs.md has the argument for each pruning; each can be switched off.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search.hpp"

namespace spidervet {

// Bits of a mask.
enum ProofPruning : uint32_t {
    kColumnOrder = 1,    // the order of columns does not matter once the stock is gone
    kOneEmpty = 2,       // of several empty columns one is enough as a target, once the stock is gone
    kWholeToEmpty = 4,   // a whole column is not moved into an empty one, once the stock is gone
    kRelaxedDead = 8,    // positions lost even where no move ever takes a place away (relaxed.hpp)
    kSureWin = 16,       // positions won by reordering for sure (sure_win.hpp)
    kDiggingDead = 32,   // positions lost for want of places, whatever lies where (digging.hpp)
    kAllPrunings = 63,
};

// Names in the order of the bits, as certificates spell them.
std::vector<std::string> pruning_names(uint32_t mask);

// memory_bytes bounds the table and the stack, counted in entries (Unknown, reason Memory, beyond it). Solved
// comes with a line, loops and all; Unsolvable with a certificate. A move limit makes a longer line Unknown.
SearchResult exhaust(const Position& start, Meter& meter, uint64_t memory_bytes, uint32_t prunings = kAllPrunings);

}  // namespace spidervet
