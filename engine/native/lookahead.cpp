#include "lookahead.hpp"

#include <algorithm>
#include <bit>

namespace spidervet {
namespace {

// Far above what any filling costs: while filling, the fewest empty columns come first.
constexpr int32_t kFillBonus = 4000;

// Most looks stay below it, so that the set rarely grows.
uint64_t slots_for(const Effort& effort) { return static_cast<uint64_t>(effort.width) * 256; }

}  // namespace

// Every beginning of every column: prefix(i, k) is column i with its k deepest cards, k from down to size.
struct Lookahead::Reading {
    const SeenBoard& board;
    Fold folds[kMaxCards + kMaxColumns];
    int first[kMaxColumns];        // index of the column's deepest card
    int movable[kMaxColumns];      // cards that lift together at its end
    uint32_t ends[kMaxRanks + 3];  // by rank: columns whose end may be built on
    int empty = -1;                // one empty column, -1 if there is none
    uint64_t hash = 0;
    int32_t rating = 0;

    Reading(const HandRater& rater, const Rules& rules, const SeenBoard& b) : board(b), ends{} {
        int at = 0;
        for (int i = 0; i < rules.columns; ++i) {
            first[i] = at;
            const int size = b.size[i], down = b.down[i];
            Fold* out = folds + at + i;
            out[down] = rater.base(down);
            for (int k = down; k < size; ++k)
                out[k + 1] = rater.step(out[k], below(i, k), b.cards[at + k], down > 0);
            movable[i] = lift(rules, i, out[size].run);
            const Fold whole = prefix(rater, i, size);
            hash += whole.hash;
            rating += whole.rating;
            if (size == 0)
                empty = i;
            else if (size > down)
                ends[rank_of(b.cards[at + size - 1])] |= 1u << i;
            at += size;
        }
    }

    Card card(int i, int k) const { return board.cards[first[i] + k]; }
    Card below(int i, int k) const { return k > 0 ? card(i, k - 1) : kTable; }
    Fold open_prefix(int i, int k) const { return folds[first[i] + i + k]; }
    Fold prefix(const HandRater& rater, int i, int k) const {
        return k == board.down[i] ? rater.bare(k) : open_prefix(i, k);
    }

    int lift(const Rules& rules, int i, int suited_run) const {
        const int up = board.size[i] - board.down[i];
        if (up == 0 || rules.group_move == GroupMove::AnyFaceUp) return up;
        if (rules.group_move == GroupMove::SameSuit) return suited_run;
        int n = 1;
        while (n < up && rank_of(card(i, board.size[i] - n - 1)) == rank_of(card(i, board.size[i] - n)) + 1) ++n;
        return n;
    }
};

void Lookahead::start(const View& view, const Effort& effort) {
    nodes_.clear();
    nodes_.emplace_back();
    Node& root = nodes_.back();
    root.board = board_of(view);
    const Reading r(rater_, rules_, root.board);
    root.hash = r.hash;
    root.rating = r.rating;
    seen_.reset(slots_for(effort));
    seen_.insert(root.hash);
    fill_bonus_ = 0;
    first_filled_ = nodes_.size();
}

void Lookahead::run(const View& view, const Effort& effort) {
    start(view, effort);
    levels(view, effort, 0);
    first_filled_ = nodes_.size();
}

void Lookahead::fill(const View& view, const Effort& effort) {
    std::vector<uint32_t> seeds;
    for (size_t i = 0; i < first_filled_; ++i)
        if (nodes_[i].board.turned == 0) seeds.push_back(static_cast<uint32_t>(i));
    std::stable_sort(seeds.begin(), seeds.end(),
                     [&](uint32_t a, uint32_t b) { return nodes_[a].rating > nodes_[b].rating; });
    if (seeds.size() > static_cast<size_t>(effort.width)) seeds.resize(static_cast<size_t>(effort.width));
    seen_.reset(slots_for(effort));
    fill_bonus_ = kFillBonus;
    const size_t begin = nodes_.size();
    for (const uint32_t s : seeds) {
        const Node copy = nodes_[s];
        nodes_.push_back(copy);
        nodes_.back().rating -= fill_bonus_ * copy.board.empties;
        seen_.insert(copy.hash);
    }
    levels(view, effort, begin);
}

void Lookahead::levels(const View& view, const Effort& effort, size_t begin) {
    int32_t best = INT32_MIN;
    int stale = 0;
    for (int depth = 0; depth < effort.depth; ++depth) {
        const size_t end = nodes_.size();
        candidates_.clear();
        for (size_t i = begin; i < end && !control_.cancelled; ++i) expand(static_cast<uint32_t>(i), view.stock);
        control_.nodes += rated_ - reported_;
        reported_ = rated_;
        if (candidates_.empty()) return;
        // Hashes differ, so the order is total and the same with every library.
        auto better = [](const Candidate& a, const Candidate& b) {
            return a.rating != b.rating ? a.rating > b.rating : a.hash < b.hash;
        };
        const size_t keep = std::min(candidates_.size(), static_cast<size_t>(effort.width));
        const auto cut = candidates_.begin() + static_cast<long>(keep);
        if (keep < candidates_.size()) std::nth_element(candidates_.begin(), cut, candidates_.end(), better);
        std::sort(candidates_.begin(), cut, better);
        ++stale;
        for (size_t i = 0; i < keep; ++i) {
            build(candidates_[i]);
            const Node& n = nodes_.back();
            if (n.progress() && n.rating > best) {
                best = n.rating;
                stale = 0;
            }
            if (n.board.off == rules_.sequences) return;
        }
        if (effort.patience > 0 && best > INT32_MIN && stale >= effort.patience) return;
        begin = end;
    }
}

void Lookahead::expand(uint32_t index, int stock) {
    const Reading r(rater_, rules_, nodes_[index].board);
    const SeenBoard& b = r.board;
    const bool same_suit = rules_.build == Build::SameSuit;
    for (int s = 0; s < rules_.columns; ++s) {
        for (int n = 1; n <= r.movable[s]; ++n) {
            const int k = b.size[s] - n;
            const Card base = r.card(s, k);
            const int rank = rank_of(base);
            const Card under = k > b.down[s] ? r.card(s, k - 1) : kUnseen;
            const bool splits = under == base + 1;
            uint32_t targets = r.ends[rank + 1] & ~(1u << s);
            while (targets != 0) {
                const int t = std::countr_zero(targets);
                targets &= targets - 1;
                const bool suited = suit_of(r.card(t, b.size[t] - 1)) == suit_of(base);
                // Splitting a suited run to lay it on another suit gains nothing but the card above the split.
                if (suited || !(same_suit || splits)) offer(r, index, s, t, n, stock);
            }
            if (r.empty < 0 || k == 0) continue;  // a whole column into an empty one changes nothing
            if (rules_.empty_column_accepts == EmptyAccepts::Any ||
                (rules_.empty_column_accepts == EmptyAccepts::Kings && rank == rules_.ranks))
                offer(r, index, s, r.empty, n, stock);
        }
    }
    if (rules_.sequence_removal == Removal::Optional) offer_removals(r, index, stock);
}

void Lookahead::offer(const Reading& r, uint32_t index, int source, int target, int count, int stock) {
    const SeenBoard& b = r.board;
    const int left = b.size[source] - count, held = b.size[target];
    Fold rest = r.prefix(rater_, source, left);
    Fold grown = r.open_prefix(target, held);
    Card below = r.below(target, held);
    const bool over_down = b.down[target] > 0;
    for (int k = left; k < b.size[source]; ++k) {
        const Card c = r.card(source, k);
        grown = rater_.step(grown, below, c, over_down);
        below = c;
    }
    int leaving = 0, filled = (held == 0) - (left == 0);
    if (grown.run == rules_.ranks && rules_.sequence_removal == Removal::Automatic) {
        if (!take(r, target, held + count, stock, grown)) return;
        leaving |= 1;
        filled -= held + count == rules_.ranks;
    }
    // Under looser group rules a run may have been completed beneath the cards that now left.
    if (rest.run == rules_.ranks && rules_.sequence_removal == Removal::Automatic) {
        if (!take(r, source, left, stock, rest)) return;
        leaving |= 2;
        filled -= left == rules_.ranks;
    }
    const Fold source_was = r.prefix(rater_, source, b.size[source]), target_was = r.prefix(rater_, target, held);
    const uint64_t hash = nodes_[index].hash - source_was.hash - target_was.hash + rest.hash + grown.hash;
    int32_t rating = nodes_[index].rating - source_was.rating - target_was.rating + rest.rating + grown.rating +
                     rater_.weights().step;
    rating += filled * fill_bonus_;
    candidate(index, hash, rating, Move::tableau(source, target, count), leaving);
}

// The column's end without the sequence that it completes; false if that leaves too few cards to deal upon.
bool Lookahead::take(const Reading& r, int column, int size, int stock, Fold& fold) const {
    if (short_of_cards(rules_, r.board.table(rules_.columns) - rules_.ranks, stock)) return false;
    fold = r.prefix(rater_, column, size - rules_.ranks);
    fold.rating += rater_.weights().sequence;
    return true;
}

void Lookahead::offer_removals(const Reading& r, uint32_t index, int stock) {
    const SeenBoard& b = r.board;
    for (int i = 0; i < rules_.columns; ++i) {
        if (b.size[i] == b.down[i] || r.open_prefix(i, b.size[i]).run != rules_.ranks) continue;
        const Fold was = r.prefix(rater_, i, b.size[i]);
        Fold rest = was;
        if (!take(r, i, b.size[i], stock, rest)) continue;
        candidate(index, nodes_[index].hash - was.hash + rest.hash,
                  nodes_[index].rating - was.rating + rest.rating + rater_.weights().step,
                  Move::removal(i, rules_.ranks), 1);
    }
}

void Lookahead::candidate(uint32_t index, uint64_t hash, int32_t rating, Move move, int leaving) {
    ++rated_;
    if (seen_.insert(hash))
        candidates_.push_back({hash, rating, index, move.code, static_cast<uint8_t>(leaving)});
}

void Lookahead::build(const Candidate& c) {
    Node n = nodes_[c.parent];
    const Move m{c.move};
    if (!m.is_removal()) n.board.move(rules_.columns, m.source(), m.target(), m.count());
    if (c.leaving & 1) n.board.remove(rules_.columns, m.target(), rules_.ranks);
    if (c.leaving & 2) n.board.remove(rules_.columns, m.source(), rules_.ranks);
    n.hash = c.hash;
    n.rating = c.rating;
    n.parent = c.parent;
    n.move = m;
    ++n.depth;
    n.gained = static_cast<uint8_t>(n.gained + std::popcount(c.leaving));
    nodes_.push_back(n);
}

void Lookahead::line(size_t node, std::vector<Move>& out) const {
    out.clear();
    for (size_t i = node; nodes_[i].depth > 0; i = nodes_[i].parent) out.push_back(nodes_[i].move);
    std::reverse(out.begin(), out.end());
}

}  // namespace spidervet
