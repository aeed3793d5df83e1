// Children of a packed position, rated and hashed by difference: a move changes the ends of two columns, and
// prefix sums over the cards of each column make both ends O(1).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "hashing.hpp"
#include "packed.hpp"

namespace spidervet {

// What is computed once per parent. Column i's prefix of d cards is entry at[i] + d.
struct Scratch {
    static constexpr int kEntries = kMaxCards + kMaxColumns;
    int at[kMaxColumns];
    const Card* cards[kMaxColumns];  // of column i, deepest first
    int32_t value[kEntries];         // rating of the prefix, without face-down terms
    uint64_t prefix[kEntries];       // its hash
    uint8_t run[kEntries];           // length of the suited run that it ends in; face-up cards only
    uint8_t segments[kEntries];      // suited runs among its face-up cards
    uint64_t hash_of[kMaxColumns];   // column hashes as they stand
    uint8_t lower[kMaxColumns][16];  // cards of the column below each rank
    uint64_t ends;                   // four bits a rank: columns ending in it; rank 0 counts empty columns
    int32_t rating;
    uint64_t hash;
};

inline int32_t ends_rating(const Tables& tables, uint64_t ends) {
    uint64_t present = ends | ends >> 2;
    present = (present | present >> 1) & 0x1111111111111110u;
    return tables.empty[ends & 15] + tables.ends * std::popcount(present) +
           tables.fits * std::popcount(present & present >> 4);
}

inline uint64_t end_count(int rank) { return uint64_t{1} << 4 * rank; }

// Counts of cards below each rank, a byte a rank in two words.
struct LowerCounts {
    using Words = std::array<uint64_t, 2>;

    // Per rank, a one in the byte of every higher rank.
    static constexpr std::array<Words, 16> kAbove = [] {
        std::array<Words, 16> out{};
        for (size_t rank = 0; rank < 16; ++rank)
            for (size_t above = rank + 1; above < 16; ++above) out[rank][above / 8] |= uint64_t{1} << 8 * (above % 8);
        return out;
    }();

    Words words{};

    int of(int rank) const { return static_cast<int>(words[static_cast<size_t>(rank >> 3)] >> 8 * (rank & 7) & 255); }
    void add(int rank) {
        words[0] += kAbove[static_cast<size_t>(rank)][0];
        words[1] += kAbove[static_cast<size_t>(rank)][1];
    }
};

// The rating of a prefix as a column of its own.
inline int32_t column_rating(const Tables& tables, const Scratch& x, int at, int down) {
    return x.value[at] + tables.down[down] + (down > 0 ? tables.segment * x.segments[at] : 0);
}

// columns: how many, known at compile time where it pays.
[[gnu::always_inline]] inline void load(const State& s, const Stage& stage, int columns, Scratch& x) {
    const Tables& tables = stage.tables;
    const Card* cards = s.cards;
    int at = 0;
    x.ends = 0;
    x.rating = tables.off * s.off;
    x.hash = kHashStock[stage.stock.size()];
    for (int i = 0; i < columns; ++i) {
        const int size = s.size[i], down = s.down[i];
        x.at[i] = at;
        x.cards[i] = cards;
        int32_t value = 0;
        uint64_t prefix = 0;
        int run = 0, segments = 0;
        LowerCounts lower;
        x.value[at] = 0;
        x.prefix[at] = 0;
        x.run[at] = x.segments[at] = 0;
        for (int k = 0; k < size; ++k) {
            const Card card = cards[k];
            prefix = prefix * kHashBase + kHashCard[card];
            value += k == 0 ? tables.base[card] : tables.pair[cards[k - 1]][card];
            // A face-down card is entered as it would stand once turned up.
            if (k > down && cards[k - 1] == card + 1) {
                ++run;
            } else {
                segments = k > down ? segments + 1 : 1;
                run = 1;
                value += tables.trapped * lower.of(rank_of(card));
            }
            value += tables.step[run];
            lower.add(rank_of(card));
            ++at;
            x.value[at] = value;
            x.prefix[at] = prefix;
            x.run[at] = static_cast<uint8_t>(run);
            x.segments[at] = static_cast<uint8_t>(segments);
        }
        std::memcpy(x.lower[i], lower.words.data(), sizeof x.lower[i]);
        x.hash_of[i] = column_hash(prefix, down, stage.salt[i]);
        x.hash += x.hash_of[i];
        x.rating += column_rating(tables, x, at, down);
        x.ends += end_count(size > 0 ? rank_of(cards[size - 1]) : 0);
        cards += size;
        ++at;
    }
    x.rating += ends_rating(tables, x.ends);
}

// Which of the rules' moves the search leaves out. With both kept, the children are those of Position.
struct MoveFilter {
    bool one_empty_column = true;  // into the leftmost empty column only, and no whole column into it
};

// Calls sink.offer(rating, hash, move) for tableau moves rated above sink.cut, sink.slow(move) for moves that
// complete a sequence (they are rare and rated from nothing). Order: source, count, target. Returns how many
// children there were. The stock deal is the caller's.
template <int kColumns, typename Sink>
uint64_t expand(const State& s, const Stage& stage, const Scratch& x, MoveFilter filter, Sink& sink) {
    const Rules& rules = stage.rules;
    const Tables& tables = stage.tables;
    const int columns = kColumns > 0 ? kColumns : rules.columns;
    const bool automatic = rules.sequence_removal == Removal::Automatic;
    const bool suited_build = rules.build == Build::SameSuit;
    uint64_t children = 0;

    uint32_t ending[kMaxRanks + 3] = {};  // columns that end in a rank; 0: empty
    for (int i = 0; i < columns; ++i)
        ending[s.size[i] > 0 ? rank_of(x.cards[i][s.size[i] - 1]) : 0] |= 1u << i;
    uint32_t spaces = ending[0];
    if (rules.empty_column_accepts == EmptyAccepts::Nothing) spaces = 0;
    if (filter.one_empty_column) spaces &= 0 - spaces;
    const int32_t rest = x.rating - ends_rating(tables, x.ends);

    for (int i = 0; i < columns; ++i) {
        const int size = s.size[i], down = s.down[i];
        if (size == 0) continue;
        const Card* cards = x.cards[i];
        const int at = x.at[i] + size;
        const int32_t before = column_rating(tables, x, at, down);
        // Rating of the lifted cards but for their deepest run, the pair below, and cards trapped in the target.
        int32_t inner = 0;
        uint64_t lifted = 0;          // hash of the lifted cards
        int first_run = 0, runs = 0;  // of the lifted cards, counted from their deepest
        uint8_t bases[kMaxCards];     // ranks of the bases of their other runs
        for (int n = 1;; ++n) {
            const Card base = cards[size - n];
            if (n > 1 && cards[size - n + 1] + 1 == base) {
                ++first_run;
                inner += tables.pair[base][cards[size - n + 1]];
            } else {
                if (n > 1) {
                    inner += tables.pair[base][cards[size - n + 1]] + tables.run[first_run];
                    bases[runs - 1] = static_cast<uint8_t>(rank_of(cards[size - n + 1]));
                }
                first_run = 1;
                ++runs;
            }
            for (int k = 0; k < runs - 1; ++k)
                if (bases[k] > rank_of(base)) inner += tables.trapped;
            lifted += kHashCard[base] * kHashPower[static_cast<size_t>(n - 1)];

            uint32_t targets = ending[rank_of(base) + 1] & ~(1u << i);
            uint32_t holes = spaces;
            if (rules.empty_column_accepts == EmptyAccepts::Kings && rank_of(base) != rules.ranks) holes = 0;
            if (n == size && (filter.one_empty_column || rules.whole_column_to_empty == WholeColumn::Forbidden))
                holes = 0;
            if ((targets | holes) != 0) {
                const int left = size - n;
                const int left_down = left > 0 && down == left ? down - 1 : down;
                const int32_t source = rest - before + column_rating(tables, x, at - n, left_down) + inner;
                const uint64_t source_hash = x.hash - x.hash_of[i] +
                                             column_hash(x.prefix[at - n], left_down, stage.salt[i]);
                const uint64_t ends = x.ends + end_count(left > 0 ? rank_of(cards[left - 1]) : 0);
                const bool exposes = automatic && x.run[at - n] >= rules.ranks && left_down == down;
                const int32_t onto_card = source + ends_rating(tables, ends - end_count(rank_of(base) + 1));
                for (; targets != 0; targets &= targets - 1) {
                    const int t = std::countr_zero(targets);
                    const int t_at = x.at[t] + s.size[t];
                    const Card under = x.cards[t][s.size[t] - 1];
                    const bool suited = under == base + 1;
                    if (suited_build && !suited) continue;
                    ++children;
                    const int t_run = x.run[t_at];
                    if (automatic && (exposes || (suited && first_run == n && t_run + n >= rules.ranks))) {
                        sink.slow(Move::tableau(i, t, n));
                        continue;
                    }
                    int32_t rating = onto_card + tables.pair[under][base];
                    rating += suited ? tables.run[t_run + first_run] - tables.run[t_run] : tables.run[first_run];
                    if (s.down[t] > 0) rating += tables.segment * (runs - suited);
                    if (!suited) rating += tables.trapped * x.lower[t][rank_of(base)];
                    for (int k = 0; k < runs - 1; ++k) rating += tables.trapped * x.lower[t][bases[k]];
                    if (rating < sink.cut) continue;
                    const uint64_t prefix = x.prefix[t_at] * kHashPower[static_cast<size_t>(n)] + lifted;
                    sink.offer(rating,
                               source_hash - x.hash_of[t] + column_hash(prefix, s.down[t], stage.salt[t]),
                               Move::tableau(i, t, n));
                }
                if (holes != 0) {
                    const int32_t rating = source + ends_rating(tables, ends - end_count(0)) + tables.base[base] +
                                           tables.run[first_run];
                    for (; holes != 0; holes &= holes - 1) {
                        const int t = std::countr_zero(holes);
                        ++children;
                        if (exposes) {
                            sink.slow(Move::tableau(i, t, n));
                            continue;
                        }
                        if (rating < sink.cut) continue;
                        sink.offer(rating, source_hash - x.hash_of[t] + column_hash(lifted, 0, stage.salt[t]),
                                   Move::tableau(i, t, n));
                    }
                }
            }
            const int next = size - n - 1;
            if (next < down) break;
            if (rules.group_move == GroupMove::AnyFaceUp) continue;
            const bool joined = rules.group_move == GroupMove::SameSuit
                                    ? cards[next] == base + 1
                                    : rank_of(cards[next]) == rank_of(base) + 1;
            if (!joined) break;
        }
    }
    if (!automatic)
        for (int i = 0; i < columns; ++i) {
            const int at = x.at[i] + s.size[i];
            if (s.size[i] == 0 || x.run[at] < rules.ranks) continue;
            ++children;
            sink.slow(Move::removal(i, rules.ranks));
        }
    return children;
}

inline bool may_deal(const State& s, const Stage& stage, const Scratch& x) {
    if (stage.last()) return false;
    if ((x.ends & 15) == 0 || stage.rules.stock_deal_over_empty == DealOverEmpty::Allowed) return true;
    return stage.rules.stock_deal_over_empty == DealOverEmpty::WhenShort && s.total < stage.rules.columns;
}

}  // namespace spidervet
