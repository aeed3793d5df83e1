#include "short_beam.hpp"

#include <algorithm>
#include <limits>

namespace spidervet {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min() / 2;
constexpr uint32_t kRoot = Link::kRoot;

}  // namespace

struct ShortBeam::Sink {
    ShortBeam& beam;
    const State& parent;
    uint32_t index;
    const Stage& stage;
    int32_t price;  // of all actions up to the child
    int32_t cut;
    bool won = false;

    void offer(int32_t rating, uint64_t hash, Move move) {
        beam.seen_.prefetch(hash);
        beam.waiting_[beam.waiting_count_++] = {rating - price, index, hash, move};
        if (beam.waiting_count_ < kWaiting) return;
        beam.admit();
        cut = beam.cut_ + price;
    }

    void slow(Move move) {
        State child;
        make_child(parent, move, stage, child);
        if (child.off == stage.rules.sequences) {
            if (!won) beam.win(parent.node, move);
            won = true;
            return;
        }
        rate(child, stage);
        if (child.rating >= cut) offer(child.rating, child.hash, move);
    }
};

void ShortBeam::admit() {
    for (int i = 0; i < waiting_count_; ++i) {
        const Candidate& c = waiting_[i];
        if (c.rating < cut_ || !seen_.insert_in_place(c.hash)) continue;
        candidates_.push_back(c);
        if (candidates_.size() >= 2 * static_cast<size_t>(step_.width))
            cut_ = keep_best(candidates_, static_cast<size_t>(step_.width), keys_);
    }
    waiting_count_ = 0;
}

void ShortBeam::win(uint32_t node, Move last) {
    line_.assign(1, last);
    for (; links_[node].parent != kRoot; node = links_[node].parent) line_.push_back(links_[node].move);
    std::reverse(line_.begin(), line_.end());
}

// Whether the actions that are still needed at least make a line that is not short enough: a deal a row, and a
// move for each card on the table that lies on no next higher card of its suit, but for Kings.
bool ShortBeam::hopeless(const State& s, const Stage& stage) const {
    int least = s.depth + stage.rows_left();
    const Card* c = s.cards;
    for (int i = 0; i < stage.rules.columns; ++i) {
        for (int k = 0; k < s.size[i]; ++k)
            least += rank_of(c[k]) != stage.rules.ranks && (k == 0 || c[k - 1] != c[k] + 1);
        c += s.size[i];
    }
    return least >= below_;
}

uint64_t ShortBeam::bytes() const {
    return links_.size() * sizeof(Link) + (beam_.size() + next_.size() + pool_.size()) * sizeof(State) +
           candidates_.size() * sizeof(Candidate);
}

bool ShortBeam::make_room() {
    if (bytes() + 3 * seen_.bytes() > memory_bytes_) return false;
    seen_.grow();
    return true;
}

void ShortBeam::offer_deal(const State& parent, const Stage& stage, const Stage& next) {
    State child;
    make_child(parent, Move::deal(), stage, child);
    if (child.off == stage.rules.sequences) {
        if (line_.empty()) win(parent.node, Move::deal());
        return;
    }
    rate(child, next);
    child.rating -= cost(next) * child.depth;
    if (child.rating < pool_cut_ || hopeless(child, next)) return;
    pool_best_ = std::max(pool_best_, child.rating);
    pool_.push_back(child);
    if (pool_.size() >= 2 * static_cast<size_t>(step_.width))
        pool_cut_ = keep_best(pool_, static_cast<size_t>(step_.width), keys_);
}

template <int kColumns>
bool ShortBeam::expand_level(const Stage& stage, const Stage* next) {
    candidates_.clear();
    waiting_count_ = 0;
    cut_ = kLowest;
    Scratch scratch;
    for (size_t i = 0; i < beam_.size(); ++i) {
        const State& parent = beam_[i];
        load(parent, stage, kColumns > 0 ? kColumns : stage.rules.columns, scratch);
        const int32_t price = cost(stage) * (parent.depth + 1);
        Sink sink{*this, parent, static_cast<uint32_t>(i), stage, price, cut_ + price};
        uint64_t children = expand<kColumns>(parent, stage, scratch, MoveFilter{}, sink);
        if (next != nullptr && may_deal(parent, stage, scratch)) {
            ++children;
            offer_deal(parent, stage, *next);
        }
        if (!meter_->spend(children) || !line_.empty()) return false;
        if (seen_.crowded() && !make_room()) return false;
    }
    admit();
    return true;
}

void ShortBeam::select(const Stage& stage) {
    const size_t width = static_cast<size_t>(step_.width);
    if (candidates_.size() > width) keep_best(candidates_, width, keys_);
    next_.clear();
    for (const Candidate& c : candidates_) {
        next_.emplace_back();
        State& child = next_.back();
        make_child(beam_[c.parent], c.move, stage, child);
        if (hopeless(child, stage)) {
            next_.pop_back();
            continue;
        }
        child.node = link(beam_[c.parent].node, c.move);
        child.rating = c.rating;
        child.hash = c.hash;
    }
    beam_.swap(next_);
}

// False once the search is over.
template <int kColumns>
bool ShortBeam::run_stage(const Stage& stage, const Stage* next) {
    pool_.clear();
    pool_cut_ = pool_best_ = kLowest;
    int32_t best = kLowest, pool_best = kLowest;
    size_t actions = 0;
    for (int stale = 0; !beam_.empty();) {
        // The last stage goes on until it wins or its beam runs dry.
        if (next != nullptr && stale >= (pool_.empty() ? 4 * step_.patience : step_.patience)) break;
        if (!expand_level<kColumns>(stage, next)) return false;
        select(stage);
        if (trace_ != nullptr) trace_->level(beam_, stage, ++actions);
        int32_t level_best = kLowest;
        for (const State& s : beam_) level_best = std::max(level_best, s.rating);
        stale = level_best > best || pool_best_ > pool_best ? 0 : stale + 1;
        best = std::max(best, level_best);
        pool_best = pool_best_;
    }
    return true;
}

// False if the table may not grow.
bool ShortBeam::start_next_stage(const Stage& next) {
    const size_t width = static_cast<size_t>(step_.width);
    if (pool_.size() > width) keep_best(pool_, width, keys_);
    if (trace_ != nullptr) trace_->pool(pool_, next);
    beam_.clear();
    for (State& s : pool_) {
        if (seen_.crowded() && !make_room()) return false;
        if (!seen_.insert_in_place(s.hash) || hopeless(s, next)) continue;
        s.node = link(s.node, Move::deal());
        beam_.push_back(s);
    }
    return true;
}

template <int kColumns>
void ShortBeam::run(const Position& start) {
    const Weights& weights = weights_->weights;
    std::vector<Stage> stages;
    stages.emplace_back(start.rules(), weights, start.stock());
    while (!stages.back().last()) stages.emplace_back(start.rules(), weights, stages.back().after_deal());

    State root = pack(start);
    rate(root, stages[0]);
    root.node = link(kRoot, Move{});
    seen_.insert_in_place(root.hash);
    beam_.assign(1, root);
    for (size_t k = 0; k < stages.size(); ++k) {
        const bool last = k + 1 == stages.size();
        if (!run_stage<kColumns>(stages[k], last ? nullptr : &stages[k + 1]) || last) return;
        if (!start_next_stage(stages[k + 1])) return;
    }
}

std::vector<Move> ShortBeam::search(const Position& start, const ShortWeights& weights, const ShortBeamStep& step, int below,
                                    Meter& meter, uint64_t memory_bytes, ShortTrace* trace) {
    step_ = step;
    trace_ = trace;
    weights_ = &weights;
    meter_ = &meter;
    memory_bytes_ = memory_bytes;
    below_ = below;
    line_.clear();
    links_.clear();
    seen_.reset();
    switch (start.columns()) {
        case 7: run<7>(start); break;
        case 10: run<10>(start); break;
        default: run<0>(start);
    }
    return static_cast<int>(line_.size()) < below ? line_ : std::vector<Move>{};
}

}  // namespace spidervet
