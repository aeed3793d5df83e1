#include "hint.hpp"

#include "seen_board.hpp"
#include "worlds.hpp"

namespace spidervet {
namespace {

enum Class { kFinish, kTurn, kJoin, kNone };

bool joins(const Position& p, Move m) {
    if (m.is_deal() || m.is_removal() || p.column(m.target()).empty()) return false;
    const Column& s = p.column(m.source());
    const int k = s.size - m.count();
    const Card base = s.cards[k];
    const bool joined = k > s.down && s.cards[k - 1] == base + 1;
    return p.column(m.target()).end() == base + 1 && !joined;
}

Class classify(const Position& world, Move m) {
    Position after = world;
    Effects effects;
    after.apply(m, effects);
    if (effects.removed() > 0) return kFinish;
    if (effects.flipped()) return kTurn;
    return joins(world, m) ? kJoin : kNone;
}

bool only_gaps_forbid_the_deal(const View& view) {
    int table = 0;
    for (int i = 0; i < view.columns(); ++i) table += view.size[i];
    return view.stock > 0 && !short_of_cards(*view.rules, table, view.stock);
}

// The shortest movable run that leaves cards behind; a column that is one run gives up its end card.
bool filler(const Position& world, const std::vector<Move>& moves, Move& best) {
    int least = kMaxCards + 1;
    for (const Move m : moves) {
        if (m.is_deal() || m.is_removal() || !world.column(m.target()).empty()) continue;
        const int size = world.column(m.source()).size, run = world.movable(m.source());
        if (size < 2 || m.count() != (run < size ? run : 1) || m.count() >= least) continue;
        least = m.count();
        best = m;
    }
    return least <= kMaxCards;
}

}  // namespace

bool HintPlayer::fresh(const Position& world, Move m) {
    Position after = world;
    Effects effects;
    after.apply(m, effects);
    return !seen_.contains(after.hash());
}

void HintPlayer::decide(const View& view, std::vector<Move>& line) {
    line.clear();
    // Face-down cards and the stock lie in sorted order in this world; the classes do not depend on them.
    const Position world = sorted_world(view);
    seen_.insert(world.hash());
    std::vector<Move> moves;
    world.legal_moves(moves);
    Class best = kNone;
    Move choice;
    for (const Move m : moves) {
        ++rated_;
        ++control_.nodes;
        if (m.is_deal()) continue;
        const Class c = classify(world, m);
        if (c >= best || (c == kJoin && !fresh(world, m))) continue;
        best = c;
        choice = m;
    }
    if (best == kNone) {
        if (world.can_deal())
            choice = Move::deal();
        else if (!only_gaps_forbid_the_deal(view) || !filler(world, moves, choice) || !fresh(world, choice))
            return;
    }
    line.push_back(choice);
}

}  // namespace spidervet
