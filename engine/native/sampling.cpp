// Comparing lines in sampled worlds: the unseen cards are laid out at random, each line is played up to its
// first surprise, and what can then be reached says what the line was worth. All lines meet the same worlds.
#include <algorithm>
#include <array>
#include <unordered_set>

#include "planner.hpp"
#include "random.hpp"
#include "worlds.hpp"

namespace spidervet {
namespace {

constexpr int kGuess = 4;  // samples that the value of a line's end counts as

// Chance in 1/65536 by logit in hundredths, from -1000 to 1000. Built from products and quotients alone, which
// every machine rounds alike; libraries differ in exp.
int64_t chance(int32_t logit) {
    static const std::array<int32_t, 2001> table = [] {
        constexpr double kStep = 1.010050167084168;  // e^(1/100)
        std::array<int32_t, 2001> t{};
        double odds = 1;
        for (size_t i = 0; i <= 1000; ++i, odds *= kStep) {
            t[1000 + i] = static_cast<int32_t>(65536 * (odds / (1 + odds)) + 0.5);
            t[1000 - i] = 65536 - t[1000 + i];
        }
        return t;
    }();
    return table[static_cast<size_t>(std::clamp(logit, -1000, 1000) + 1000)];
}

}  // namespace

// The position in which the line first turns up a card, else its end: lines that share it do the same now.
uint64_t PlanningPlayer::first_surprise(const Choice& choice) const {
    const auto& nodes = look_.nodes();
    size_t first = choice.node;
    for (size_t i = choice.node; nodes[i].depth > 0; i = nodes[i].parent)
        if (nodes[i].board.turned > 0) first = i;
    return nodes[first].hash * 2 + choice.deal;
}

std::vector<PlanningPlayer::Choice> PlanningPlayer::rivals(const Choice& best) {
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.worth > b.worth; });
    std::vector<Choice> out{best};
    std::unordered_set<uint64_t> taken{first_surprise(best)};
    for (const Choice& c : choices_) {
        if (static_cast<int>(out.size()) == settings_.candidates) break;
        if (c.logit < best.logit - settings_.close) continue;
        if (taken.insert(first_surprise(c)).second) out.push_back(c);
    }
    return out;
}

int32_t PlanningPlayer::outcome(Position world, const std::vector<Move>& line) {
    Effects effects;
    for (const Move m : line) {
        world.apply(m, effects);
        if (world.won()) return kSureLogit;
        if (effects.flipped()) break;
    }
    return inner_->value_in_sight(view_of(world));
}

PlanningPlayer::Choice PlanningPlayer::sampled(const View& view, const Choice& best) {
    std::vector<Choice> left = rivals(best);
    if (left.size() < 2) return best;
    if (!inner_) {
        Settings narrow = settings_;
        narrow.width = settings_.sample_width;
        narrow.depth = settings_.sample_depth;
        narrow.ends = settings_.sample_width;
        narrow.samples = 0;
        narrow.weigh_deals = false;
        inner_ = std::make_unique<PlanningPlayer>(rules_, narrow, rng_, control_);
    }
    const uint64_t before = inner_->rated();
    std::vector<std::vector<Move>> lines(left.size());
    std::vector<int64_t> sum(left.size());
    for (size_t i = 0; i < left.size(); ++i) {
        look_.line(left[i].node, lines[i]);
        if (left[i].deal) lines[i].push_back(Move::deal());
        sum[i] = kGuess * chance(left[i].logit);
    }
    Random random(mix64(rng_ + 0x5a17) + decisions_);
    for (int s = 0; s < settings_.samples && !control_.cancelled; ++s) {
        const Position world = random_world(view, random);
        for (size_t i = 0; i < left.size(); ++i) sum[i] += chance(outcome(world, lines[i]));
    }
    rated_ += inner_->rated() - before;
    return left[static_cast<size_t>(std::max_element(sum.begin(), sum.end()) - sum.begin())];
}

}  // namespace spidervet
