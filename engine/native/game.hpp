// One game from a deal to its end, by a player that sees views only.
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "player.hpp"

namespace spidervet {

// The numbers are the order of engine/players.py.
enum class Ending : uint8_t { Won, Stuck, Dead, NoProgress, MoveLimit, Resigned, Unfinished };

struct GameRecord {
    Ending ending = Ending::Unfinished;
    std::vector<Move> moves;
    int stock_deals = 0;
    int sequences = 0;
    uint64_t nodes = 0;
    double seconds = 0;  // reported only; nothing depends on it
};

// Unfinished only when cancelled.
// judge: prove positions dead that the player finds nothing in; costs time, changes no move.
GameRecord play_game(Position position, Player& player, const Control& control, bool judge = true);

}  // namespace spidervet
