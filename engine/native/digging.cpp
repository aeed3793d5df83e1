#include "digging.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "random.hpp"

namespace spidervet {
namespace {

// A segment is a maximal part of a column in which every card lies on one that is one rank higher; its deepest
// card, the base, lies on nothing or on a card that it does not fit. The cards of each column's last segment are
// loose. Digging takes a base off its place, which makes the segment below loose.
struct Segment {
    uint8_t base_rank;
    uint8_t base_suit;
    uint8_t end_rank;
    uint16_t cards[4];  // bit r: the rank r of that suit is in it
};

struct Layers {
    int columns = 0;
    int ranks = 0;
    bool any_group = false;  // mixed runs move as one
    bool kings_only = false; // only Kings go into empty columns
    bool no_slots = false;   // nothing does
    bool twins = false;      // some card is there twice
    int count[kMaxColumns] = {};
    std::array<Segment, 16> of[kMaxColumns];  // the loose one first
};

struct Dug {
    uint64_t depth = 0;             // four bits a column: segments dug
    int8_t over[kMaxRanks + 2] = {};  // loose cards of the rank that need a place, less the cards they fit on
    int8_t bases[kMaxRanks + 2] = {}; // bases of the rank that are still in their places
    int8_t excess = 0;              // the sum of what is over, rank by rank
    int8_t low_excess = 0;          // without the Kings
    int8_t slots = 0;               // columns that are or were empty
    uint8_t off = 0;                // suits finished
    uint16_t loose[4] = {};
    uint16_t settled[4] = {};       // loose and no base

    int at(int i) const { return static_cast<int>(depth >> 4 * i & 15); }
    void need(int rank, int ranks) {
        if (over[rank]++ < 0 || rank == 0) return;
        ++excess;
        low_excess = static_cast<int8_t>(low_excess + (rank < ranks));
    }
    void room(int rank, int ranks) {
        if (over[rank]-- <= 0 || rank == 0) return;
        --excess;
        low_excess = static_cast<int8_t>(low_excess - (rank < ranks));
    }
};

bool read(const Board& board, Layers& layers, Dug& dug) {
    const Rules& rules = board.rules();
    layers.columns = board.columns();
    layers.ranks = rules.ranks;
    layers.any_group = rules.group_move == GroupMove::AnySuit;
    layers.no_slots = rules.empty_column_accepts == EmptyAccepts::Nothing;
    layers.kings_only = rules.empty_column_accepts == EmptyAccepts::Kings;
    uint16_t seen[4] = {};
    auto see = [&](Card c) {
        const uint16_t bit = static_cast<uint16_t>(1u << rank_of(c));
        layers.twins |= (seen[suit_of(c)] & bit) != 0;
        seen[suit_of(c)] |= bit;
    };
    for (int i = 0; i < layers.columns; ++i) {
        int n = 0;
        for (int k = board.size(i) - 1; k >= 0; --k) {
            if (n == 15) return false;
            Segment s{};
            s.end_rank = static_cast<uint8_t>(rank_of(board.card(i, k)));
            for (;; --k) {
                const Card c = board.card(i, k);
                see(c);
                s.cards[suit_of(c)] |= static_cast<uint16_t>(1u << rank_of(c));
                s.base_rank = static_cast<uint8_t>(rank_of(c));
                s.base_suit = static_cast<uint8_t>(suit_of(c));
                if (k == 0 || rank_of(board.card(i, k - 1)) != rank_of(c) + 1) break;
            }
            layers.of[i][static_cast<size_t>(n++)] = s;
            ++dug.bases[s.base_rank];
        }
        layers.count[i] = n;
        if (n == 0 && !layers.no_slots) ++dug.slots;
    }
    for (int k = 0; k < board.stock_size(); ++k) {
        const Card c = board.stock_card(k);
        see(c);
        dug.room(rank_of(c) - 1, rules.ranks);
        dug.loose[suit_of(c)] |= static_cast<uint16_t>(1u << rank_of(c));
        dug.settled[suit_of(c)] |= static_cast<uint16_t>(1u << rank_of(c));
    }
    return true;
}

class Digging {
public:
    explicit Digging(const Layers& layers) : layers_(layers) {
        if (++stamp_ == 0) {
            std::fill(std::begin(stamps_), std::end(stamps_), 0u);
            stamp_ = 1;
        }
    }

    // Whether everything can be dug up, or may be for all that was looked at.
    bool open(Dug& dug) {
        for (int i = 0; i < layers_.columns; ++i)
            if (layers_.count[i] > 0) loosen(dug, i, 0);
        return search(dug);
    }

private:
    // Segment n of column i comes loose: its end is room for the rank below.
    void loosen(Dug& dug, int i, int n) const {
        const Segment& s = layers_.of[i][static_cast<size_t>(n)];
        dug.room(s.end_rank - 1, layers_.ranks);
        for (int suit = 0; suit < 4; ++suit) {
            dug.loose[suit] |= s.cards[suit];
            dug.settled[suit] |= s.cards[suit];
        }
        // A base is settled once it has been dug, a King wherever it is.
        if (s.base_rank != layers_.ranks && !layers_.twins)
            dug.settled[s.base_suit] &= static_cast<uint16_t>(~(1u << s.base_rank));
    }
    // Whether there is room at the moment when the base moves: it may carry a run of its suit and nothing else,
    // so the last card carried is no room for the rank below.
    bool fits(const Dug& dug, const Segment& s) const {
        const int base = s.base_rank;
        const int excess = dug.excess + (dug.over[base] >= 0);
        if (excess > dug.slots) return false;
        if (layers_.kings_only && dug.low_excess + (base < layers_.ranks && dug.over[base] >= 0) > 0) return false;
        if (layers_.any_group) return true;
        const bool spare = excess < dug.slots && !layers_.kings_only;
        for (int last = base; last >= 1 && (dug.loose[s.base_suit] >> last & 1); --last)
            if (last == 1 || spare || dug.over[last - 1] < 0) return true;
        return false;
    }
    // Whether the rank of the base can never be short of room, whatever is dug: then there is nothing to lose.
    bool plenty(const Dug& dug, int i) const {
        const int rank = layers_.of[i][static_cast<size_t>(dug.at(i))].base_rank;
        return rank < layers_.ranks && dug.over[rank] + dug.bases[rank] + 1 <= 0;
    }
    void next_segment(Dug& dug, int i) const {
        --dug.bases[layers_.of[i][static_cast<size_t>(dug.at(i))].base_rank];
        dug.depth += uint64_t{1} << 4 * i;
        if (dug.at(i) == layers_.count[i]) dug.slots = static_cast<int8_t>(dug.slots + !layers_.no_slots);
        else loosen(dug, i, dug.at(i));
    }
    Dug after(const Dug& dug, int i) const {
        Dug out = dug;
        const Segment& s = layers_.of[i][static_cast<size_t>(dug.at(i))];
        out.need(s.base_rank, layers_.ranks);
        out.settled[s.base_suit] |= static_cast<uint16_t>(1u << s.base_rank);
        next_segment(out, i);
        return out;
    }
    // Takes every sequence off that can be. It costs no room, so that it is never wrong to. False if which of
    // several like Kings goes would matter.
    bool finish(Dug& dug) const {
        const uint16_t whole = static_cast<uint16_t>(((1u << layers_.ranks) - 1) << 1);
        for (bool any = true; any;) {
            any = false;
            for (int suit = 0; suit < 4; ++suit) {
                if ((dug.off >> suit & 1) || (dug.settled[suit] & whole) != whole) continue;
                if (layers_.twins) return false;
                dug.off = static_cast<uint8_t>(dug.off | 1u << suit);
                any = true;
                bool standing = false;
                for (int i = 0; i < layers_.columns && !standing; ++i) {
                    if (dug.at(i) == layers_.count[i]) continue;
                    const Segment& s = layers_.of[i][static_cast<size_t>(dug.at(i))];
                    standing = s.base_rank == layers_.ranks && s.base_suit == suit;
                    if (standing) next_segment(dug, i);
                }
                if (!standing) dug.room(layers_.ranks, layers_.ranks);
            }
        }
        return true;
    }
    bool done(const Dug& dug) const {
        for (int i = 0; i < layers_.columns; ++i)
            if (dug.at(i) < layers_.count[i]) return false;
        return true;
    }
    // Puts a vector of depths into the set; false if it was there.
    bool note(uint64_t depth) {
        uint32_t i = static_cast<uint32_t>(mix64(depth) & (kSlots - 1));
        for (; stamps_[i] == stamp_; i = (i + 1) & (kSlots - 1))
            if (seen_[i] == depth) return false;
        stamps_[i] = stamp_;
        seen_[i] = depth;
        return true;
    }
    bool search(Dug dug) {
        if (!finish(dug) || done(dug)) return true;
        if (!note(dug.depth)) return false;
        if (looked_++ == kDiggingLooks) return true;
        for (int i = 0; i < layers_.columns; ++i)
            if (dug.at(i) < layers_.count[i] && plenty(dug, i) && fits(dug, layers_.of[i][static_cast<size_t>(dug.at(i))]))
                return search(after(dug, i));
        for (int i = 0; i < layers_.columns; ++i) {
            if (dug.at(i) == layers_.count[i]) continue;
            if (fits(dug, layers_.of[i][static_cast<size_t>(dug.at(i))]) && search(after(dug, i))) return true;
        }
        return false;
    }

    const Layers& layers_;
    int looked_ = 0;
    static constexpr uint32_t kSlots = 4 * kDiggingLooks;
    static thread_local uint64_t seen_[kSlots];
    static thread_local uint32_t stamps_[kSlots];
    static thread_local uint32_t stamp_;
};

thread_local uint64_t Digging::seen_[Digging::kSlots];
thread_local uint32_t Digging::stamps_[Digging::kSlots];
thread_local uint32_t Digging::stamp_ = 0;

}  // namespace

// What the answer depends on: the cards below the loose ones, the bases among these, the stock.
static Hash128 key_of(const Board& board) {
    Hash128 key{static_cast<uint64_t>(board.stock_size()), 1};
    for (int i = 0; i < board.columns(); ++i) {
        int k = board.size(i) - 1;
        while (k > 0 && rank_of(board.card(i, k - 1)) == rank_of(board.card(i, k)) + 1) --k;
        if (k >= 0) key += board.part_hash(i, k + 1);
    }
    key.b &= ~uint64_t{1};
    return key;
}

bool DiggingTest::dead(const Board& board) {
    if (board.rules().group_move == GroupMove::AnyFaceUp) return false;
    const Hash128 key = key_of(board);
    Answer& answer = answers_[key.a & (kAnswers - 1)];
    if (answer.key.a == key.a && (answer.key.b & ~uint64_t{1}) == key.b) return answer.key.b & 1;
    static thread_local Layers layers;
    layers = {};
    Dug dug;
    const bool dead = read(board, layers, dug) && !Digging(layers).open(dug);
    answer.key = {key.a, key.b | dead};
    return dead;
}

}  // namespace spidervet
