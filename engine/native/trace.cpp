#include "trace.hpp"

#include <algorithm>

#include "expand.hpp"

namespace spidervet {
namespace {

struct AllMoves {
    std::vector<Move> moves{};
    int32_t cut = INT32_MIN;

    void offer(int32_t, uint64_t, Move move) { moves.push_back(move); }
    void slow(Move move) { moves.push_back(move); }
};

}  // namespace

void Trace::level(const std::vector<State>& beam, const std::vector<State>& parents, const Stage& stage, int rows_left) {
    Level out{rows_left, beam, {}};
    Scratch scratch;
    for (int k = 0; k < others_ && !parents.empty(); ++k) {
        const State& parent = parents[random_.below(parents.size())];
        load(parent, stage, stage.rules.columns, scratch);
        AllMoves sink;
        expand<0>(parent, stage, scratch, MoveFilter{}, sink);
        if (sink.moves.empty()) continue;
        State child;
        make_child(parent, sink.moves[random_.below(sink.moves.size())], stage, child);
        rate(child, stage);
        out.children.push_back(child);
    }
    levels_.push_back(std::move(out));
}

std::vector<Trace::Example> Trace::examples(const std::vector<uint32_t>& line_nodes) {
    std::vector<Example> out;
    for (size_t i = 0; i < levels_.size(); ++i) {
        const Level& level = levels_[i];
        const auto on_line = [&](const State& s) {
            return std::find(line_nodes.begin(), line_nodes.end(), s.node) != line_nodes.end();
        };
        const auto found = std::find_if(level.beam.begin(), level.beam.end(), on_line);
        if (found == level.beam.end()) continue;
        out.push_back({static_cast<int>(i), level.rows_left, true, *found});
        for (int k = 0; k < others_ && level.beam.size() > 1; ++k) {
            const State& s = level.beam[random_.below(level.beam.size())];
            if (s.hash != found->hash) out.push_back({static_cast<int>(i), level.rows_left, false, s});
        }
        for (const State& s : level.children)
            if (s.hash != found->hash) out.push_back({static_cast<int>(i), level.rows_left, false, s});
    }
    return out;
}

}  // namespace spidervet
