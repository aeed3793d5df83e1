// What a winning beam passed on its way: for tuning weights by learning which position of a level to keep.
#pragma once

#include <cstdint>
#include <vector>

#include "packed.hpp"
#include "random.hpp"

namespace spidervet {

class Trace {
public:
    struct Example {
        int level;      // examples of one level belong together
        int rows_left;  // stock rows
        bool on_line;   // on the line that won; one a level
        State state;
    };

    explicit Trace(uint64_t seed, int others) : random_(seed), others_(others) {}

    // The positions kept at a level, and the beam they came from; that may be empty.
    void level(const std::vector<State>& beam, const std::vector<State>& parents, const Stage& parent_stage,
               int rows_left);
    // The examples, given the nodes on the line: per level the one on it, some of the beam, some of all children.
    std::vector<Example> examples(const std::vector<uint32_t>& line_nodes);

private:
    struct Level {
        int rows_left;
        std::vector<State> beam;
        std::vector<State> children;
    };

    Random random_;
    int others_;
    std::vector<Level> levels_;
};

}  // namespace spidervet
