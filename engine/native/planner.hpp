// The planning player: looks ahead as far as it can see, picks the line that leaves it best, plays it up to the
// first surprise and looks again.
#pragma once

#include <memory>
#include <vector>

#include "player.hpp"
#include "worlds.hpp"

namespace spidervet {

class PlanningPlayer final : public Player {
public:
    PlanningPlayer(const Rules& rules, const Settings& settings, uint64_t rng, Control& control)
        : settings_(settings), rules_(rules), control_(control),
          look_(rules, settings.weights, settings.advice, control), rng_(rng) {}

    void decide(const View& view, std::vector<Move>& line) override;
    bool may_wander() const override { return settings_.tidies; }
    // The learned value of the line it would play, as a logit in hundredths; kSureLogit for a win in sight,
    // its negative where nothing is in sight.
    int32_t value_in_sight(const View& view);
    static constexpr int32_t kSureLogit = 1000;

private:
    // Where a line would end, and what that is worth.
    struct Choice {
        size_t node = 0;
        bool found = false;
        bool deal = false;
        int64_t worth = 0;
        int32_t logit = 0;  // of the learned value, if there is one
    };

    // A line being compared: the sum of its outcomes in the first `played` worlds.
    struct Trial {
        Choice choice;
        std::vector<Move> line;
        int64_t sum = 0;
        size_t played = 0;
        int column = -1;  // that turns up its card first
    };

    Choice consider(const View& view);
    Choice look(const View& view, const Effort& effort, bool eager_to_deal);
    Choice best(const View& view, bool deal);
    Choice tidied(const View& view);
    void rate(const View& view, const Node& node, Choice& choice) const;
    void play(const View& view, const Choice& choice, std::vector<Move>& line);

    // Comparing lines in sampled worlds (sampling.cpp).
    Choice sampled(const View& view, const Choice& best);
    std::vector<Choice> rivals(const Choice& best);
    size_t first_surprise(const Choice& choice) const;
    int turned_first(const Choice& choice) const;
    void try_in(Worlds& worlds, size_t count, Trial& trial);
    int64_t outcome(Position world, std::vector<Move> line, int32_t logit);
    void prepare_inner();

    Settings settings_;
    const Rules& rules_;
    Control& control_;
    Lookahead look_;
    uint64_t rng_;
    uint64_t decisions_ = 0;
    int tried_ = 0;                          // sampled worlds played in so far
    std::vector<uint32_t> ends_;             // where lines may end
    std::vector<Choice> choices_;            // all that the present decision rated
    std::unique_ptr<PlanningPlayer> inner_;  // looks ahead in sampled worlds
};

}  // namespace spidervet
