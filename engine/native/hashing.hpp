// Hashes of the packed search form. A column's prefix hash is a polynomial over its cards, so that appending
// and cutting runs is O(1); a column's hash mixes that with its face-down count; a position's hash is the sum
// over its columns, salted by column while stock remains and column-blind once it is gone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "random.hpp"
#include "rules.hpp"

namespace spidervet {

using std::size_t;

// Odd, so that multiplying by it loses nothing modulo 2^64.
inline constexpr uint64_t kHashBase = 0x9e3779b97f4a7c15u;

constexpr std::array<uint64_t, kMaxCards + 1> hash_powers() {
    std::array<uint64_t, kMaxCards + 1> out{};
    out[0] = 1;
    for (size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * kHashBase;
    return out;
}

template <size_t N>
constexpr std::array<uint64_t, N> hash_words(uint64_t seed) {
    std::array<uint64_t, N> out{};
    for (size_t i = 0; i < N; ++i) out[i] = mix64(seed += 0xd1342543de82ef95u);
    return out;
}

inline constexpr auto kHashPower = hash_powers();
inline constexpr auto kHashCard = hash_words<64>(1);
inline constexpr auto kHashDown = hash_words<kMaxCards + 1>(2);
inline constexpr auto kHashColumn = hash_words<kMaxColumns>(3);
inline constexpr auto kHashStock = hash_words<kMaxCards + 1>(4);

// The hash of a column from its prefix hash, face-down count and salt (0 once the stock is gone). An empty
// column counts too. Without the mixing a sum over columns could not tell which cards lie together.
inline uint64_t column_hash(uint64_t prefix, int down, uint64_t salt) {
    uint64_t x = (prefix + kHashDown[static_cast<size_t>(down)] + salt) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 29;
}

}  // namespace spidervet
