// Comparing lines in sampled worlds: the unseen cards are laid out at random, each line is played up to its
// first surprise, and what can then be reached says what the line was worth. All lines meet the same worlds.
#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>
#include <utility>

#include "planner.hpp"
#include "random.hpp"
#include "worlds.hpp"

namespace spidervet {
namespace {

constexpr int kGuess = 4;  // samples that the value of a line's end counts as
constexpr int64_t kCertain = 65536;

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

// The chance to win a world, in 1/65536, after a line and some decisions more.
int64_t PlanningPlayer::outcome(Position world, std::vector<Move> line) {
    Effects effects;
    for (int decisions = 0;; ++decisions) {
        for (const Move m : line) {
            world.apply(m, effects);
            if (world.won()) return kCertain;
            if (m.is_deal() || effects.flipped()) break;
        }
        const View seen = view_of(world);
        if (decisions == settings_.sample_plies) return chance(inner_->value_in_sight(seen));
        inner_->decide(seen, line);
        if (line.empty()) return 0;
    }
}

void PlanningPlayer::prepare_inner() {
    if (inner_) return;
    Settings narrow = settings_;
    narrow.width = settings_.sample_width;
    narrow.depth = settings_.sample_depth;
    narrow.ends = settings_.sample_width;
    narrow.open_width = 2 * settings_.sample_width;
    narrow.wide = 2;
    narrow.samples = 0;
    narrow.weigh_deals = settings_.sample_plies > 0;
    inner_ = std::make_unique<PlanningPlayer>(rules_, narrow, rng_, control_);
}

// Sequential halving: all lines meet the same worlds, and after every round the better half goes on. Rounds share
// the budget of candidates x samples evenly.
PlanningPlayer::Choice PlanningPlayer::sampled(const View& view, const Choice& best) {
    std::vector<Trial> left;
    for (const Choice& c : rivals(best)) left.push_back({c, {}, kGuess * chance(c.logit)});
    if (left.size() < 2) return best;
    prepare_inner();
    for (Trial& t : left) {
        look_.line(t.choice.node, t.line);
        if (t.choice.deal) t.line.push_back(Move::deal());
    }
    const uint64_t before = inner_->rated();
    const int budget = static_cast<int>(left.size()) * settings_.samples;
    const int rounds = std::bit_width(left.size() - 1);
    Random random(mix64(rng_ + 0x5a17) + decisions_);
    for (int round = 0; round < rounds; ++round) {
        const int worlds = std::max(1, budget / rounds / static_cast<int>(left.size()));
        for (int s = 0; s < worlds && !control_.cancelled; ++s) {
            const Position world = random_world(view, random);
            for (Trial& t : left) t.sum += outcome(world, t.line);
        }
        std::stable_sort(left.begin(), left.end(), [](const Trial& a, const Trial& b) { return a.sum > b.sum; });
        left.resize((left.size() + 1) / 2);
    }
    rated_ += inner_->rated() - before;
    return left.front().choice;
}

}  // namespace spidervet
