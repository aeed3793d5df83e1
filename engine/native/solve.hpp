// The schedule of one deal: beams from narrow to wide under several weight vectors, and the exhaustive search
// where the schedule says so. The sequence of steps does not depend on the budget, which only cuts it: what
// is decided at one budget is decided the same way at every larger one.
#pragma once

#include <vector>

#include "beam.hpp"
#include "search.hpp"

namespace spidervet {

struct ScheduleStep {
    static constexpr int kExhaust = -1, kRestarts = -2;

    int weights = 0;  // which vector, or one of the above
    BeamStep beam;
    uint64_t nodes = UINT64_MAX;  // the most this step may spend

    int spread = 0;                // restarts: a weight is drawn within that many thousandths of its value

    bool exhaustive() const { return weights == kExhaust; }
    bool restarts() const { return weights == kRestarts; }
};

struct Schedule {
    std::vector<Weights> weights;
    std::vector<ScheduleStep> steps;
    // Once the steps are used up: repeats the last `widen` of them again and again, beams twice as wide and
    // caps twice as large each time. 0: gives up.
    int widen = 0;
};

// How far the beams came, for tuning.
struct Progress {
    int best_off = 0;
    int stage = 0;
    int step = 0;  // the step under way at the end, from 0
};

// Throws std::invalid_argument for a schedule that refers to a vector it has not.
void check(const Schedule& schedule);

// Every line is replayed on Position before it is given out; throws std::logic_error if one does not win.
SearchResult solve(const Position& start, const Schedule& schedule, Meter& meter, uint64_t memory_bytes, Beam& beam,
                   Progress& progress);

// A line to the same end without its loops, and shorter as far as the meter's budget allows.
std::vector<Move> shorter(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes);

}  // namespace spidervet
