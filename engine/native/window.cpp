#include "window.hpp"

#include <algorithm>

#include "moves.hpp"

namespace spidervet {

// The pair that card k of column i is in.
int Window::place(const Board& board, int i, int k) {
    const int under = k > 0 ? board.card(i, k - 1) : board.stock_size() > 0 ? 64 + i : 64 + kMaxColumns;
    return board.card(i, k) * kBases + under;
}

void Window::count(const Board& board, Pairs& pairs) const {
    pairs.assign(64 * kBases, 0);
    for (int i = 0; i < board.columns(); ++i)
        for (int k = 0; k < board.size(i); ++k) ++pairs[static_cast<size_t>(place(board, i, k))];
}

// Sets the pairs wanted at the end. Cards that are off by then may lie on their successors, and their Kings
// anywhere.
void Window::aim(const Board& from, const Board& to) {
    goal_ = to.hash();
    goal_stock_ = to.stock_size();
    columns_ = from.columns();
    count(to, want_);
    int lost[64] = {};
    for (int i = 0; i < from.columns(); ++i)
        for (int k = 0; k < from.size(i); ++k) ++lost[from.card(i, k)];
    for (int k = 0; k < from.stock_size(); ++k) ++lost[from.stock_card(k)];
    for (int i = 0; i < to.columns(); ++i)
        for (int k = 0; k < to.size(i); ++k) --lost[to.card(i, k)];
    for (int k = 0; k < to.stock_size(); ++k) --lost[to.stock_card(k)];
    for (int c = 0; c < 64; ++c) {
        free_king_[c] = rank_of(static_cast<Card>(c)) == from.rules().ranks && lost[c] > 0;
        if (lost[c] > 0 && rank_of(static_cast<Card>(c)) < from.rules().ranks)
            want_[static_cast<size_t>(c * kBases + c + 1)] =
                static_cast<int8_t>(want_[static_cast<size_t>(c * kBases + c + 1)] + lost[c]);
        // With the stock gone in between, columns are told apart at one end and not at the other.
        if (from.stock_size() > 0 && to.stock_size() == 0)
            for (int i = 0; i <= kMaxColumns; ++i) want_[static_cast<size_t>(c * kBases + 64 + i)] = 8;
    }
}

int Window::recount(const Board& board) {
    count(board, have_);
    int lacking = 0;
    for (int pair = 0; pair < 64 * kBases; ++pair)
        if (have_[static_cast<size_t>(pair)] > want_[static_cast<size_t>(pair)] && counts(pair))
            lacking += have_[static_cast<size_t>(pair)] - want_[static_cast<size_t>(pair)];
    const int rows = (board.stock_size() - goal_stock_ + columns_ - 1) / columns_;
    return lacking + rows;
}

int Window::least(const Board& from, const Board& to) {
    aim(from, to);
    return recount(from);
}

bool Window::step(Board& board, Move m, int used, int lacking) {
    way_.push_back({});
    const bool plain = !m.is_deal() && !m.is_removal() && !board.leaves(m);
    int before = 0, after = 0;
    if (plain) {
        const int s = m.source(), left = board.size(s) - m.count();
        before = place(board, s, left);
        lacking -= taken(before);
        board.apply(m);
        after = place(board, m.target(), board.size(m.target()) - m.count());
        lacking += added(after);
    } else {
        board.apply(m);
        lacking = recount(board);
    }
    way_.back() = board.hash();
    const bool found = used + lacking <= most_ && go(board, used, lacking);
    board.undo();
    if (plain) {
        taken(after);
        added(before);
    } else {
        recount(board);
    }
    if (!found) way_.pop_back();
    return found;
}

// Whether the goal can be reached with the actions left.
bool Window::go(Board& board, int used, int lacking) {
    if (lacking == 0 && board.hash() == goal_) return true;
    if (used == most_) return false;
    const auto [known, fresh] = best_.try_emplace(board.hash(), used);
    if (!fresh) {
        if (known->second <= used) return false;
        known->second = used;
    }
    struct Choice {
        Move move;
        int cost;
    };
    std::vector<Choice> choices;
    uint64_t children = 0;
    each_move(board, {true, true}, [&](Move m) {
        ++children;
        int cost = 0;
        if (m.is_deal()) {
            if (board.stock_size() <= goal_stock_) return;
            cost = -1;
        } else if (!m.is_removal() && !board.leaves(m)) {
            const int s = m.source(), left = board.size(s) - m.count(), t = m.target();
            const int before = place(board, s, left);
            const int under = board.size(t) > 0 ? board.end(t) : board.stock_size() > 0 ? 64 + t : 64 + kMaxColumns;
            const int after = board.card(s, left) * kBases + under;
            if (counts(before)) {
                cost -= have_[static_cast<size_t>(before)] > want_[static_cast<size_t>(before)];
                cost += have_[static_cast<size_t>(after)] >= want_[static_cast<size_t>(after)];
            }
            if (used + 1 + lacking + cost > most_) return;
        }
        choices.push_back({m, cost});
    });
    nodes_left_ -= std::min(nodes_left_, children);
    if (best_.size() >= most_known_) nodes_left_ = 0;
    if (!meter_.spend(children) || nodes_left_ == 0) return false;
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& x, const Choice& y) { return x.cost < y.cost; });
    for (const Choice& c : choices) {
        if (step(board, c.move, used + 1, lacking)) return true;
        if (nodes_left_ == 0 || meter_.stopped()) return false;
    }
    return false;
}

std::vector<Hash128> Window::search(Board& from, const Board& to, int most, uint64_t nodes) {
    const int lacking = least(from, to);
    most_ = most;
    nodes_left_ = nodes;
    best_.clear();
    way_.clear();
    if (lacking > most || !go(from, 0, lacking)) return {};
    return way_;
}

}  // namespace spidervet
