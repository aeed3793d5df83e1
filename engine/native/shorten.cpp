#include "shorten.hpp"

#include <algorithm>
#include <unordered_map>

#include "board.hpp"
#include "moves.hpp"

namespace spidervet {
namespace {

struct HashOfHash {
    size_t operator()(Hash128 h) const { return h.a; }
};

// A line as the positions it goes through. Two positions that differ in the order of columns alone are one
// once the stock is gone, so that moves are found anew when the line is played.
using Trail = std::vector<Hash128>;

Trail trail_of(const Position& start, const std::vector<Move>& line) {
    Board board(start, true);
    Trail out{board.hash()};
    for (const Move m : line) {
        board.apply(m);
        out.push_back(board.hash());
    }
    return out;
}

// The first move in canonical order to each next position. Empty if there is none, which would be a fault.
std::vector<Move> played(const Position& start, const Trail& trail) {
    Board board(start, true);
    for (size_t i = 1; i < trail.size(); ++i) {
        Move found{};
        bool any = false;
        each_move(board, {}, [&](Move m) {
            if (!any && board.hash_after(m) == trail[i]) {
                found = m;
                any = true;
            }
        });
        if (!any) return {};
        board.apply(found);
    }
    return board.line();
}

// The shortest way from the first to the last position that uses positions of the trail only, by any move.
Trail short_cut(const Position& start, const std::vector<Move>& line) {
    const Trail trail = trail_of(start, line);
    std::unordered_map<Hash128, uint32_t, HashOfHash> place;
    for (size_t i = 0; i < trail.size(); ++i) place.try_emplace(trail[i], static_cast<uint32_t>(i));
    const uint32_t last = place.at(trail.back());

    std::vector<std::vector<uint32_t>> next(trail.size());
    Board board(start, true);
    for (size_t i = 0; i < trail.size(); ++i) {
        if (place.at(trail[i]) == i)
            each_move(board, {true, true}, [&](Move m) {
                const auto found = place.find(board.hash_after(m));
                if (found != place.end()) next[i].push_back(found->second);
            });
        if (i < line.size()) board.apply(line[i]);
    }
    std::vector<uint32_t> from(trail.size(), UINT32_MAX), queue{0};
    from[0] = 0;
    for (size_t q = 0; q < queue.size() && from[last] == UINT32_MAX; ++q)
        for (const uint32_t j : next[queue[q]])
            if (from[j] == UINT32_MAX) {
                from[j] = queue[q];
                queue.push_back(j);
            }
    Trail out{trail[last]};
    for (uint32_t i = last; i != 0; i = from[i]) out.push_back(trail[from[i]]);
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace

std::vector<Move> shorten(const Position& start, const std::vector<Move>& line, Meter&, uint64_t) {
    std::vector<Move> best = played(start, short_cut(start, line));
    return best.empty() || best.size() > line.size() ? line : best;
}

}  // namespace spidervet
