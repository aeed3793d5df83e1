// A position with every card in it, the moves of the rules, and their undoing. Plain and exact; the
// searches have packed forms of their own and are tested against this one, and this one against
// engine/game.py.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rules.hpp"

namespace spidervet {

// suit << 4 | rank, rank 1 (Ace) to 13 (King); suits S H D C.
using Card = uint8_t;
inline int rank_of(Card c) { return c & 15; }
inline int suit_of(Card c) { return c >> 4; }

// 16 bits: source << 11 | target << 7 | count; 0x8000 deals from the stock; source = target removes.
struct Move {
    uint16_t code = 0;

    static constexpr uint16_t kDeal = 0x8000;
    static Move tableau(int source, int target, int count) {
        return {static_cast<uint16_t>(source << 11 | target << 7 | count)};
    }
    static Move removal(int column, int ranks) { return tableau(column, column, ranks); }
    static Move deal() { return {kDeal}; }

    bool is_deal() const { return code == kDeal; }
    bool is_removal() const { return !is_deal() && source() == target(); }
    int source() const { return code >> 11 & 15; }
    int target() const { return code >> 7 & 15; }
    int count() const { return code & 127; }
    std::string text() const;  // "3>7x4", "3>7", "deal", "remove 5"; columns from 1
    auto operator<=>(const Move&) const = default;
};

struct Column {
    uint8_t size = 0;
    uint8_t down = 0;  // face-down cards, the deepest ones
    Card cards[kMaxCards];  // deepest first

    bool empty() const { return size == 0; }
    Card end() const { return cards[size - 1]; }
};

// What an action did besides the move itself, in order, so that it can be undone.
struct Effects {
    struct Event {
        uint8_t column;
        uint8_t suit;  // of the sequence that left; kFlip for a card turned up
    };
    static constexpr uint8_t kFlip = 255;
    Event events[4 * kMaxColumns];
    int count = 0;
    int dealt = 0;  // cards put down by a stock deal

    bool flipped() const;
    int removed() const;
};

class Position {
public:
    // Reads a packed position (engine/core.py). Throws std::invalid_argument saying what is wrong. Under
    // automatic removal, sequences that are complete at the start leave at once.
    Position(const Rules& rules, std::span<const uint8_t> packed);

    const Rules& rules() const { return *rules_; }
    int columns() const { return rules_->columns; }
    const Column& column(int i) const { return column_[i]; }
    int sequences_off() const { return sequences_off_; }
    int stock_size() const { return stock_end_ - stock_begin_; }
    std::span<const Card> stock() const { return {stock_ + stock_begin_, stock_ + stock_end_}; }
    int cards_on_table() const;
    int face_down() const;

    bool won() const { return sequences_off_ == rules_->sequences; }
    bool stuck() const;  // not won, and no action is legal
    bool can_deal() const;
    // How many cards at the column's end lift together under the group rule.
    int movable(int i) const;
    // Whether a complete sequence lies face up at the column's end.
    bool complete(int i) const;
    bool legal(Move m) const;
    // Canonical order: source, count, target ascending; then removals by column; then the stock deal.
    void legal_moves(std::vector<Move>& out) const;

    // The move must be legal.
    void apply(Move m, Effects& effects);
    void undo(Move m, const Effects& effects);

    std::vector<uint8_t> packed() const;
    // 64 bits over everything the rules can see, columns in order.
    uint64_t hash() const;
    bool operator==(const Position& other) const;

private:
    bool accepts(int target, Card base, int source, int count) const;
    bool accepts_empty(Card base) const;  // the rank alone
    void flip_end(int i, Effects& effects);
    void take_sequence(int i, Effects& effects);
    void settle(Effects& effects);

    const Rules* rules_;
    uint8_t sequences_off_ = 0;
    uint8_t stock_begin_ = 0;
    uint8_t stock_end_ = 0;
    Card stock_[kMaxCards];
    Column column_[kMaxColumns];
};

}  // namespace spidervet
