#include "lookahead.hpp"

#include <algorithm>
#include <bit>

namespace spidervet {
namespace {

// Far above what any filling costs: while filling, the fewest empty columns come first.
constexpr int32_t kFillBonus = 4000;

}  // namespace

void Lookahead::start(const View& view) {
    nodes_.clear();
    nodes_.emplace_back();
    Node& root = nodes_.back();
    root.board = pool_.start(view);
    for (int i = 0; i < rules_.columns; ++i) {
        const Fold f = pool_.whole(root.board, i, root.board.size[i]);
        root.hash += f.hash;
        root.rating += f.rating;
    }
    seen_.reset();
    seen_.insert(root.hash);
    fill_bonus_ = 0;
    first_filled_ = nodes_.size();
}

void Lookahead::run(const View& view, const Effort& effort) {
    start(view);
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
    seen_.reset();
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

int Lookahead::lift(const SeenBoard& b, int i) const {
    const int up = b.size[i] - b.down[i];
    if (up == 0 || rules_.group_move == GroupMove::AnyFaceUp) return up;
    if (rules_.group_move == GroupMove::SameSuit) return pool_.end(b, i).run;
    int n = 1;
    while (n < up && rank_of(pool_.card(b, i, b.size[i] - n - 1)) == rank_of(pool_.card(b, i, b.size[i] - n)) + 1)
        ++n;
    return n;
}

void Lookahead::expand(uint32_t index, int stock) {
    const SeenBoard& b = nodes_[index].board;
    const bool same_suit = rules_.build == Build::SameSuit;
    uint32_t ends[kMaxRanks + 3] = {};  // by rank: columns whose end may be built on
    int empty = -1;
    for (int i = 0; i < rules_.columns; ++i) {
        if (b.size[i] == 0)
            empty = i;
        else if (b.size[i] > b.down[i])
            ends[rank_of(pool_.end(b, i).card)] |= 1u << i;
    }
    for (int s = 0; s < rules_.columns; ++s) {
        const int most = lift(b, s);
        for (int n = 1; n <= most; ++n) {
            const int k = b.size[s] - n;
            const Card base = pool_.card(b, s, k);
            const int rank = rank_of(base);
            const bool splits = pool_.at(b, s, k).card == base + 1 && k > b.down[s];
            uint32_t targets = ends[rank + 1] & ~(1u << s);
            while (targets != 0) {
                const int t = std::countr_zero(targets);
                targets &= targets - 1;
                const bool suited = suit_of(pool_.end(b, t).card) == suit_of(base);
                // Splitting a suited run to lay it on another suit gains nothing but the card above the split.
                if (suited || !(same_suit || splits)) offer(index, s, t, n, stock);
            }
            if (empty < 0 || k == 0) continue;  // a whole column into an empty one changes nothing
            if (rules_.empty_column_accepts == EmptyAccepts::Any ||
                (rules_.empty_column_accepts == EmptyAccepts::Kings && rank == rules_.ranks))
                offer(index, s, empty, n, stock);
        }
    }
    if (rules_.sequence_removal == Removal::Optional) offer_removals(index, stock);
}

void Lookahead::offer(uint32_t index, int source, int target, int count, int stock) {
    const Node& node = nodes_[index];
    const SeenBoard& b = node.board;
    const int left = b.size[source] - count, held = b.size[target];
    Fold rest = pool_.whole(b, source, left), grown = pool_.grown(b, source, target, count);
    int leaving = 0, filled = (held == 0) - (left == 0);
    if (rules_.sequence_removal == Removal::Automatic) {
        if (grown.run == rules_.ranks) {
            leaving = take(b, target, held + count, stock, grown);
            if (leaving == 0) return;
            filled -= held + count == leaving * rules_.ranks;
        }
        // Under looser group rules a run may have been completed beneath the cards that now left.
        if (rest.run == rules_.ranks) {
            const int more = take(b, source, left, stock, rest);
            if (more == 0) return;
            leaving |= more << 4;
            filled -= left == more * rules_.ranks;
        }
    }
    const Fold source_was = pool_.whole(b, source, b.size[source]), target_was = pool_.whole(b, target, held);
    const uint64_t hash = node.hash - source_was.hash - target_was.hash + rest.hash + grown.hash;
    int32_t bonus = rater_.weights().step;
    if (advice_.any()) bonus += advised(b, source, target, count);
    const int32_t rating = node.rating - source_was.rating - target_was.rating + rest.rating + grown.rating +
                           filled * fill_bonus_ + bonus;
    candidate(index, hash, rating, bonus, Move::tableau(source, target, count), leaving);
}

int32_t Lookahead::advised(const SeenBoard& b, int source, int target, int count) const {
    const Card base = pool_.card(b, source, b.size[source] - count);
    Action a{rank_of(base), count, b.size[source], b.size[target] == 0, false, rank_of(base) == rules_.ranks, 0};
    a.suited = !a.to_space && suit_of(pool_.end(b, target).card) == suit_of(base);
    for (int i = 0; i < rules_.columns; ++i) {
        if (i == source || b.size[i] == b.down[i]) continue;
        const int rank = rank_of(pool_.end(b, i).card);
        a.uses += rank == a.rank + 1 || rank == a.rank - 1;
    }
    return bonus(advice_, a);
}

// How many sequences leave a column's end that completes one, and what stays. Under looser group rules another
// may lie complete beneath; by hand they leave one at a time. 0 if too few cards are left to deal upon.
int Lookahead::take(const SeenBoard& b, int column, int size, int stock, Fold& fold) const {
    int taken = 0;
    do {
        size -= rules_.ranks;
        fold = pool_.whole(b, column, size);
        ++taken;
    } while (fold.run == rules_.ranks && rules_.sequence_removal == Removal::Automatic);
    if (short_of_cards(rules_, b.table(rules_.columns) - taken * rules_.ranks, stock)) return 0;
    fold.rating += taken * rater_.weights().sequence;
    return taken;
}

void Lookahead::offer_removals(uint32_t index, int stock) {
    const Node& node = nodes_[index];
    const SeenBoard& b = node.board;
    for (int i = 0; i < rules_.columns; ++i) {
        if (b.size[i] == b.down[i] || pool_.end(b, i).run != rules_.ranks) continue;
        const Fold was = pool_.end(b, i);
        Fold rest = was;
        if (take(b, i, b.size[i], stock, rest) == 0) continue;
        candidate(index, node.hash - was.hash + rest.hash,
                  node.rating - was.rating + rest.rating + rater_.weights().step, rater_.weights().step,
                  Move::removal(i, rules_.ranks), 1);
    }
}

void Lookahead::candidate(uint32_t index, uint64_t hash, int32_t rating, int32_t bonus, Move move, int leaving) {
    ++rated_;
    if (!seen_.insert(hash)) return;
    candidates_.push_back({hash, rating, bonus, index, move.code, static_cast<uint8_t>(leaving)});
}

void Lookahead::build(const Candidate& c) {
    Node n = nodes_[c.parent];
    const Move m{c.move};
    if (!m.is_removal()) pool_.move(n.board, m.source(), m.target(), m.count());
    const int from_target = c.leaving & 15, from_source = c.leaving >> 4;
    if (from_target > 0) ColumnPool::remove(n.board, m.target(), from_target, rules_.ranks);
    if (from_source > 0) ColumnPool::remove(n.board, m.source(), from_source, rules_.ranks);
    n.hash = c.hash;
    n.rating = c.rating;
    n.bonus += c.bonus;
    n.parent = c.parent;
    n.move = m;
    ++n.depth;
    n.gained = static_cast<uint8_t>(n.gained + from_target + from_source);
    nodes_.push_back(n);
}

void Lookahead::line(size_t node, std::vector<Move>& out) const {
    out.clear();
    for (size_t i = node; nodes_[i].depth > 0; i = nodes_[i].parent) out.push_back(nodes_[i].move);
    std::reverse(out.begin(), out.end());
}

}  // namespace spidervet
