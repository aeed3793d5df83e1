// A beam search for short lines: as beam.hpp, but every action costs rating, so that positions of one stage
// compete by what they reached for how many actions; and what cannot beat the shortest line known is dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "expand.hpp"
#include "hash_set.hpp"
#include "packed.hpp"
#include "ranking.hpp"
#include "search.hpp"
#include "short_trace.hpp"
#include "short_weights.hpp"

namespace spidervet {

struct ShortBeamStep {
    int width = 100;
    int percent = 100;   // of the vector's own cost of an action
    int patience = 6;    // levels without improvement that end a stage
};

class ShortBeam {
public:
    // A line shorter than `below` actions from `start` to the win, or nothing. trace: told of every level.
    std::vector<Move> search(const Position& start, const ShortWeights& weights, const ShortBeamStep& step, int below,
                             Meter& meter, uint64_t memory_bytes, ShortTrace* trace = nullptr);

private:
    struct Sink;

    template <int kColumns>
    void run(const Position& start);
    template <int kColumns>
    bool run_stage(const Stage& stage, const Stage* next);
    template <int kColumns>
    bool expand_level(const Stage& stage, const Stage* next);
    void offer_deal(const State& parent, const Stage& stage, const Stage& next);
    void admit();
    void select(const Stage& stage);
    bool start_next_stage(const Stage& next);
    void win(uint32_t node, Move last);
    bool hopeless(const State& s, const Stage& stage) const;
    bool make_room();
    uint64_t bytes() const;
    uint32_t link(uint32_t parent, Move move) {
        links_.push_back({parent, move});
        return static_cast<uint32_t>(links_.size() - 1);
    }

    int cost(const Stage& stage) const { return weights_->cost(stage.rows_left()) * step_.percent / 100; }

    ShortBeamStep step_;
    const ShortWeights* weights_ = nullptr;
    Meter* meter_ = nullptr;
    uint64_t memory_bytes_ = 0;
    int below_ = 0;
    ShortTrace* trace_ = nullptr;
    std::vector<Move> line_;
    std::vector<Link> links_;
    HashSet seen_;
    std::vector<State> beam_, next_;
    std::vector<Candidate> candidates_;
    // Candidates wait a little between their prefetch and their look-up; the outcome is as if they had not.
    static constexpr int kWaiting = 32;
    Candidate waiting_[kWaiting];
    int waiting_count_ = 0;
    int32_t cut_ = 0;  // candidates rated lower, price taken off, cannot be kept
    std::vector<State> pool_;
    int32_t pool_cut_ = 0;
    int32_t pool_best_ = 0;
    std::vector<uint64_t> keys_;
};

}  // namespace spidervet
