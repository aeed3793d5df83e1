// The exhaustive search's own form of a position: moves and their undoing in place, with a 128-bit hash kept
// by difference. Tested against position.hpp on random games of every rule field.
#pragma once

#include <cstdint>
#include <vector>

#include "proof_set.hpp"
#include "position.hpp"

namespace spidervet {

class Board {
public:
    // symmetric: with the stock gone, positions that differ in the order of columns hash alike.
    Board(const Position& start, bool symmetric);

    const Rules& rules() const { return *rules_; }
    int columns() const { return rules_->columns; }
    bool won() const { return off_ == rules_->sequences; }
    int sequences_off() const { return off_; }
    int stock_size() const { return static_cast<int>(stock_.size()) - dealt_; }
    Card stock_card(int k) const { return stock_[static_cast<size_t>(dealt_ + k)]; }
    int size(int i) const { return column_[i].size; }
    int down(int i) const { return column_[i].down; }
    // Cards at the end that lift together (position.hpp's movable).
    int movable(int i) const { return column_[i].movable; }
    Card card(int i, int k) const { return column_[i].cards[k]; }
    Card end(int i) const { return column_[i].cards[column_[i].size - 1]; }
    // Bit i: column i ends with a card of that rank; rank 0: column i is empty.
    uint16_t ends(int rank) const { return ends_[rank]; }
    bool can_deal() const;
    bool complete(int i) const;
    int cards_on_table() const;

    // Never zero, which marks a free slot of the set.
    Hash128 hash() const { return total_ == Hash128{} ? Hash128{1, 1} : total_; }
    // Of the deepest k cards of column i, whichever column it is.
    Hash128 part_hash(int i, int k) const;
    // The hash after a legal action. The board comes back as it was.
    Hash128 hash_after(Move m);
    // Whether a sequence may leave with a tableau move; if not, none does.
    bool leaves(Move m) const;

    void apply(Move m);
    void undo();
    // Actions on the way from the start.
    size_t depth() const { return frames_.size(); }
    std::vector<Move> line() const;
    uint64_t bytes() const { return frames_.size() * sizeof(Frame) + events_.size() * sizeof(Effects::Event); }

private:
    struct Pile {
        uint8_t size = 0;
        uint8_t down = 0;
        uint8_t movable = 0;
        Card cards[kMaxCards];
        Hash128 prefix[kMaxCards + 1];  // of the deepest k cards
        Hash128 hash;                   // this column's share of the total
    };
    struct Frame {
        Move move;
        uint8_t events;
        uint8_t dealt;
    };

    Hash128 share(int i, Hash128 prefix, int size, int down) const;
    void push(int i, Card c);
    void open(int i);
    void close(int i);
    void close_all();
    void flip_end(int i);
    void take_sequence(int i);
    void settle(int first, int last);

    const Rules* rules_;
    bool symmetric_;
    bool ordered_ = true;
    uint8_t off_ = 0;
    int dealt_ = 0;
    std::vector<Card> stock_;
    Pile column_[kMaxColumns];
    uint16_t ends_[kMaxRanks + 1] = {};
    Hash128 total_;
    std::vector<Frame> frames_;
    std::vector<Effects::Event> events_;
};

}  // namespace spidervet
