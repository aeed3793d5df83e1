// What the beams share: candidates of a level, the record of lines, and the choice of the best.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "position.hpp"

namespace spidervet {

struct Candidate {
    int32_t rating;
    uint32_t parent;  // its place in the beam
    uint64_t hash;
    Move move;
};

// How a position kept came about; the record of all of them holds every line.
struct Link {
    static constexpr uint32_t kRoot = std::numeric_limits<uint32_t>::max();

    uint32_t parent;  // its place in the record, or kRoot
    Move move;
};

// Ratings first, then hashes: a total order of distinct positions that no order of generation can change.
inline uint64_t order_key(int32_t rating, uint64_t hash) {
    return static_cast<uint64_t>(static_cast<uint32_t>(rating) ^ 0x80000000u) << 32 | hash >> 32;
}
inline int32_t rating_of_key(uint64_t key) {
    return static_cast<int32_t>(static_cast<uint32_t>(key >> 32) ^ 0x80000000u);
}

// Keeps the `most` items of greatest key, in their order; returns the least rating kept. keys: room to work in.
template <typename Item>
int32_t keep_best(std::vector<Item>& items, size_t most, std::vector<uint64_t>& keys) {
    keys.clear();
    for (const Item& item : items) keys.push_back(order_key(item.rating, item.hash));
    const auto nth = keys.begin() + static_cast<long>(most) - 1;
    std::nth_element(keys.begin(), nth, keys.end(), std::greater<>());
    const uint64_t least = *nth;
    size_t kept = 0;
    for (const Item& item : items)
        if (kept < most && order_key(item.rating, item.hash) >= least) items[kept++] = item;
    items.resize(kept);
    return rating_of_key(least);
}

}  // namespace spidervet
