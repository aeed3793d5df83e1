// The packed position of the beam search: cards of all columns in one block, rating and hash at hand. The
// stock is not in it: all positions of a stage share it. Agrees with Position move for move (tests).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"
#include "rating.hpp"

namespace spidervet {

struct State {
    uint64_t hash;
    int32_t rating;
    uint32_t node;   // its place in the record of lines
    uint16_t depth;  // actions since the start
    uint8_t off;     // sequences off
    uint8_t total;   // cards on the table
    uint8_t size[kMaxColumns];
    uint8_t down[kMaxColumns];
    Card cards[kMaxCards];  // column after column, deepest first
};

// What the positions of a stage have in common.
struct Stage {
    const Rules& rules;
    Tables tables;
    std::vector<Card> stock;  // what is left, in deal order
    int row;                  // cards that the next stock deal puts down
    uint64_t salt[kMaxColumns];

    Stage(const Rules& rules, const Weights& weights, std::span<const Card> stock);
    int rows_left() const { return (static_cast<int>(stock.size()) + rules.columns - 1) / rules.columns; }
    bool last() const { return stock.empty(); }
    std::span<const Card> after_deal() const { return std::span<const Card>(stock).subspan(static_cast<size_t>(row)); }
};

State pack(const Position& position);
// The packed bytes of engine/core.py.
std::vector<uint8_t> unpack(const State& state, const Stage& stage);

// Rating and hash from nothing, under the stage the position is in.
void rate(State& state, const Stage& stage);

// The child by a legal move. Its node, rating and hash are still the parent's.
void make_child(const State& parent, Move move, const Stage& stage, State& child);

}  // namespace spidervet
