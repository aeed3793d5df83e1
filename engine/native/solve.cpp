#include "solve.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "exhaust.hpp"
#include "random.hpp"
#include "shorten.hpp"

namespace spidervet {
namespace {

// The search's own check of itself; the judge is engine/game.py.
void replay(const Position& start, const std::vector<Move>& line) {
    Position p = start;
    Effects effects;
    for (const Move m : line) {
        if (!p.legal(m)) throw std::logic_error("the search found an illegal move " + m.text());
        p.apply(m, effects);
    }
    if (!p.won()) throw std::logic_error("the search found a line that does not win");
}

SearchResult unknown(Reason reason) { return {Verdict::Unknown, reason, {}, {}}; }

ScheduleStep step_at(const Schedule& schedule, size_t i) {
    const size_t n = schedule.steps.size();
    if (i < n) return schedule.steps[i];
    const size_t widen = static_cast<size_t>(schedule.widen);
    ScheduleStep step = schedule.steps[n - widen + (i - n) % widen];
    const size_t doublings = std::min<size_t>((i - n) / widen + 1, 20);
    step.beam.width = static_cast<int>(std::min<int64_t>(int64_t{step.beam.width} << doublings, 1 << 26));
    if (step.nodes < UINT64_MAX >> doublings) step.nodes <<= doublings;
    return step;
}

// The vector of a restart: for each number of stock rows left one of the schedule's own, every weight varied.
Weights varied(const std::vector<Weights>& vectors, int spread, Random& random) {
    size_t rows = 0;
    for (const Weights& w : vectors) rows = std::max(rows, w.by_rows_left.size());
    Weights out;
    for (size_t row = 0; row < rows; ++row) {
        const auto& from = vectors[random.below(vectors.size())].by_rows_left;
        out.by_rows_left.push_back(from[std::min(row, from.size() - 1)]);
        for (int32_t& weight : out.by_rows_left.back()) {
            const auto factor = static_cast<int64_t>(random.below(2 * static_cast<uint64_t>(spread) + 1)) + 1000 - spread;
            weight = static_cast<int32_t>(weight * factor / 1000);
        }
    }
    return out;
}

}  // namespace

void check(const Schedule& schedule) {
    if (schedule.steps.empty()) throw std::invalid_argument("schedule: no steps");
    if (schedule.widen < 0 || schedule.widen > static_cast<int>(schedule.steps.size()))
        throw std::invalid_argument("schedule: widen is out of range");
    for (const ScheduleStep& step : schedule.steps) {
        if (step.weights < ScheduleStep::kRestarts || step.weights >= static_cast<int>(schedule.weights.size()))
            throw std::invalid_argument("schedule: no weight vector " + std::to_string(step.weights));
        if (!step.exhaustive() && (step.beam.width < 1 || step.beam.width > 1 << 26))
            throw std::invalid_argument("schedule: width " + std::to_string(step.beam.width) + " is out of range");
        if (step.beam.patience < 1 || step.beam.last_patience < 1)
            throw std::invalid_argument("schedule: patience below 1");
        if (step.beam.noise < 0 || step.beam.noise > 1 << 20) throw std::invalid_argument("schedule: noise is out of range");
        if (step.spread < 0 || step.spread > 1000) throw std::invalid_argument("schedule: spread is out of range");
        if (step.restarts() && schedule.weights.empty()) throw std::invalid_argument("schedule: restarts without vectors");
    }
}

namespace {

// One deal under a schedule: which steps are still worth taking.
class Run {
public:
    Run(const Position& start, const Schedule& schedule, Meter& meter, uint64_t memory_bytes, Beam& beam,
        Progress& progress)
        : start_(start), schedule_(schedule), meter_(meter), memory_bytes_(memory_bytes), beam_(beam), progress_(progress) {}

    SearchResult result() {
        const size_t listed = schedule_.steps.size();
        const size_t round = static_cast<size_t>(schedule_.widen);
        for (size_t i = 0; i < listed || (round > 0 && worth_a_round()); ++i) {
            const ScheduleStep step = step_at(schedule_, i);
            progress_.step = static_cast<int>(i);
            if (!worth(step)) continue;
            meter_.begin_slice(step.nodes);
            const SearchResult result = taken(step);
            meter_.end_slice();
            if (result.verdict != Verdict::Unknown) return result;
            if (meter_.stopped()) return unknown(meter_.reason());
        }
        return unknown(beam_full_ || exhaust_full_ ? Reason::Memory : Reason::Nodes);
    }

private:
    SearchResult taken(const ScheduleStep& step) {
        if (step.exhaustive()) return exhausted();
        if (step.restarts()) return restarted(step);
        return beamed(step, schedule_.weights[static_cast<size_t>(step.weights)]);
    }

    bool worth(const ScheduleStep& step) const {
        if (step.exhaustive()) return !exhaust_full_;
        return !beam_complete_ && (!beam_full_ || step.beam.width < full_width_);
    }

    // Whether any of the steps that repeat, wider each time, can still do more than before.
    bool worth_a_round() const {
        const auto first = schedule_.steps.end() - schedule_.widen;
        return std::any_of(first, schedule_.steps.end(), [&](const ScheduleStep& step) {
            return step.exhaustive() ? !exhaust_full_ : !beam_complete_ && !beam_full_;
        });
    }

    SearchResult beamed(const ScheduleStep& step, const Weights& weights) {
        const BeamOutcome outcome = beam_.search(start_, weights, step.beam, meter_, memory_bytes_);
        progress_.best_off = std::max(progress_.best_off, outcome.best_off);
        progress_.stage = std::max(progress_.stage, outcome.stage);
        if (outcome.won) return {Verdict::Solved, Reason::None, outcome.line, {}};
        if (outcome.memory) {
            full_width_ = beam_full_ ? std::min(full_width_, step.beam.width) : step.beam.width;
            beam_full_ = true;
        } else if (!meter_.stopped()) {
            beam_complete_ |= outcome.complete;
        }
        return unknown(Reason::Nodes);
    }

    // Beams under vectors drawn at random, one after another. As many nodes go to each width: the k-th run is as many
    // times doubled as k is divisible by two (Luby, Sinclair and Zuckerman 1993), narrower where memory wants it.
    SearchResult restarted(const ScheduleStep& step) {
        Random random(restart_seed_++);
        ScheduleStep beam = step;
        for (uint64_t k = 1; !meter_.stopped(); ++k) {
            const Weights weights = varied(schedule_.weights, step.spread, random);
            beam.beam.drop_stuck = true;
            beam.beam.every_empty = random.below(2) == 1;
            beam.beam.seed = random.next();
            beam.beam.width = step.beam.width << std::min(std::countr_zero(k), kMostDoublings);
            while (beam.beam.width > 1 && !worth(beam)) beam.beam.width /= 2;
            if (!worth(beam)) break;
            const SearchResult result = beamed(beam, weights);
            if (result.verdict != Verdict::Unknown) return result;
        }
        return unknown(Reason::Nodes);
    }

    SearchResult exhausted() {
        SearchResult result = exhaust(start_, meter_, memory_bytes_);
        exhaust_full_ |= result.verdict == Verdict::Unknown && result.reason == Reason::Memory;
        return result;
    }

    const Position& start_;
    const Schedule& schedule_;
    Meter& meter_;
    uint64_t memory_bytes_;
    Beam& beam_;
    Progress& progress_;
    static constexpr int kMostDoublings = 8;
    uint64_t restart_seed_ = 1;
    bool exhaust_full_ = false;   // more nodes will not help the exhaustive search
    bool beam_full_ = false;      // nor a beam of this width or more
    int full_width_ = 0;
    bool beam_complete_ = false;  // a beam dropped nothing: a wider one would do the same
};

}  // namespace

SearchResult solve(const Position& start, const Schedule& schedule, Meter& meter, uint64_t memory_bytes, Beam& beam,
                   Progress& progress) {
    if (start.won()) return {Verdict::Solved, Reason::None, {}, {}};
    SearchResult result = Run(start, schedule, meter, memory_bytes, beam, progress).result();
    if (result.verdict == Verdict::Solved) replay(start, result.line);
    return result;
}

std::vector<Move> shorter(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes) {
    std::vector<Move> out = shorten(start, line, meter, memory_bytes);
    replay(start, out);
    return out;
}

}  // namespace spidervet
