// What every search of the core takes and answers: verdicts, and a meter that counts nodes against a budget.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "control.hpp"
#include "position.hpp"

namespace spidervet {

// The numbers are the order of the values in engine/solver.py; None is no reason at all.
enum class Verdict : uint8_t { Solved, Unsolvable, Unknown };
enum class Reason : uint8_t { Nodes, Memory, Seconds, Cancelled, None };

struct SearchResult {
    Verdict verdict = Verdict::Unknown;
    Reason reason = Reason::None;  // why Unknown
    std::vector<Move> line;        // from the start to the win, if Solved
    std::string certificate;       // how Unsolvable was proved
};

// Counts the nodes of one deal (every rated child, duplicates included) against its budget. The cancel flag
// and the clock are looked at every kLook nodes. Once stopped it stays so.
class Meter {
public:
    static constexpr uint64_t kLook = 4096;

    // seconds: a safety net, 0 for none. control may be null.
    Meter(uint64_t budget, double seconds = 0, Control* control = nullptr)
        : budget_(budget), control_(control), timed_(seconds > 0) {
        if (timed_) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        plan_look();
    }

    // Counts n nodes; false if the search must stop.
    bool spend(uint64_t n) {
        nodes_ += n;
        return nodes_ < next_ || look();
    }
    // Adds what was counted to the caller's Control.
    void report() {
        if (control_ != nullptr) control_->nodes += nodes_ - reported_;
        reported_ = nodes_;
    }
    bool stopped() const { return reason_ != Reason::None; }
    Reason reason() const { return reason_; }
    uint64_t nodes() const { return nodes_; }
    uint64_t left() const { return nodes_ < budget_ ? budget_ - nodes_ : 0; }

    // Until end_slice, the search also stops (with Reason::Nodes) after n more nodes: one step of a schedule.
    // The steps of a schedule do not depend on the budget, which only cuts them short.
    void begin_slice(uint64_t n) {
        slice_end_ = n < UINT64_MAX - nodes_ ? nodes_ + n : UINT64_MAX;
        plan_look();
    }
    void end_slice() {
        slice_end_ = UINT64_MAX;
        if (reason_ == Reason::Nodes && nodes_ < budget_) reason_ = Reason::None;
        plan_look();
    }

private:
    using Clock = std::chrono::steady_clock;

    bool look();
    void plan_look() { next_ = std::min({nodes_ + kLook, budget_, slice_end_}); }

    uint64_t nodes_ = 0;
    uint64_t next_ = 0;
    uint64_t reported_ = 0;
    uint64_t budget_;
    uint64_t slice_end_ = UINT64_MAX;
    Control* control_;
    bool timed_;
    Clock::time_point deadline_;
    Reason reason_ = Reason::None;
};

inline bool Meter::look() {
    report();
    if (stopped()) return false;
    if (nodes_ >= budget_ || nodes_ >= slice_end_) reason_ = Reason::Nodes;
    else if (control_ != nullptr && control_->cancelled) reason_ = Reason::Cancelled;
    else if (timed_ && Clock::now() >= deadline_) reason_ = Reason::Seconds;
    plan_look();
    return !stopped();
}

// Delivered by exhaust.cpp and shorten.cpp; called by the schedule (solve.cpp):
//   SearchResult exhaust(const Position& start, Meter& meter, uint64_t memory_bytes);
//   std::vector<Move> shorten(const Position& start, const std::vector<Move>& line, Meter& meter, uint64_t memory_bytes);

}  // namespace spidervet
