// What a running batch shares with its caller: a cancel flag that is looked at every few thousand nodes,
// and counts of what is done.
#pragma once

#include <atomic>
#include <cstdint>

namespace spidervet {

struct Control {
    std::atomic<bool> cancelled{false};
    std::atomic<uint64_t> done{0};
    std::atomic<uint64_t> nodes{0};
};

}  // namespace spidervet
