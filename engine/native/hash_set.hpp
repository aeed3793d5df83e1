// An open-addressing set of 64-bit hashes. Its answers depend on what was inserted alone, not on its size.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace spidervet {

class HashSet {
public:
    static constexpr uint64_t kLeastSlots = 8192;

    // Empties the set; its memory stays with it. At least `least` slots, rounded up to a power of two.
    void reset(uint64_t least = kLeastSlots) {
        uint64_t slots = kLeastSlots;
        while (slots < least) slots *= 2;
        slots_.assign(slots, 0);
        size_ = 0;
    }

    uint64_t size() const { return size_; }
    uint64_t bytes() const { return slots_.size() * sizeof(uint64_t); }
    // Wants to grow; goes on without.
    bool crowded() const { return size_ * 2 > slots_.size(); }
    // Must grow before more than a thousand further insertions.
    bool full() const { return size_ > slots_.size() - slots_.size() / 6; }
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

    // False if it was there. Grows when crowded.
    bool insert(uint64_t hash) {
        if (!insert_in_place(hash)) return false;
        if (crowded()) grow();
        return true;
    }

    // The same, but growing is the caller's: before it is more than full.
    bool insert_in_place(uint64_t hash) {
        hash += hash == 0;  // 0 marks a free slot
        const uint64_t mask = slots_.size() - 1;
        uint64_t i = hash & mask;
        for (; slots_[i] != 0; i = (i + 1) & mask)
            if (slots_[i] == hash) return false;
        slots_[i] = hash;
        ++size_;
        return true;
    }

    // Twice the slots; while it runs, old and new slots exist together.
    void grow() {
        const std::vector<uint64_t> old = std::exchange(slots_, std::vector<uint64_t>(slots_.size() * 2, 0));
        const uint64_t mask = slots_.size() - 1;
        for (const uint64_t hash : old) {
            if (hash == 0) continue;
            uint64_t i = hash & mask;
            while (slots_[i] != 0) i = (i + 1) & mask;
            slots_[i] = hash;
        }
    }

private:
    std::vector<uint64_t> slots_;
    uint64_t size_ = 0;
};

}  // namespace spidervet
