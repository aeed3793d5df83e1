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

constexpr int64_t kCertain = 65536;
constexpr int64_t kSafe = 64880;  // 0.99
constexpr int kSameCard = 2;

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

// The node in which the line first turns up a card, else its end: lines that share it do the same now.
size_t PlanningPlayer::first_surprise(const Choice& choice) const {
    const auto& nodes = look_.nodes();
    size_t first = choice.node;
    for (size_t i = choice.node; nodes[i].depth > 0; i = nodes[i].parent)
        if (nodes[i].board.turned > 0) first = i;
    return first;
}

// The column whose card the line turns up first; -1 where it takes a sequence off or deals before.
int PlanningPlayer::turned_first(const Choice& choice) const {
    const Node& n = look_.nodes()[first_surprise(choice)];
    if (choice.deal || n.board.turned == 0) return -1;
    int column = 0;
    while (!n.board.turns(column)) ++column;
    return column;
}

// The best line and the next best that do something else now; of those that turn up the same card no more than two.
// Where only deals are compared, one line that does not deal stands for all that a wide look saw behind surprises.
std::vector<PlanningPlayer::Choice> PlanningPlayer::rivals(const Choice& best) {
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.worth > b.worth; });
    std::vector<Choice> out;
    std::unordered_set<uint64_t> taken;
    int by_column[kMaxColumns] = {};
    bool other = false;
    auto take = [&](const Choice& c) {
        if (settings_.sample_only_deals && !c.deal && std::exchange(other, true)) return;
        const Node& n = look_.nodes()[first_surprise(c)];
        if (const int column = turned_first(c); column >= 0) {
            if (by_column[column] == kSameCard || !taken.insert(n.hash * 2).second) return;
            ++by_column[column];
        } else if (!taken.insert(n.hash * 2 + c.deal).second) {
            return;
        }
        out.push_back(c);
    };
    take(best);
    for (const Choice& c : choices_) {
        if (static_cast<int>(out.size()) == settings_.candidates) break;
        if (c.logit >= best.logit - settings_.close) take(c);
    }
    return out;
}

// The chance to win a world, in 1/65536, after a line that promised a logit and some decisions more. What is left of
// a line after a surprise is played unless the look from there finds better: a narrow look may miss it.
int64_t PlanningPlayer::outcome(Position world, std::vector<Move> line, int32_t promised) {
    Effects effects;
    int dealt = 0;
    for (int decisions = 0;; ++decisions) {
        size_t at = 0;
        for (bool shown = false; at < line.size() && !shown;) {
            const Move m = line[at++];
            world.apply(m, effects);
            if (world.won()) return kCertain;
            dealt += m.is_deal();
            shown = m.is_deal() || effects.flipped();
        }
        line.erase(line.begin(), line.begin() + static_cast<long>(at));
        const View seen = view_of(world);
        if (seen.open()) return kCertain;  // of hundreds of games that were lost none had nothing unseen
        const Choice next = inner_->consider(seen);
        if (next.found && next.worth == INT64_MAX) return kCertain;
        const bool keep = !line.empty() && (!next.found || next.logit < promised);
        if (!keep && !next.found) return 0;
        const int32_t logit = keep ? promised : next.logit;
        const bool deals = !keep && next.deal;  // no line goes on to a deal after a surprise
        if (decisions >= settings_.sample_plies || dealt > settings_.sample_deals ||
            (dealt == settings_.sample_deals && deals))
            return chance(logit);
        if (!keep) {
            inner_->play(seen, next, line);
            promised = next.logit;
        }
    }
}

void PlanningPlayer::prepare_inner() {
    if (inner_) return;
    Settings narrow = settings_;
    narrow.width = settings_.sample_width;
    narrow.depth = settings_.sample_depth;
    narrow.ends = 4 * settings_.sample_width;
    narrow.open_width = 2 * settings_.sample_width;
    narrow.wide = 2;
    narrow.samples = 0;
    inner_ = std::make_unique<PlanningPlayer>(rules_, narrow, rng_, control_);
}

// Plays a line in the first `count` worlds.
void PlanningPlayer::try_in(Worlds& worlds, size_t count, Trial& trial) {
    for (; trial.played < count && !control_.cancelled; ++trial.played, ++tried_)
        trial.sum += outcome(worlds.at(trial.played, trial.column), trial.line, trial.choice.logit);
}

// Sequential halving: all lines meet the same worlds, and after every round the better half goes on. Rounds share
// the budget of candidates x samples evenly. A line that wins wherever it is tried first is not compared.
PlanningPlayer::Choice PlanningPlayer::sampled(const View& view, const Choice& best) {
    std::vector<Trial> left;
    for (const Choice& c : rivals(best)) left.push_back({c, {}, settings_.sample_guess * chance(c.logit), 0, turned_first(c)});
    if (left.size() < 2 || tried_ >= settings_.sample_budget) return best;
    prepare_inner();
    for (Trial& t : left) {
        look_.line(t.choice.node, t.line);
        if (t.choice.deal) t.line.push_back(Move::deal());
    }
    const uint64_t before = inner_->rated();
    Worlds worlds(view, mix64(mix64(rng_ + 0x5a17) ^ look_.nodes()[0].hash) + decisions_);
    const size_t budget = left.size() * static_cast<size_t>(settings_.samples);
    const size_t rounds = static_cast<size_t>(std::bit_width(left.size() - 1));
    const size_t probe = static_cast<size_t>(settings_.samples + 3) / 4;
    const int64_t guess = left.front().sum;
    try_in(worlds, probe, left.front());
    if (left.front().sum - guess < static_cast<int64_t>(probe) * kSafe) {
        size_t count = 0;
        while (left.size() > 1 && !control_.cancelled) {
            count = std::max({probe, count + 1, count + budget / rounds / left.size()});
            for (Trial& t : left) try_in(worlds, count, t);
            std::stable_sort(left.begin(), left.end(), [](const Trial& a, const Trial& b) { return a.sum > b.sum; });
            left.resize((left.size() + 1) / 2);
        }
    }
    rated_ += inner_->rated() - before;
    return left.front().choice;
}

}  // namespace spidervet
