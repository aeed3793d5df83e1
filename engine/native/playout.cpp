#include "playout.hpp"

#include "random.hpp"

namespace spidervet {

std::vector<Move> random_playout(Position& position, uint64_t seed, int most) {
    Random random(seed);
    std::vector<Move> played, moves;
    Effects effects;
    while (static_cast<int>(played.size()) < most) {
        position.legal_moves(moves);
        if (moves.empty()) break;
        const Move m = moves[random.below(moves.size())];
        position.apply(m, effects);
        played.push_back(m);
    }
    return played;
}

namespace {

uint64_t lines(Position& position, int depth) {
    if (depth == 0) return 1;
    std::vector<Move> moves;
    position.legal_moves(moves);
    if (depth == 1) return moves.size();
    uint64_t sum = 0;
    Effects effects;
    for (const Move m : moves) {
        position.apply(m, effects);
        sum += lines(position, depth - 1);
        position.undo(m, effects);
    }
    return sum;
}

}  // namespace

std::vector<std::pair<Move, uint64_t>> perft(Position& position, int depth) {
    std::vector<Move> moves;
    position.legal_moves(moves);
    std::vector<std::pair<Move, uint64_t>> out;
    Effects effects;
    for (const Move m : moves) {
        position.apply(m, effects);
        out.emplace_back(m, lines(position, depth - 1));
        position.undo(m, effects);
    }
    return out;
}

}  // namespace spidervet
