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

}  // namespace spidervet
