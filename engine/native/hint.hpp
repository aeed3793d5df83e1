// The baseline that anyone can check by hand: one action ahead.
#pragma once

#include "player.hpp"

namespace spidervet {

// In this order: an action that finishes a sequence; one that turns up a card; one that lays a run on the next
// higher card of its suit where it did not lie on one; the stock deal; where only empty columns stand in the
// deal's way, the shortest movable run that leaves cards behind into the first of them. Ties: the first in
// canonical order (source, count, target). Never back to a position already seen.
class HintPlayer final : public Player {
public:
    explicit HintPlayer(Control& control) : control_(control) {}
    void decide(const View& view, std::vector<Move>& line) override;
    bool may_wander() const override { return true; }

private:
    bool fresh(const Position& world, Move m);
    Control& control_;
    std::unordered_set<uint64_t> seen_;
};

}  // namespace spidervet
