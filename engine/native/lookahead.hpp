// The players' look ahead: a beam over moves from a position as seen. Cards that would turn up stay unknown,
// so a line may run past its first surprise, but never uses what it could not know.
#pragma once

#include <cstdint>
#include <vector>

#include "advice.hpp"
#include "seen_board.hpp"
#include "control.hpp"
#include "hand_rating.hpp"
#include "hash_set.hpp"
#include "view.hpp"

namespace spidervet {

struct Node {
    SeenBoard board;
    uint64_t hash = 0;
    int32_t rating = 0;  // with the line's own bonuses
    int32_t bonus = 0;   // of the line: steps and advice
    uint32_t parent = 0;
    Move move{};
    uint16_t depth = 0;
    uint8_t gained = 0;  // sequences that the line took off

    // The line turned up a card or took a sequence off.
    bool progress() const { return board.turned > 0 || gained > 0; }
};

struct Effort {
    int width = 64;
    int depth = 14;
    int patience = 0;  // levels without a better progress leaf before the look ends; 0: never
};

class Lookahead {
public:
    // control: counts nodes and may cancel; a look cut short keeps what it found.
    Lookahead(const Rules& rules, const HandWeights& weights, const Advice& advice, Control& control)
        : rules_(rules), rater_(rules, weights), pool_(rater_), advice_(advice), control_(control) {}

    // Fills nodes() with what was kept, level by level, the root first.
    void run(const View& view, const Effort& effort);
    // Then: from the best-rated positions found without surprise, fill empty columns so that the stock may be
    // dealt. Nodes of this part come after first_filled().
    void fill(const View& view, const Effort& effort);

    const std::vector<Node>& nodes() const { return nodes_; }
    size_t first_filled() const { return first_filled_; }
    const ColumnPool& pool() const { return pool_; }
    // Actions from the root to a node.
    void line(size_t node, std::vector<Move>& out) const;
    // Child positions rated so far, duplicates included.
    uint64_t rated() const { return rated_; }

private:
    struct Candidate {
        uint64_t hash;
        int32_t rating;
        int32_t bonus;  // of this action
        uint32_t parent;
        uint16_t move;
        uint8_t leaving;  // sequences that leave: the target's, and 16 times the source's
    };
    void start(const View& view);
    void levels(const View& view, const Effort& effort, size_t begin);
    void expand(uint32_t index, int stock);
    int32_t advised(const SeenBoard& board, int source, int target, int count) const;
    int lift(const SeenBoard& board, int column) const;
    void offer(uint32_t index, int source, int target, int count, int stock);
    int take(const SeenBoard& board, int column, int size, int stock, Fold& fold) const;
    void offer_removals(uint32_t index, int stock);
    void candidate(uint32_t index, uint64_t hash, int32_t rating, int32_t bonus, Move move, int leaving);
    void build(const Candidate& c);

    const Rules& rules_;
    HandRater rater_;
    ColumnPool pool_;
    Advice advice_;
    Control& control_;
    int32_t fill_bonus_ = 0;  // kFillBonus while filling
    std::vector<Node> nodes_;
    size_t first_filled_ = 0;
    std::vector<Candidate> candidates_;
    HashSet seen_;
    uint64_t rated_ = 0;
    uint64_t reported_ = 0;
};

}  // namespace spidervet
