#include "shorten.hpp"

#include <algorithm>
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
    void beam_round(const ShortWeights& weights, const ShortBeamStep& step);
    void windows();
    bool pass(size_t length, uint64_t nodes);

    const Position& start_;
    std::vector<Move> line_;
    Meter& meter_;
    uint64_t memory_bytes_;
    ShortBeam beam_;
};

// Beams in which actions cost: from the start, and from where each stock deal of the line has been made.
void Shortening::beam_round(const ShortWeights& weights, const ShortBeamStep& step) {
    std::vector<size_t> starts{0};
    for (size_t i = 0; i < line_.size(); ++i)
        if (line_[i].is_deal()) starts.push_back(i + 1);
    for (size_t k = 0; k < starts.size() && !meter_.stopped(); ++k) {
        Position from = start_;
        Effects effects;
        for (size_t i = 0; i < starts[k]; ++i) from.apply(line_[i], effects);
        const int below = static_cast<int>(line_.size() - starts[k]);
        const std::vector<Move> rest = beam_.search(from, weights, step, below, meter_, memory_bytes_);
        if (rest.empty()) continue;
        line_.resize(starts[k]);
        line_.insert(line_.end(), rest.begin(), rest.end());
        // Deals lie elsewhere now.
        starts.resize(k + 1);
        for (size_t i = starts[k]; i < line_.size(); ++i)
            if (line_[i].is_deal()) starts.push_back(i + 1);
    }
}

// Wider and wider, at each width under several vectors and costs: what one finds long another finds short. A round
// that would hardly get far is left out; the windows keep a twentieth.
void Shortening::beams() {
    struct Round {
        int vector, width, percent;
    };
    constexpr Round kRounds[] = {
        {0, 100, 100},  {1, 100, 65},   {2, 100, 70},                                                        //
        {1, 400, 80},   {2, 400, 80},   {0, 400, 110},  {3, 400, 80},  {1, 400, 65},   {0, 400, 90},          //
        {1, 1600, 80},  {2, 1600, 80},  {0, 1600, 110}, {3, 1600, 80}, {1, 1600, 65},  {0, 1600, 90},         //
        {1, 6400, 80},  {2, 6400, 80},  {0, 6400, 110}, {3, 6400, 80}, {1, 6400, 65},  {0, 6400, 90}};
    constexpr uint64_t kNodesAnAction = 50;  // and position kept: what a round takes at least, with ten columns
    const uint64_t kept = meter_.left() / 20;
    for (const Round& round : kRounds) {
        const uint64_t least = static_cast<uint64_t>(round.width) * line_.size() * kNodesAnAction;
        if (meter_.stopped() || meter_.left() < kept + least) continue;
        meter_.begin_slice(meter_.left() - kept);
        beam_round(short_weights(round.vector), {round.width, round.percent});
        meter_.end_slice();
    }
}

// One look at every window of a length. True if the line has become shorter.
bool Shortening::pass(size_t length, uint64_t nodes) {
    bool any = false;
    Window window(meter_, memory_bytes_);
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
