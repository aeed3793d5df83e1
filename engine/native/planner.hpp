// The planning player: looks ahead as far as it can see, picks the line that leaves it best, plays it up to the
// first surprise and looks again.
#pragma once

#include "player.hpp"

namespace spidervet {

class PlanningPlayer final : public Player {
public:
    PlanningPlayer(const Rules& rules, const Settings& settings, uint64_t rng, Control& control)
        : settings_(settings), rules_(rules), look_(rules, settings.weights, control), rng_(rng) {}

    void decide(const View& view, std::vector<Move>& line) override;

private:
    bool look(const View& view, const Effort& effort, bool eager_to_deal, std::vector<Move>& line);
    bool take_progress(std::vector<Move>& line) const;
    bool take_deal(const View& view, std::vector<Move>& line) const;
    int64_t worth(const Node& node) const;

    Settings settings_;
    const Rules& rules_;
    Lookahead look_;
    uint64_t rng_;
    uint64_t decisions_ = 0;
};

}  // namespace spidervet
