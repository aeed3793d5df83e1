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

// Open addressing in 256 parts that double one by one: the memory in use while one grows stays close to
// that of the whole set.
class ProofSet {
public:
    ProofSet() { for (Part& part : parts_) part.slots.resize(kFirst); }

    // True if the hash was not in the set.
    bool insert(Hash128 h) {
        Part& part = parts_[h.a >> 56];
        const uint64_t mask = part.slots.size() - 1;
        uint64_t i = h.b & mask;
        while (part.slots[i] != Hash128{}) {
            if (part.slots[i] == h) return false;
            i = (i + 1) & mask;
        }
        part.slots[i] = h;
        ++size_;
        if (++part.used * 8 > part.slots.size() * 7) grow(part);
        return true;
    }
    void prefetch(Hash128 h) const {
        const Part& part = parts_[h.a >> 56];
        __builtin_prefetch(&part.slots[h.b & (part.slots.size() - 1)]);
    }

    uint64_t size() const { return size_; }
    // What the entries take, at the load of 7/8 at which a part grows.
    uint64_t bytes() const { return size_ * sizeof(Hash128) * 8 / 7; }

private:
    static constexpr size_t kFirst = 16;
    struct Part {
        std::vector<Hash128> slots;
        uint64_t used = 0;
    };

    static void grow(Part& part) {
        std::vector<Hash128> old(part.slots.size() * 2);
        old.swap(part.slots);
        const uint64_t mask = part.slots.size() - 1;
        for (const Hash128 h : old) {
            if (h == Hash128{}) continue;
            uint64_t i = h.b & mask;
            while (part.slots[i] != Hash128{}) i = (i + 1) & mask;
            part.slots[i] = h;
        }
    }

    std::array<Part, 256> parts_;
    uint64_t size_ = 0;
};

}  // namespace spidervet
