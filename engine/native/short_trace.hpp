// What a beam for short lines held at the levels that a known short line passes: for learning which position to keep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packed.hpp"
#include "random.hpp"
#include "trace.hpp"

namespace spidervet {

class ShortTrace {
public:
    // others: positions of a level beside the line's. Throws invalid_argument for a line that is not legal from `start`.
    ShortTrace(const Position& start, std::span<const Move> line, uint64_t seed, int others);

    // What the beam kept as many actions after a stock deal as `actions`.
    void level(const std::vector<State>& beam, const Stage& stage, size_t actions) { pick(beam, stage, actions); }
    // Of what a stage begins with more is taken: there is the choice between all that the stage before came to.
    void pool(const std::vector<State>& kept, const Stage& stage) {
        for (int k = 0; k < 3; ++k) pick(kept, stage, 0);
    }

    // In the order of the beam; each level's first is the position on the line.
    const std::vector<Trace::Example>& examples() const { return examples_; }

private:
    void pick(const std::vector<State>& states, const Stage& stage, size_t actions);

    static constexpr size_t kLeast = 4;  // positions of a level; fewer are no choice
    std::vector<std::vector<State>> line_;  // by stock rows left, then by actions in the stage
    Random random_;
    int others_;
    int levels_ = 0;
    std::vector<Trace::Example> examples_;
};

}  // namespace spidervet
