#include "player.hpp"

#include "hint.hpp"
#include "planner.hpp"

namespace spidervet {

std::unique_ptr<Player> make_player(const Rules& rules, const Settings& settings, uint64_t rng, Control& control) {
    if (settings.hint) return std::make_unique<HintPlayer>(control);
    return std::make_unique<PlanningPlayer>(rules, settings, rng, control);
}

}  // namespace spidervet
