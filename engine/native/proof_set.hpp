// A set of 128-bit hashes that only grows, for searches that must never forget. Its size is a function of
// what was put in alone, so that a memory bound counted by it stops at the same entry on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spidervet {

// Two independent 64-bit words: sums of table entries drawn from separate random streams.
struct Hash128 {
    uint64_t a = 0;
    uint64_t b = 0;

    Hash128 operator+(Hash128 o) const { return {a + o.a, b + o.b}; }
    Hash128 operator-(Hash128 o) const { return {a - o.a, b - o.b}; }
    Hash128& operator+=(Hash128 o) { return *this = *this + o; }
    Hash128& operator-=(Hash128 o) { return *this = *this - o; }
    bool operator==(const Hash128&) const = default;
};

// Open addressing in 256 parts that grow one by one, by a quarter: what is reserved stays close to what is used.
class ProofSet {
public:
    ProofSet() {
        for (Part& part : parts_) part.slots.resize(kFirst);
    }

    // True if the hash was not in the set.
    bool insert(Hash128 h) {
        Part& part = parts_[h.a >> 56];
        if (!put(part.slots, h)) return false;
        ++size_;
        if (++part.used * 8 > part.slots.size() * 7) grow(part);
        return true;
    }
    void prefetch(Hash128 h) const {
        const Part& part = parts_[h.a >> 56];
        __builtin_prefetch(&part.slots[place(part.slots, h)]);
    }

    uint64_t size() const { return size_; }
    // What the slots take; a part that grows needs a 256th of it more for the moment.
    uint64_t bytes() const { return slots_ * sizeof(Hash128); }

private:
    static constexpr size_t kFirst = 16;
    struct Part {
        std::vector<Hash128> slots;
        uint64_t used = 0;
    };

    static size_t place(const std::vector<Hash128>& slots, Hash128 h) {
        return static_cast<size_t>((h.b >> 32) * slots.size() >> 32);
    }
    static bool put(std::vector<Hash128>& slots, Hash128 h) {
        size_t i = place(slots, h);
        while (slots[i] != Hash128{}) {
            if (slots[i] == h) return false;
            if (++i == slots.size()) i = 0;
        }
        slots[i] = h;
        return true;
    }
    void grow(Part& part) {
        std::vector<Hash128> old(part.slots.size() + part.slots.size() / 4);
        old.swap(part.slots);
        slots_ += part.slots.size() - old.size();
        for (const Hash128 h : old)
            if (h != Hash128{}) put(part.slots, h);
    }

    std::array<Part, 256> parts_;
    uint64_t size_ = 0;
    uint64_t slots_ = 256 * kFirst;
};

}  // namespace spidervet
