#include "short_trace.hpp"

#include <stdexcept>

namespace spidervet {

ShortTrace::ShortTrace(const Position& start, std::span<const Move> line, uint64_t seed, int others)
    : random_(seed), others_(others) {
    const Weights plain = weights_of(std::vector<int32_t>(kFeatures, 0));
    Position position = start;
    Effects effects;
    uint16_t depth = 0;
    const auto add = [&] {
        const Stage stage(start.rules(), plain, position.stock());
        State state = pack(position);
        rate(state, stage);  // for its hash
        state.depth = depth++;
        const auto rows = static_cast<size_t>(stage.rows_left());
        if (line_.size() <= rows) line_.resize(rows + 1);
        line_[rows].push_back(state);
    };
    add();
    for (const Move move : line) {
        if (!position.legal(move)) throw std::invalid_argument("line: an action is illegal");
        position.apply(move, effects);
        add();
    }
}

void ShortTrace::pick(const std::vector<State>& states, const Stage& stage, size_t actions) {
    const auto rows = static_cast<size_t>(stage.rows_left());
    if (states.size() < kLeast || rows >= line_.size() || actions >= line_[rows].size()) return;
    const State& wanted = line_[rows][actions];
    examples_.push_back({levels_, stage.rows_left(), true, wanted});
    for (int k = 0; k < others_; ++k) {
        const State& other = states[random_.below(states.size())];
        if (other.hash != wanted.hash) examples_.push_back({levels_, stage.rows_left(), false, other});
    }
    ++levels_;
}

}  // namespace spidervet
