// What a person at the table sees: face-up cards, how many lie face down and in the stock, and which cards
// are still unseen, in no order. Everything that decides takes a View and nothing else, so no player can
// know more.
#pragma once

#include <cstdint>

#include "position.hpp"

namespace spidervet {

inline constexpr Card kUnseen = 0;

struct View {
    const Rules* rules = nullptr;
    int sequences_off = 0;
    int stock = 0;   // cards left in the stock
    int hidden = 0;  // face-down cards on the table
    uint8_t size[kMaxColumns] = {};
    uint8_t down[kMaxColumns] = {};
    Card cards[kMaxColumns][kMaxCards];  // deepest first; kUnseen where face down
    uint8_t unseen[64] = {};             // by card: how many of it lie face down or in the stock

    int columns() const { return rules->columns; }
    int unseen_total() const { return stock + hidden; }
    // Nothing is left to learn: what follows is a puzzle.
    bool open() const { return unseen_total() == 0; }
};

View view_of(const Position& position);

}  // namespace spidervet
