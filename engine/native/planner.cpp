#include "planner.hpp"

#include "random.hpp"

namespace spidervet {
namespace {

// About normal with mean 0 and the given standard deviation, from 64 random bits: the sum of four uniform
// numbers of 16 bits, whose standard deviation is 37,837.
int64_t bell(uint64_t bits, int deviation) {
    int64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int64_t>(bits >> 16 * i & 0xffff);
    return (sum - 131070) * deviation / 37837;
}

}  // namespace

int64_t PlanningPlayer::worth(const Node& node) const {
    const int64_t noise = settings_.noise > 0 ? bell(mix64(node.hash ^ mix64(rng_ + 1)), settings_.noise) : 0;
    return node.rating + noise;
}

bool PlanningPlayer::take_progress(std::vector<Move>& line) const {
    const auto& nodes = look_.nodes();
    size_t best = 0;
    int64_t most = INT64_MIN;
    for (size_t i = 1; i < nodes.size(); ++i) {
        if (!nodes[i].progress()) continue;
        const bool wins = nodes[i].board.off == rules_.sequences;
        const int64_t w = wins ? INT64_MAX : worth(nodes[i]);
        if (w <= most && best > 0) continue;
        most = w;
        best = i;
    }
    if (best == 0) return false;
    look_.line(best, line);
    return true;
}

bool PlanningPlayer::take_deal(const View& view, std::vector<Move>& line) const {
    const auto& nodes = look_.nodes();
    size_t best = 0;
    bool found = false;
    int64_t most = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].gained > 0 || !may_deal(rules_, nodes[i].board, view.stock)) continue;
        const int64_t w = worth(nodes[i]);
        if (found && w <= most) continue;
        found = true;
        most = w;
        best = i;
    }
    if (!found) return false;
    look_.line(best, line);
    line.push_back(Move::deal());
    return true;
}

bool PlanningPlayer::look(const View& view, const Effort& effort, bool eager_to_deal, std::vector<Move>& line) {
    const uint64_t before = look_.rated();
    look_.run(view, effort);
    bool found = !eager_to_deal && take_progress(line);
    if (!found && view.stock > 0) {
        look_.fill(view, effort);
        found = take_deal(view, line) || take_progress(line);
    }
    rated_ += look_.rated() - before;
    return found;
}

void PlanningPlayer::decide(const View& view, std::vector<Move>& line) {
    line.clear();
    ++decisions_;
    const bool eager = settings_.early_deal > 0 && view.stock > 0 &&
                       Random(rng_ * 0x9e3779b97f4a7c15u + decisions_).below(1000) <
                           static_cast<uint64_t>(settings_.early_deal);
    Effort effort{settings_.width, settings_.depth, settings_.patience};
    if (view.open()) effort = {settings_.open_width, settings_.open_depth, 0};
    if (look(view, effort, eager, line) || settings_.wide <= 1) return;
    // Nothing in sight: look wider and farther before giving up.
    look(view, {effort.width * settings_.wide, effort.depth * 2, 0}, false, line);
}

}  // namespace spidervet
