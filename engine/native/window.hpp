// One window of a line searched anew: from a board to a position further on in fewer actions.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "board.hpp"
#include "search.hpp"

namespace spidervet {

struct HashOfHash {
    size_t operator()(Hash128 h) const { return h.a; }
};

// Depth first under a bound that counts the actions still needed at least: a move takes one card (the base of
// what it lifts) off the card or place under it, so that each card which lies on another one than in the target
// needs a move of its own.
class Window {
public:
    // memory_bytes bounds the positions remembered, counted in entries.
    Window(Meter& meter, uint64_t memory_bytes) : meter_(meter), most_known_(memory_bytes / kEntryBytes) {}

    // Hashes on the way from `from` (left out) to `to` (included) in at most `most` actions; nothing if none was
    // found with `nodes` nodes. The board comes back as it was.
    std::vector<Hash128> search(Board& from, const Board& to, int most, uint64_t nodes);

    // What the bound says of the way from one to the other.
    int least(const Board& from, const Board& to);

private:
    // A card and what it lies on: a card, or a column where columns are told apart.
    static constexpr int kBases = 64 + kMaxColumns + 1;
    using Pairs = std::vector<int8_t>;

    static constexpr uint64_t kEntryBytes = 64;  // of the table, its buckets included

    static int place(const Board& board, int i, int k);
    void count(const Board& board, Pairs& pairs) const;
    void aim(const Board& from, const Board& to);
    bool counts(int pair) const { return !free_king_[pair / kBases]; }
    int added(int pair) { return have_[static_cast<size_t>(pair)]++ >= want_[static_cast<size_t>(pair)] && counts(pair); }
    int taken(int pair) { return --have_[static_cast<size_t>(pair)] >= want_[static_cast<size_t>(pair)] && counts(pair); }
    bool go(Board& board, int used, int lacking);
    int recount(const Board& board);
    bool step(Board& board, Move m, int used, int lacking);

    Meter& meter_;
    uint64_t most_known_;
    Hash128 goal_;
    int goal_stock_ = 0;
    int columns_ = 0;
    int most_ = 0;
    uint64_t nodes_left_ = 0;
    Pairs have_, want_;
    bool free_king_[64] = {};
    std::unordered_map<Hash128, int, HashOfHash> best_;
    std::vector<Hash128> way_;
};

}  // namespace spidervet
