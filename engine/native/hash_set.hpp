// An open-addressing set of 64-bit hashes. Its answers depend on what was inserted alone.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace spidervet {

class HashSet {
public:
    // Empties the set; at least `capacity` slots, a power of two.
    void reset(uint64_t capacity) {
        uint64_t slots = 64;
        while (slots < capacity) slots *= 2;
        slots_.assign(slots, 0);
        mask_ = slots - 1;
        size_ = 0;
    }

    uint64_t size() const { return size_; }
    uint64_t slots() const { return slots_.size(); }
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    bool contains(uint64_t hash) const {
        hash += hash == 0;  // 0 marks a free slot
        for (uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
            if (slots_[i] == hash) return true;
            if (slots_[i] == 0) return false;
        }
    }

    // False if it was there.
    bool insert(uint64_t hash) {
        hash += hash == 0;
        uint64_t i = hash & mask_;
        for (; slots_[i] != 0; i = (i + 1) & mask_)
            if (slots_[i] == hash) return false;
        slots_[i] = hash;
        if (++size_ * 2 > slots_.size()) grow();
        return true;
    }

private:
    void grow() {
        std::vector<uint64_t> old = std::exchange(slots_, std::vector<uint64_t>(slots_.size() * 2, 0));
        mask_ = slots_.size() - 1;
        for (const uint64_t hash : old) {
            if (hash == 0) continue;
            uint64_t i = hash & mask_;
            while (slots_[i] != 0) i = (i + 1) & mask_;
            slots_[i] = hash;
        }
    }

    std::vector<uint64_t> slots_;
    uint64_t mask_ = 0;
    uint64_t size_ = 0;
};

}  // namespace spidervet
