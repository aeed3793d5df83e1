#include "beam.hpp"

#include <algorithm>
#include <limits>

namespace spidervet {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr uint32_t kRoot = Link::kRoot;

}  // namespace

struct Beam::Sink {
    Beam& beam;
    const State& parent;
    uint32_t index;
    const Stage& stage;
    int32_t& cut;
    bool won = false;

    void offer(int32_t rating, uint64_t hash, Move move) {
        beam.seen_.prefetch(hash);
        beam.waiting_[beam.waiting_count_++] = {rating + beam.noise(hash), index, hash, move};
        if (beam.waiting_count_ == kWaiting) beam.admit();
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

// At most one draw a position, whatever way it is reached by.
int32_t Beam::noise(uint64_t hash) const {
    if (step_.noise == 0) return 0;
    return static_cast<int32_t>((mix64(hash ^ step_.seed) >> 32) * static_cast<uint64_t>(step_.noise) >> 32);
}

// Candidates wait a little between their prefetch and their look-up; the outcome is as if they had not.
void Beam::admit() {
    for (int i = 0; i < waiting_count_; ++i) {
        const Candidate& c = waiting_[i];
        if (c.rating < cut_ || !seen_.insert_in_place(c.hash)) continue;
        candidates_.push_back(c);
        if (candidates_.size() >= 2 * static_cast<size_t>(step_.width)) compact();
    }
    waiting_count_ = 0;
}

void Beam::compact() {
    outcome_.complete &= candidates_.size() <= static_cast<size_t>(step_.width);
    cut_ = keep_best(candidates_, static_cast<size_t>(step_.width), keys_);
    gate_ = cut_ - step_.noise;
}

void Beam::compact_pool() {
    outcome_.complete &= pool_.size() <= static_cast<size_t>(step_.width);
    pool_cut_ = keep_best(pool_, static_cast<size_t>(step_.width), keys_);
}

// Bytes for the beams, the pool, the candidates and their keys, all reserved at once.
uint64_t Beam::width_bytes() const {
    const uint64_t one = 4 * sizeof(State) + 2 * (sizeof(Candidate) + sizeof(uint64_t));
    return one * static_cast<uint64_t>(step_.width);
}

void Beam::reserve() {
    const size_t width = static_cast<size_t>(step_.width);
    beam_.reserve(width);
    next_.reserve(width);
    pool_.reserve(2 * width);
    candidates_.reserve(2 * width);
    keys_.reserve(2 * width);
}

// Lets the table grow while memory allows, then fill up. False if the search must end.
bool Beam::make_room() {
    const uint64_t rest = width_bytes() + links_.size() * sizeof(Link);
    if (rest + 3 * seen_.bytes() <= memory_bytes_) {
        seen_.grow();
        return true;
    }
    outcome_.memory = seen_.full() || rest + seen_.bytes() > memory_bytes_;
    return !outcome_.memory;
}

uint32_t Beam::link(uint32_t parent, Move move) {
    links_.push_back({parent, move});
    return static_cast<uint32_t>(links_.size() - 1);
}

void Beam::win(uint32_t node, Move last) {
    outcome_.won = true;
    last_node_ = node;
    outcome_.line.assign(1, last);
    for (; links_[node].parent != kRoot; node = links_[node].parent) outcome_.line.push_back(links_[node].move);
    std::reverse(outcome_.line.begin(), outcome_.line.end());
}

std::vector<uint32_t> Beam::line_nodes() const {
    std::vector<uint32_t> out;
    for (uint32_t node = last_node_; node != kRoot; node = links_[node].parent) out.push_back(node);
    return out;
}

namespace {

struct CountOnly {
    int32_t cut = std::numeric_limits<int32_t>::max();

    void offer(int32_t, uint64_t, Move) {}
    void slow(Move) {}
};

}  // namespace

// Its children count as nodes: they are rated, if for nothing else.
bool Beam::stuck(const State& child, const Stage& stage) {
    Scratch scratch;
    load(child, stage, stage.rules.columns, scratch);
    CountOnly sink;
    const uint64_t children = expand<0>(child, stage, scratch, MoveFilter{}, sink);
    meter_->spend(children);
    return children == 0;
}

void Beam::offer_deal(const State& parent, const Stage& stage, const Stage& next) {
    State child;
    make_child(parent, Move::deal(), stage, child);
    if (child.off == stage.rules.sequences) {
        if (!outcome_.won) win(parent.node, Move::deal());
        return;
    }
    rate(child, next);
    child.rating += noise(child.hash);
    if (child.rating < pool_cut_ || (step_.drop_stuck && next.last() && stuck(child, next))) return;
    pool_best_ = std::max(pool_best_, child.rating);
    pool_.push_back(child);
    if (pool_.size() >= 2 * static_cast<size_t>(step_.width)) compact_pool();
}

template <int kColumns>
bool Beam::expand_level(const Stage& stage, const Stage* next) {
    candidates_.clear();
    waiting_count_ = 0;
    cut_ = gate_ = kLowest;
    Scratch scratch;
    const MoveFilter filter{.one_empty_column = !step_.every_empty || stage.last()};
    for (size_t i = 0; i < beam_.size(); ++i) {
        const State& parent = beam_[i];
        if (move_limit_ > 0 && parent.depth >= move_limit_) continue;
        load(parent, stage, kColumns > 0 ? kColumns : stage.rules.columns, scratch);
        Sink sink{*this, parent, static_cast<uint32_t>(i), stage, gate_};
        uint64_t children = expand<kColumns>(parent, stage, scratch, filter, sink);
        if (next != nullptr && may_deal(parent, stage, scratch)) {
            ++children;
            offer_deal(parent, stage, *next);
        }
        const bool going = meter_->spend(children);
        if (outcome_.won || !going) return false;
        if (seen_.crowded() && !make_room()) return false;
    }
    admit();
    return true;
}

// The best candidates become the beam.
bool Beam::select(const Stage& stage) {
    const size_t width = static_cast<size_t>(step_.width);
    if (candidates_.size() > width) compact();
    next_.resize(candidates_.size());
    for (size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& c = candidates_[i];
        State& child = next_[i];
        make_child(beam_[c.parent], c.move, stage, child);
        child.node = link(beam_[c.parent].node, c.move);
        child.rating = c.rating;
        child.hash = c.hash;
        outcome_.best_off = std::max<int>(outcome_.best_off, child.off);
    }
    beam_.swap(next_);
    if (trace_ != nullptr) trace_->level(beam_, next_, stage, stage.rows_left());
    return !beam_.empty();
}

// False once the search is over.
template <int kColumns>
bool Beam::run_stage(const Stage& stage, const Stage* next) {
    pool_.clear();
    pool_cut_ = pool_best_ = kLowest;
    int32_t best = kLowest, pool_best = kLowest;
    for (int stale = 0;; ) {
        // Filling columns for a strict stock deal lowers the rating: wait longer while nothing may deal yet.
        const int patience = next == nullptr ? step_.last_patience : pool_.empty() ? 4 * step_.patience : step_.patience;
        if (stale >= patience) {
            outcome_.complete = false;
            break;
        }
        if (!expand_level<kColumns>(stage, next)) return false;
        if (!select(stage)) break;
        int32_t level_best = kLowest;
        for (const State& s : beam_) level_best = std::max(level_best, s.rating);
        stale = level_best > best || pool_best_ > pool_best ? 0 : stale + 1;
        best = std::max(best, level_best);
        pool_best = pool_best_;
        outcome_.best_rating = best;
    }
    return !outcome_.memory;
}

bool Beam::start_next_stage(const Stage& next) {
    const size_t width = static_cast<size_t>(step_.width);
    if (pool_.size() > width) compact_pool();
    beam_.clear();
    for (State& s : pool_) {
        if (!seen_.insert_in_place(s.hash)) continue;
        if (seen_.crowded() && !make_room()) return false;
        s.node = link(s.node, Move::deal());
        outcome_.best_off = std::max<int>(outcome_.best_off, s.off);
        beam_.push_back(s);
    }
    if (trace_ != nullptr) trace_->level(beam_, {}, next, next.rows_left());
    return !beam_.empty();
}

template <int kColumns>
void Beam::run(const Position& start, const Weights& weights) {
    std::vector<Stage> stages;
    stages.emplace_back(start.rules(), weights, start.stock());
    while (!stages.back().last()) stages.emplace_back(start.rules(), weights, stages.back().after_deal());

    State root = pack(start);
    rate(root, stages[0]);
    root.node = link(kRoot, Move{});
    seen_.insert_in_place(root.hash);
    beam_.assign(1, root);
    for (size_t k = 0; k < stages.size(); ++k) {
        outcome_.stage = static_cast<int>(k);
        const bool last = k + 1 == stages.size();
        if (!run_stage<kColumns>(stages[k], last ? nullptr : &stages[k + 1])) return;
        if (last || !start_next_stage(stages[k + 1])) return;
    }
}

BeamOutcome Beam::search(const Position& start, const Weights& weights, const BeamStep& step, Meter& meter,
                         uint64_t memory_bytes, Trace* trace) {
    trace_ = trace;
    step_ = step;
    meter_ = &meter;
    outcome_ = {};
    move_limit_ = start.rules().move_limit;
    memory_bytes_ = memory_bytes;
    links_.clear();
    seen_.reset();
    if (start.won()) {
        outcome_.won = true;
    } else if (width_bytes() + seen_.bytes() > memory_bytes) {
        outcome_.memory = true;
    } else {
        reserve();
        switch (start.columns()) {
            case 7: run<7>(start, weights); break;
            case 10: run<10>(start, weights); break;
            default: run<0>(start, weights);
        }
    }
    return std::move(outcome_);
}

}  // namespace spidervet
