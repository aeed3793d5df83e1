#include "solve.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

}  // namespace

void check(const Schedule& schedule) {
    if (schedule.steps.empty()) throw std::invalid_argument("schedule: no steps");
    if (schedule.widen < 0 || schedule.widen > static_cast<int>(schedule.steps.size()))
        throw std::invalid_argument("schedule: widen is out of range");
    for (const ScheduleStep& step : schedule.steps) {
        if (step.weights < -1 || step.weights >= static_cast<int>(schedule.weights.size()))
            throw std::invalid_argument("schedule: no weight vector " + std::to_string(step.weights));
        if (step.weights >= 0 && (step.beam.width < 1 || step.beam.width > 1 << 26))
            throw std::invalid_argument("schedule: width " + std::to_string(step.beam.width) + " is out of range");
        if (step.beam.patience < 1 || step.beam.last_patience < 1)
            throw std::invalid_argument("schedule: patience below 1");
    }
}

SearchResult solve(const Position& start, const Schedule& schedule, Meter& meter, uint64_t memory_bytes, Beam& beam,
                   Progress& progress) {
    if (start.won()) return {Verdict::Solved, Reason::None, {}, {}};
    bool memory = false, complete = false;
    for (size_t i = 0; i < schedule.steps.size() || (schedule.widen > 0 && !memory && !complete); ++i) {
        const ScheduleStep step = step_at(schedule, i);
        progress.step = static_cast<int>(i);
        if (step.weights < 0 || complete) continue;
        meter.begin_slice(step.nodes);
        const BeamOutcome outcome =
            beam.search(start, schedule.weights[static_cast<size_t>(step.weights)], step.beam, meter, memory_bytes);
        progress.best_off = std::max(progress.best_off, outcome.best_off);
        progress.stage = std::max(progress.stage, outcome.stage);
        memory |= outcome.memory;
        if (outcome.won) {
            replay(start, outcome.line);
            return {Verdict::Solved, Reason::None, outcome.line, {}};
        }
        const bool capped = meter.stopped();
        meter.end_slice();
        complete = outcome.complete && !outcome.memory && !capped;
        if (meter.stopped()) return unknown(meter.reason());
    }
    return unknown(memory ? Reason::Memory : Reason::Nodes);
}

}  // namespace spidervet
