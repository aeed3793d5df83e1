// One beam search of one deal: stage by stage between stock deals, level by level inside a stage, the best
// positions of each level kept (docs/solver.md). Heuristic: it finds lines and proves nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "expand.hpp"
#include "hash_set.hpp"
#include "packed.hpp"
#include "ranking.hpp"
#include "search.hpp"
#include "trace.hpp"

namespace spidervet {

struct BeamStep {
    int width = 50;         // positions kept a level
    int patience = 8;       // levels without improvement that end a stage with stock left
    int last_patience = 16; // the same once the stock is gone
    bool every_empty = false;  // move into every empty column while stock remains, not the leftmost only
    bool drop_stuck = false;   // of what the last stock deal leads to, drop what has no move
    int32_t noise = 0;         // below this much is added to a position's rating, by its hash and the seed
    uint64_t seed = 0;
};

struct BeamOutcome {
    bool won = false;
    bool memory = false;     // ended early at its bound on entries
    bool complete = true;    // nothing was dropped: a wider beam would do the same
    std::vector<Move> line;  // if won
    int best_off = 0;        // most sequences off in any position kept
    int32_t best_rating = 0; // of the last stage reached
    int stage = 0;           // stock deals made on the deepest line
};

// The memory of a beam, kept from search to search so that it is not asked for anew.
class Beam {
public:
    // Kept by design: memory_bytes bounds beams, pool, table and lines together, counted in entries.
    BeamOutcome search(const Position& start, const Weights& weights, const BeamStep& step, Meter& meter,
                       uint64_t memory_bytes, Trace* trace = nullptr);

    // Nodes on the line of the last search, if it won.
    std::vector<uint32_t> line_nodes() const;

private:
    struct Sink;

    template <int kColumns>
    void run(const Position& start, const Weights& weights);
    template <int kColumns>
    bool run_stage(const Stage& stage, const Stage* next);
    template <int kColumns>
    bool expand_level(const Stage& stage, const Stage* next);
    int32_t noise(uint64_t hash) const;
    bool stuck(const State& child, const Stage& stage);
    void offer_deal(const State& parent, const Stage& stage, const Stage& next);
    bool select(const Stage& stage);
    void admit();
    void compact();
    void compact_pool();
    bool start_next_stage(const Stage& next);
    void win(uint32_t node, Move last);
    uint32_t link(uint32_t parent, Move move);
    bool make_room();
    void reserve();
    uint64_t width_bytes() const;

    BeamStep step_;
    Meter* meter_ = nullptr;
    uint64_t memory_bytes_ = 0;
    int move_limit_ = 0;
    Trace* trace_ = nullptr;
    uint32_t last_node_ = 0;
    BeamOutcome outcome_;

    std::deque<Link> links_;  // every position kept: how it came about
    // Every candidate of every level. One that fell out of its level is not tried again: that keeps
    // beams apart from their own past and does better than giving it a second chance.
    HashSet seen_;
    std::vector<State> beam_, next_;
    std::vector<Candidate> candidates_;
    static constexpr int kWaiting = 32;
    Candidate waiting_[kWaiting];
    int waiting_count_ = 0;
    int32_t cut_ = 0;          // candidates rated lower cannot be kept
    int32_t gate_ = 0;         // the same of ratings before noise
    std::vector<State> pool_;  // positions after the stock deal
    int32_t pool_cut_ = 0;
    int32_t pool_best_ = 0;
    std::vector<uint64_t> keys_;
};

}  // namespace spidervet
