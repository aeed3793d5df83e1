#include "sure_win.hpp"

#include <bit>

namespace spidervet {
namespace {

// The precondition: nothing hidden, nothing to come, every column falls strictly in rank.
bool descending(const Board& board) {
    if (board.stock_size() > 0) return false;
    for (int i = 0; i < board.columns(); ++i) {
        if (board.down(i) > 0) return false;
        for (int k = 1; k < board.size(i); ++k)
            if (rank_of(board.card(i, k)) >= rank_of(board.card(i, k - 1))) return false;
    }
    return true;
}

class Reordering {
public:
    explicit Reordering(Board& board) : board_(board) {}

    bool run() {
        const int ranks = board_.rules().ranks;
        for (int rank = 1; rank < ranks && !board_.won(); ++rank)
            while (mismatched(rank))
                if (!improve(rank)) return false;
        while (!board_.won() && remove_one()) {}
        return board_.won();
    }
    int played() const { return played_; }

private:
    // A unit: the cards from `rank` down to the Ace of one suit at a column's end.
    int unit_suit(int i, int rank) const {
        const int left = board_.size(i) - rank;
        if (left < 0) return -1;
        for (int k = 1; k < rank; ++k)
            if (board_.card(i, left + k) != board_.card(i, left + k - 1) - 1) return -1;
        return rank_of(board_.card(i, left)) == rank ? suit_of(board_.card(i, left)) : -1;
    }
    bool joined(int i, int rank) const {
        const int left = board_.size(i) - rank;
        return left > 0 && board_.card(i, left - 1) == board_.card(i, left) + 1;
    }
    bool mismatched(int rank) const {
        for (int i = 0; i < board_.columns(); ++i)
            if (unit_suit(i, rank) >= 0 && !joined(i, rank)) return true;
        return false;
    }
    void play(int s, int t, int n) {
        board_.apply(Move::tableau(s, t, n));
        ++played_;
    }
    // One unit onto its own suit; or else one out of the way, to a free place.
    bool improve(int rank) {
        for (int i = 0; i < board_.columns(); ++i) {
            const int suit = unit_suit(i, rank);
            if (suit < 0 || joined(i, rank)) continue;
            for (int t = 0; t < board_.columns(); ++t)
                if (t != i && board_.size(t) > 0 && board_.end(t) == (suit << 4 | (rank + 1))) {
                    play(i, t, rank);
                    return true;
                }
        }
        const uint16_t empties = board_.ends(0);
        if (empties == 0 || board_.rules().empty_column_accepts != EmptyAccepts::Any) return false;
        for (int i = 0; i < board_.columns(); ++i) {
            if (unit_suit(i, rank) < 0 || joined(i, rank)) continue;
            const int left = board_.size(i) - rank;
            if (left == 0 || rank_of(board_.card(i, left - 1)) != rank + 1) continue;
            play(i, std::countr_zero(empties), rank);
            return true;
        }
        return false;
    }
    bool remove_one() {
        if (board_.rules().sequence_removal != Removal::Optional) return false;
        for (int i = 0; i < board_.columns(); ++i)
            if (board_.complete(i)) {
                board_.apply(Move::removal(i, board_.rules().ranks));
                ++played_;
                return true;
            }
        return false;
    }

    Board& board_;
    int played_ = 0;
};

}  // namespace

bool sure_win(Board& board, std::vector<Move>& line) {
    if (!descending(board)) return false;
    const size_t depth = board.depth();
    Reordering reordering(board);
    const bool won = reordering.run();
    if (won) {
        line = board.line();
        line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(depth));
    }
    while (board.depth() > depth) board.undo();
    return won;
}

}  // namespace spidervet
