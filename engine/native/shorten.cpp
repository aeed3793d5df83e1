#include "shorten.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "board.hpp"
#include "moves.hpp"
#include "short_beam.hpp"
#include "window.hpp"

namespace spidervet {
namespace {

// A line as the positions it goes through. Two positions that differ in the order of columns alone are one
// once the stock is gone, so that moves are found anew when the line is played.
using Trail = std::vector<Hash128>;

Trail trail_of(const Position& start, const std::vector<Move>& line) {
    Board board(start, true);
    Trail out{board.hash()};
    for (const Move m : line) {
        board.apply(m);
        out.push_back(board.hash());
    }
    return out;
}

// The first move in canonical order to each next position. Empty if there is none, which would be a fault.
std::vector<Move> played(const Position& start, const Trail& trail) {
    Board board(start, true);
    for (size_t i = 1; i < trail.size(); ++i) {
        Move found{};
        bool any = false;
        each_move(board, {}, [&](Move m) {
            if (!any && board.hash_after(m) == trail[i]) {
                found = m;
                any = true;
            }
        });
        if (!any) return {};
        board.apply(found);
    }
    return board.line();
}

// The shortest way from the first to the last position that uses positions of the trail only, by any move.
Trail short_cut(const Position& start, const std::vector<Move>& line) {
    const Trail trail = trail_of(start, line);
    std::unordered_map<Hash128, uint32_t, HashOfHash> place;
    for (size_t i = 0; i < trail.size(); ++i) place.try_emplace(trail[i], static_cast<uint32_t>(i));
    const uint32_t last = place.at(trail.back());

    std::vector<std::vector<uint32_t>> next(trail.size());
    Board board(start, true);
    for (size_t i = 0; i < trail.size(); ++i) {
        if (place.at(trail[i]) == i)
            each_move(board, {true, true}, [&](Move m) {
                const auto found = place.find(board.hash_after(m));
                if (found != place.end()) next[i].push_back(found->second);
            });
        if (i < line.size()) board.apply(line[i]);
    }
    std::vector<uint32_t> from(trail.size(), UINT32_MAX), queue{0};
    from[0] = 0;
    for (size_t q = 0; q < queue.size() && from[last] == UINT32_MAX; ++q)
        for (const uint32_t j : next[queue[q]])
            if (from[j] == UINT32_MAX) {
                from[j] = queue[q];
                queue.push_back(j);
            }
    Trail out{trail[last]};
    for (uint32_t i = last; i != 0; i = from[i]) out.push_back(trail[from[i]]);
    std::reverse(out.begin(), out.end());
    return out;
}

class Shortening {
public:
    Shortening(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes)
        : start_(start), line_(line), meter_(meter), memory_bytes_(memory_bytes) {}

    std::vector<Move> run() {
        take(played(start_, short_cut(start_, line_)));
        beams();
        windows();
        return line_;
    }

private:
    void take(const std::vector<Move>& line) {
        if (!line.empty() && line.size() < line_.size()) line_ = line;
    }
    void beams();
    void beam_round(const ShortBeamStep& step);
    void windows();
    bool pass(size_t length, uint64_t nodes);

    const Position& start_;
    std::vector<Move> line_;
    Meter& meter_;
    uint64_t memory_bytes_;
    ShortBeam beam_;
};

// Tuned for the length of four-suit lines found at width 100 where an action costs 356, on numbers that no
// figure is told of; the order is that of `Feature`.
Weights short_weights() {
    constexpr std::array<int32_t, kFeatures> kWeights{365, -437, -212, -106, 626, -245, -90, 569, 38, 374, 5200,
                                                      9,   -5,   30,   -8,   -21, 19,   -25, 33,  15, 10,  -12};
    return weights_of(kWeights);
}

// Beams in which actions cost: from the start, and from where each stock deal of the line has been made.
void Shortening::beam_round(const ShortBeamStep& step) {
    std::vector<size_t> starts{0};
    for (size_t i = 0; i < line_.size(); ++i)
        if (line_[i].is_deal()) starts.push_back(i + 1);
    for (size_t k = 0; k < starts.size() && !meter_.stopped(); ++k) {
        Position from = start_;
        Effects effects;
        for (size_t i = 0; i < starts[k]; ++i) from.apply(line_[i], effects);
        const int below = static_cast<int>(line_.size() - starts[k]);
        const std::vector<Move> rest = beam_.search(from, short_weights(), step, below, meter_, memory_bytes_);
        if (rest.empty()) continue;
        line_.resize(starts[k]);
        line_.insert(line_.end(), rest.begin(), rest.end());
        // Deals lie elsewhere now.
        starts.resize(k + 1);
        for (size_t i = starts[k]; i < line_.size(); ++i)
            if (line_[i].is_deal()) starts.push_back(i + 1);
    }
}

// Wider and wider. Each round uses at most half of what is left, so that the windows get their share.
void Shortening::beams() {
    constexpr ShortBeamStep kSteps[] = {{100, 280, 6}, {100, 360, 6}, {400, 320, 6}, {400, 400, 6},
                                        {1600, 360, 6}, {1600, 280, 6}, {6400, 400, 6}, {6400, 320, 6},
                                        {25600, 360, 6}};
    for (const ShortBeamStep& step : kSteps) {
        if (meter_.stopped() || meter_.left() < static_cast<uint64_t>(step.width) * 1000) return;
        meter_.begin_slice(meter_.left() / 2);
        beam_round(step);
        meter_.end_slice();
    }
}

// One look at every window of a length. True if the line has become shorter.
bool Shortening::pass(size_t length, uint64_t nodes) {
    bool any = false;
    Window window(meter_);
    Board from(start_, true), to(start_, true);
    for (size_t i = 0; i + 2 <= line_.size() && !meter_.stopped(); i += std::max<size_t>(1, length / 3)) {
        const size_t end = std::min(i + length, line_.size());
        while (from.depth() < i) from.apply(line_[from.depth()]);
        while (to.depth() > end) to.undo();
        while (to.depth() < end) to.apply(line_[to.depth()]);
        const std::vector<Hash128> way = window.search(from, to, static_cast<int>(end - i) - 1, nodes);
        if (way.empty()) continue;
        Trail trail = trail_of(start_, line_);
        trail.erase(trail.begin() + static_cast<long>(i) + 1, trail.begin() + static_cast<long>(end) + 1);
        trail.insert(trail.begin() + static_cast<long>(i) + 1, way.begin(), way.end());
        take(played(start_, trail));
        any = true;
        // The same positions may now be reached by other columns.
        while (from.depth() > 0) from.undo();
        while (to.depth() > 0) to.undo();
    }
    return any;
}

void Shortening::windows() {
    for (uint64_t nodes = 20'000; !meter_.stopped() && meter_.left() > nodes; nodes *= 4)
        for (const size_t length : {6, 10, 16, 24, 36, 52})
            while (!meter_.stopped() && pass(length, nodes)) {}
}

}  // namespace

std::vector<Move> shorten(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes) {
    return Shortening(start, line, meter, memory_bytes).run();
}

}  // namespace spidervet
