// The project's one generator of random numbers, fixed to the bit (docs/deals.md): SplitMix64 spreads a
// seed over the state of xoshiro256** (Blackman and Vigna, 2018).
#pragma once

#include <bit>
#include <cstdint>

namespace spidervet {

// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): a bijection that mixes every bit.
constexpr uint64_t mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

class Random {
public:
    explicit Random(uint64_t seed) {
        for (uint64_t& word : state_) word = mix64(seed += 0x9e3779b97f4a7c15u);
    }

    uint64_t next() {
        const uint64_t out = std::rotl(state_[1] * 5, 7) * 9;
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return out;
    }

    // Uniform over 0 … n-1, n >= 1, by rejection of the last incomplete block.
    uint64_t below(uint64_t n) {
        const uint64_t spare = (0 - n) % n;  // 2^64 mod n
        uint64_t x = next();
        while (spare != 0 && x >= 0 - spare) x = next();
        return x % n;
    }

private:
    uint64_t state_[4];
};

}  // namespace spidervet
