// Dead positions (docs/rules.md): actions are legal, but none can ever again turn up a card, finish a
// sequence or deal from the stock.
#pragma once

#include <cstdint>

#include "position.hpp"

namespace spidervet {

enum class Dead : uint8_t { No, Yes, Unknown };

inline constexpr int kDeadBound = 10000;  // positions looked at before the answer is Unknown

// Breadth first over positions up to the order of columns (no stock deal lies in between, so their order
// cannot matter), children in canonical order; stops at the first progress, or at the bound. A function
// of the position alone. Won and stuck positions are not dead.
Dead dead(const Position& position, int bound = kDeadBound);

}  // namespace spidervet
