// A position as seen, in the players' look ahead. Columns live in a pool that positions share: a column that
// loses cards is the same one, read less far, so a move copies one column and reads one other shorter.
//
// A column whose face-up cards have all gone keeps its face-down cards and ends in one of them: turned up, but
// unknown until it is really played, so it can neither move nor be built on.
#pragma once

#include <cstdint>
#include <vector>

#include "hand_rating.hpp"
#include "position.hpp"
#include "view.hpp"

namespace spidervet {

struct SeenBoard {
    uint32_t first[kMaxColumns] = {};  // in the pool: the reading before the deepest face-up card
    uint8_t size[kMaxColumns] = {};
    uint8_t down[kMaxColumns] = {};
    uint8_t off = 0;      // sequences off the table
    uint8_t turned = 0;   // columns that end in a card that would turn up
    uint8_t empties = 0;

    bool turns(int i) const { return down[i] > 0 && size[i] == down[i]; }
    int table(int columns) const;
};

// The columns of many positions.
class ColumnPool {
public:
    explicit ColumnPool(const HandRater& rater) : rater_(rater) {}

    SeenBoard start(const View& view);  // forgets everything else
    // The reading of column i's `k` deepest cards, down <= k <= size.
    const Fold& at(const SeenBoard& b, int i, int k) const { return folds_[b.first[i] + static_cast<uint32_t>(k - b.down[i])]; }
    const Fold& end(const SeenBoard& b, int i) const { return at(b, i, b.size[i]); }
    Card card(const SeenBoard& b, int i, int k) const { return at(b, i, k + 1).card; }
    // What the column is worth if it ends at k: as read, or bare.
    Fold whole(const SeenBoard& b, int i, int k) const { return k == b.down[i] ? rater_.bare(k) : at(b, i, k); }
    // Reads the `count` end cards of the source on top of the target.
    Fold grown(const SeenBoard& b, int source, int target, int count) const;
    // Neither checks the rules nor looks for complete sequences.
    void move(SeenBoard& b, int source, int target, int count);
    static void remove(SeenBoard& b, int column, int sequences, int ranks);

private:
    const HandRater& rater_;
    std::vector<Fold> folds_;
};

// Whether the rules let the stock be dealt here (stock: cards left in it).
bool may_deal(const Rules& rules, const SeenBoard& board, int stock);

// Strict rule: with stock left, fewer cards than columns can never be dealt upon (RULES: dead).
bool short_of_cards(const Rules& rules, int table, int stock);

}  // namespace spidervet
