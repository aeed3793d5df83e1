#include "planner.hpp"

#include <algorithm>

#include "random.hpp"

namespace spidervet {
namespace {

constexpr int kWidest = 20000;  // bounds the second look's memory: about 150 bytes a position kept

// About normal with mean 0 and the given standard deviation, from 64 random bits: the sum of four uniform
// numbers of 16 bits, whose standard deviation is 37,837.
int64_t bell(uint64_t bits, int deviation) {
    int64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int64_t>(bits >> 16 * i & 0xffff);
    return (sum - 131070) * deviation / 37837;
}

// The second look. An open position is already searched to a great depth.
Effort wider(const Effort& effort, int factor, bool open) {
    const int width = std::max(effort.width, std::min(effort.width * factor, kWidest));
    return {width, open ? effort.depth : 2 * effort.depth, 0};
}

}  // namespace

void PlanningPlayer::rate(const View& view, const Node& node, Choice& choice) const {
    choice.worth = node.rating;
    if (!settings_.value.empty()) {
        choice.logit = settings_.value.logit(features_of(view, look_.pool(), node.board, choice.deal));
        choice.worth += static_cast<int64_t>(settings_.trust) * choice.logit;
    }
    if (settings_.noise > 0) choice.worth += bell(mix64(node.hash ^ mix64(rng_ + 1)), settings_.noise);
    if (node.board.off == rules_.sequences) choice.worth = INT64_MAX;
}

PlanningPlayer::Choice PlanningPlayer::best(const View& view, bool deal) {
    const auto& nodes = look_.nodes();
    ends_.clear();
    for (size_t i = 0; i < nodes.size(); ++i)
        if (deal ? nodes[i].gained == 0 && may_deal(rules_, nodes[i].board, view.stock) : nodes[i].progress())
            ends_.push_back(static_cast<uint32_t>(i));
    // Earlier nodes come first among equals, so shorter lines do.
    const size_t most = static_cast<size_t>(settings_.ends);
    auto better = [&](uint32_t a, uint32_t b) {
        return nodes[a].rating != nodes[b].rating ? nodes[a].rating > nodes[b].rating : a < b;
    };
    if (ends_.size() > most) {
        std::nth_element(ends_.begin(), ends_.begin() + static_cast<long>(most), ends_.end(), better);
        ends_.resize(most);
    }
    std::sort(ends_.begin(), ends_.end(), better);
    Choice best;
    for (const uint32_t i : ends_) {
        Choice c{i, true, deal, 0, 0};
        rate(view, nodes[i], c);
        choices_.push_back(c);
        if (!best.found || c.worth > best.worth) best = c;
    }
    return best;
}

// The position in sight that is worth most, if more than the present one. What a position is worth, without
// the bonuses of the line that led there, never changes, so tidying cannot go round in circles.
PlanningPlayer::Choice PlanningPlayer::tidied(const View& view) {
    const auto& nodes = look_.nodes();
    Choice best;
    rate(view, nodes[0], best);
    for (size_t i = 1; i < look_.first_filled(); ++i) {
        Choice c{i, true, false, 0, 0};
        rate(view, nodes[i], c);
        if (c.worth != INT64_MAX) c.worth -= nodes[i].bonus;
        if (c.worth > best.worth) best = c;
    }
    return best;
}

PlanningPlayer::Choice PlanningPlayer::look(const View& view, const Effort& effort, bool eager_to_deal) {
    const uint64_t before = look_.rated();
    choices_.clear();
    look_.run(view, effort);
    Choice progress = best(view, false), choice = progress;
    const bool weighs = settings_.weigh_deals && !settings_.value.empty();
    if (view.stock > 0 && (!progress.found || eager_to_deal || weighs)) {
        look_.fill(view, effort);
        const Choice deal = best(view, true);
        if (!progress.found) progress = best(view, false);
        choice = progress;
        if (deal.found && (!progress.found || eager_to_deal || (weighs && deal.logit > progress.logit))) choice = deal;
    }
    rated_ += look_.rated() - before;
    return choice;
}

void PlanningPlayer::play(const View& view, const Choice& choice, std::vector<Move>& line) {
    if (!choice.found) return;
    look_.line(choice.node, line);
    if (choice.deal) line.push_back(Move::deal());
    if (samples != nullptr) {
        const Node& n = look_.nodes()[choice.node];
        samples->push_back(features_of(view, look_.pool(), n.board, choice.deal));
    }
}

PlanningPlayer::Choice PlanningPlayer::consider(const View& view) {
    // What is drawn depends on the open cards too: one number must not give every deal the same luck.
    uint64_t draw = rng_ * 0x9e3779b97f4a7c15u + decisions_;
    for (int c = 0; c < view.columns(); ++c)
        if (view.size[c] > 0) draw = mix64(draw ^ (uint64_t(view.cards[c][view.size[c] - 1]) << 8 | uint64_t(c)));
    const bool eager = settings_.early_deal > 0 && view.stock > 0 &&
                       Random(draw).below(1000) < static_cast<uint64_t>(settings_.early_deal);
    Effort effort{settings_.width, settings_.depth, settings_.patience};
    if (view.open()) effort = {settings_.open_width, settings_.open_depth, 0};
    Choice choice = look(view, effort, eager);
    // Nothing in sight: look wider and farther before giving up.
    if (!choice.found && settings_.wide > 1)
        choice = look(view, wider(effort, settings_.wide, view.open()), false);
    if (!choice.found && settings_.tidies) choice = tidied(view);
    const bool sure = !choice.found || choice.worth == INT64_MAX || eager || view.open() ||
                      choice.logit >= settings_.sample_below || (settings_.sample_only_deals && !choice.deal);
    if (settings_.samples > 0 && !settings_.value.empty() && !sure) choice = sampled(view, choice);
    return choice;
}

void PlanningPlayer::decide(const View& view, std::vector<Move>& line) {
    line.clear();
    ++decisions_;
    play(view, consider(view), line);
}

int32_t PlanningPlayer::value_in_sight(const View& view) {
    const Choice c = look(view, {settings_.width, settings_.depth, settings_.patience}, false);
    if (!c.found) return -kSureLogit;
    return c.worth == INT64_MAX ? kSureLogit : c.logit;
}

}  // namespace spidervet
