// A sound test for lost positions by counting places: which columns can be dug up, in some order, if cards that
// have come loose may lie wherever there is room for their rank (docs/proofs.md).
#pragma once

#include <vector>

#include "board.hpp"

namespace spidervet {

inline constexpr int kDiggingLooks = 256;

// Remembers answers: positions that differ only in where the loose cards lie have the same one. What it remembers
// changes no answer.
class DiggingTest {
public:
    DiggingTest() : answers_(kAnswers) {}

    // True only if the position cannot be won. False says nothing; it is also the answer after kDiggingLooks.
    bool dead(const Board& board);

    static constexpr uint64_t bytes() { return kAnswers * sizeof(Answer); }

private:
    static constexpr size_t kAnswers = 1 << 16;
    struct Answer {
        Hash128 key;  // its lowest bit is the answer
    };
    std::vector<Answer> answers_;
};

}  // namespace spidervet
