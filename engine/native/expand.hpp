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

// The cards lifted off a column's end, deepest last: they grow by one card at a time.
struct Lift {
    int count = 0;
    Card base = 0;                // the deepest of them
    int first_run = 0, runs = 0;  // cards of their deepest suited run; how many runs
    // Rating of the cards but for their deepest run, the pair below it, and cards trapped in the target.
    int32_t inner = 0;
    uint64_t hash = 0;
    uint8_t bases[kMaxCards];  // ranks of the bases of their other runs

    [[gnu::always_inline]] void grow(const Tables& tables, Card card) {
        if (count > 0) {
            inner += tables.pair[card][base];
            if (base + 1 != card) {
                inner += tables.run[first_run];
                bases[runs - 1] = static_cast<uint8_t>(rank_of(base));
                first_run = 0;
            }
        }
        runs += first_run == 0;
        ++first_run;
        base = card;
        for (int k = 0; k < runs - 1; ++k)
            if (bases[k] > rank_of(card)) inner += tables.trapped;
        hash += kHashCard[card] * kHashPower[static_cast<size_t>(count++)];
    }

    // What the cards add to a column whose end lies under them, the pair included.
    [[gnu::always_inline]] int32_t onto(const Tables& tables, const Scratch& x, int target, int t_run, Card under,
                                        bool over_face_down) const {
        const bool suited = under == base + 1;
        int32_t rating = tables.pair[under][base];
        rating += suited ? tables.run[t_run + first_run] - tables.run[t_run] : tables.run[first_run];
        if (over_face_down) rating += tables.segment * (runs - suited);
        if (!suited) rating += tables.trapped * x.lower[target][rank_of(base)];
        for (int k = 0; k < runs - 1; ++k) rating += tables.trapped * x.lower[target][bases[k]];
        return rating;
    }
};

// One expansion: calls sink.offer(rating, hash, move) for tableau moves rated at least sink.cut, sink.slow(move)
// for moves that complete a sequence (they are rare and rated from nothing). Order: source, count, target. The
// stock deal is the caller's.
template <int kColumns, typename Sink>
class Expansion {
public:
    Expansion(const State& state, const Stage& stage, const Scratch& scratch, MoveFilter filter, Sink& sink)
        : s_(state),
          stage_(stage),
          rules_(stage.rules),
          tables_(stage.tables),
          x_(scratch),
          filter_(filter),
          sink_(sink),
          columns_(kColumns > 0 ? kColumns : stage.rules.columns),
          automatic_(stage.rules.sequence_removal == Removal::Automatic),
          rest_(scratch.rating - ends_rating(stage.tables, scratch.ends)) {
        for (int i = 0; i < columns_; ++i)
            ending_[s_.size[i] > 0 ? rank_of(x_.cards[i][s_.size[i] - 1]) : 0] |= 1u << i;
        spaces_ = rules_.empty_column_accepts == EmptyAccepts::Nothing ? 0 : ending_[0];
        if (filter.one_empty_column) spaces_ &= 0 - spaces_;
    }

    // Returns how many children there were.
    [[gnu::always_inline]] uint64_t run() {
        for (int i = 0; i < columns_; ++i)
            if (s_.size[i] > 0) lift_from(i);
        if (!automatic_) removals();
        return children_;
    }

private:
    [[gnu::always_inline]] void lift_from(int i) {
        const int size = s_.size[i];
        const Card* cards = x_.cards[i];
        const int32_t before = column_rating(tables_, x_, x_.at[i] + size, s_.down[i]);
        Lift lift;
        for (int next = size - 1;; --next) {
            lift.grow(tables_, cards[next]);
            const uint32_t targets = ending_[rank_of(lift.base) + 1] & ~(1u << i);
            const uint32_t holes = lift.count == size && !whole_column_moves() ? 0 : holes_for(lift.base);
            if ((targets | holes) != 0) place(i, lift, before, targets, holes);
            if (next <= s_.down[i] || !lifts_with(cards[next - 1], lift.base)) return;
        }
    }

    bool whole_column_moves() const {
        return !filter_.one_empty_column && rules_.whole_column_to_empty == WholeColumn::Allowed;
    }
    uint32_t holes_for(Card base) const {
        const bool kings = rules_.empty_column_accepts == EmptyAccepts::Kings;
        return kings && rank_of(base) != rules_.ranks ? 0 : spaces_;
    }
    bool lifts_with(Card below, Card base) const {
        if (rules_.group_move == GroupMove::AnyFaceUp) return true;
        if (rules_.group_move == GroupMove::SameSuit) return below == base + 1;
        return rank_of(below) == rank_of(base) + 1;
    }

    // The lifted cards onto every end and into every hole that takes them.
    [[gnu::always_inline]] void place(int i, const Lift& lift, int32_t before, uint32_t targets, uint32_t holes) {
        const int left = s_.size[i] - lift.count, at = x_.at[i] + left;
        const int down = left > 0 && s_.down[i] == left ? left - 1 : s_.down[i];
        const int32_t source = rest_ - before + column_rating(tables_, x_, at, down) + lift.inner;
        const uint64_t hash = x_.hash - x_.hash_of[i] + column_hash(x_.prefix[at], down, stage_.salt[i]);
        const uint64_t ends = x_.ends + end_count(left > 0 ? rank_of(x_.cards[i][left - 1]) : 0);
        const bool exposes = automatic_ && x_.run[at] >= rules_.ranks;
        const int32_t onto_card = source + ends_rating(tables_, ends - end_count(rank_of(lift.base) + 1));
        for (; targets != 0; targets &= targets - 1) onto(i, std::countr_zero(targets), lift, onto_card, hash, exposes);
        if (holes == 0) return;
        const int32_t rating = source + ends_rating(tables_, ends - end_count(0)) + tables_.base[lift.base] +
                               tables_.run[lift.first_run];
        for (; holes != 0; holes &= holes - 1) {
            const int t = std::countr_zero(holes);
            const Move move = Move::tableau(i, t, lift.count);
            ++children_;
            if (exposes) sink_.slow(move);
            else if (rating >= sink_.cut)
                sink_.offer(rating, hash - x_.hash_of[t] + column_hash(lift.hash, 0, stage_.salt[t]), move);
        }
    }

    [[gnu::always_inline]] void onto(int i, int t, const Lift& lift, int32_t rating, uint64_t hash, bool exposes) {
        const int t_at = x_.at[t] + s_.size[t], t_run = x_.run[t_at], n = lift.count;
        const Card under = x_.cards[t][s_.size[t] - 1];
        const bool suited = under == lift.base + 1;
        if (rules_.build == Build::SameSuit && !suited) return;
        ++children_;
        const Move move = Move::tableau(i, t, n);
        const bool completes = automatic_ && suited && lift.first_run == n && t_run + n >= rules_.ranks;
        if (completes || exposes) {
            sink_.slow(move);
            return;
        }
        rating += lift.onto(tables_, x_, t, t_run, under, s_.down[t] > 0);
        if (rating < sink_.cut) return;
        const uint64_t prefix = x_.prefix[t_at] * kHashPower[static_cast<size_t>(n)] + lift.hash;
        sink_.offer(rating, hash - x_.hash_of[t] + column_hash(prefix, s_.down[t], stage_.salt[t]), move);
    }

    void removals() {
        for (int i = 0; i < columns_; ++i) {
            if (s_.size[i] == 0 || x_.run[x_.at[i] + s_.size[i]] < rules_.ranks) continue;
            ++children_;
            sink_.slow(Move::removal(i, rules_.ranks));
        }
    }

    const State& s_;
    const Stage& stage_;
    const Rules& rules_;
    const Tables& tables_;
    const Scratch& x_;
    const MoveFilter filter_;
    Sink& sink_;
    const int columns_;
    const bool automatic_;
    const int32_t rest_;                     // rating but for the terms over all columns
    uint32_t ending_[kMaxRanks + 3] = {};  // columns that end in a rank; 0: empty
    uint32_t spaces_ = 0;                  // empty columns that may be moved into
    uint64_t children_ = 0;
};

template <int kColumns, typename Sink>
uint64_t expand(const State& s, const Stage& stage, const Scratch& x, MoveFilter filter, Sink& sink) {
    return Expansion<kColumns, Sink>(s, stage, x, filter, sink).run();
}

inline bool may_deal(const State& s, const Stage& stage, const Scratch& x) {
    if (stage.last()) return false;
    if ((x.ends & 15) == 0 || stage.rules.stock_deal_over_empty == DealOverEmpty::Allowed) return true;
    return stage.rules.stock_deal_over_empty == DealOverEmpty::WhenShort && s.total < stage.rules.columns;
}

}  // namespace spidervet
