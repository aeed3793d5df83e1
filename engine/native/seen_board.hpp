// The players' packed form of a position as seen: 139 bytes, copied freely. A face-down card is kUnseen. A
// column whose face-up cards have all gone keeps its face-down cards and ends in one of them: turned up, but
// unknown until it is really played, so it can neither move nor be built on.
#pragma once

#include <cstdint>

#include "position.hpp"
#include "view.hpp"

namespace spidervet {

struct SeenBoard {
    uint8_t size[kMaxColumns] = {};
    uint8_t down[kMaxColumns] = {};
    uint8_t off = 0;    // sequences off the table
    uint8_t turned = 0;  // columns that end in a card that would turn up
    uint8_t empties = 0;
    Card cards[kMaxCards];  // column after column, deepest first

    bool turns(int i) const { return down[i] > 0 && size[i] == down[i]; }
    int table(int columns) const;
    // Neither checks the rules nor looks for complete sequences.
    void move(int columns, int source, int target, int count);
    void remove(int columns, int column, int count);

private:
    void close(int i);
};

SeenBoard board_of(const View& view);

// Whether the rules let the stock be dealt here (stock: cards left in it).
bool may_deal(const Rules& rules, const SeenBoard& board, int stock);

// Strict rule: with stock left, fewer cards than columns can never be dealt upon (RULES: dead).
bool short_of_cards(const Rules& rules, int table, int stock);

}  // namespace spidervet
