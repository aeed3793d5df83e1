// The `spidervet` deal scheme (docs/deals.md), for batches; engine/deals.py is its reference.
#pragma once

#include <cstdint>
#include <vector>

namespace spidervet {

struct Layout {
    int decks = 2;
    int suits = 4;
    int ranks = 13;
    std::vector<uint8_t> columns;    // cards dealt to each, left to right
    std::vector<uint8_t> face_down;  // of them face down
};

// The packed position that the seed deals.
std::vector<uint8_t> spidervet_deal(const Layout& layout, uint64_t seed);

}  // namespace spidervet
