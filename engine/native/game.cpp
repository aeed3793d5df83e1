#include "game.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

#include "seen_board.hpp"
#include "endings.hpp"

namespace spidervet {
namespace {

bool over(const Position& p, size_t moves, Ending& ending) {
    const int limit = p.rules().move_limit;
    if (p.won())
        ending = Ending::Won;
    else if (p.stuck())
        ending = Ending::Stuck;
    else if (short_of_cards(p.rules(), p.cards_on_table(), p.stock_size()))
        ending = Ending::Dead;
    else if (limit > 0 && moves >= static_cast<size_t>(limit))
        ending = dead(p) == Dead::Yes ? Ending::Dead : Ending::MoveLimit;
    else
        return false;
    return true;
}

// A player that proposes an illegal action is a bug; the message reproduces it.
void check(const Position& p, Move m) {
    if (p.legal(m)) return;
    std::string bytes;
    for (const uint8_t b : p.packed()) bytes += std::to_string(b) + " ";
    throw std::logic_error("a player proposed the illegal action " + m.text() + " in packed position " + bytes);
}

}  // namespace

GameRecord play_game(Position position, Player& player, const Control& control, bool judge) {
    const auto start = std::chrono::steady_clock::now();
    GameRecord record;
    std::vector<Move> line;
    Effects effects;
    auto finished = [&] { return over(position, record.moves.size(), record.ending); };
    while (!finished() && !control.cancelled) {
        if (judge && player.may_wander() && dead(position) == Dead::Yes) {
            record.ending = Ending::Dead;
            break;
        }
        player.decide(view_of(position), line);
        if (control.cancelled) break;
        if (line.empty()) {
            record.ending = judge && dead(position) == Dead::Yes ? Ending::Dead : Ending::NoProgress;
            break;
        }
        for (const Move m : line) {
            check(position, m);
            position.apply(m, effects);
            record.moves.push_back(m);
            record.stock_deals += m.is_deal();
            if (m.is_deal() || effects.flipped() || finished()) break;
        }
    }
    record.sequences = position.sequences_off();
    record.nodes = player.rated();
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return record;
}

}  // namespace spidervet
