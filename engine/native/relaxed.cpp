#include "relaxed.hpp"

#include <cstring>

namespace spidervet {
namespace {

// The relaxed game: a card that has once been an end stays one, whatever is put on it or moves away with it;
// a column that can be emptied stays empty; every card of the stock is an end from the start. What the real
// game can do this one can, so what it cannot lift is never lifted (docs/proofs.md).
class Relaxed {
public:
    explicit Relaxed(const Board& board) : board_(board), rules_(board.rules()) {
        for (int k = 0; k < board.stock_size(); ++k) add_end(board.stock_card(k));
        for (int i = 0; i < board.columns(); ++i) {
            std::memset(end_[i], 0, static_cast<size_t>(board.size(i)));
            std::memset(lifted_[i], 0, static_cast<size_t>(board.size(i)));
            free(i, board.size(i));
        }
    }

    bool dead() {
        while (round()) {}
        for (int i = 0; i < board_.columns(); ++i)
            for (int k = 0; k < board_.size(i); ++k)
                if (!lifted_[i][k] && must_lift(i, k)) return true;
        return false;
    }

private:
    void add_end(Card c) {
        ++ends_[c];
        ++rank_ends_[rank_of(c)];
    }
    // Nothing lies on the card below place k any more; below the deepest card there is an empty column.
    void free(int i, int k) {
        if (k == 0) {
            empty_ = true;
        } else if (!end_[i][k - 1]) {
            end_[i][k - 1] = true;
            add_end(board_.card(i, k - 1));
        }
    }
    // A card that is on no successor of its suit has to be the base of a move, once; Kings need not.
    bool must_lift(int i, int k) const {
        const Card c = board_.card(i, k);
        return rank_of(c) != rules_.ranks && (k == 0 || board_.card(i, k - 1) != c + 1);
    }
    // Whether some end or empty column takes the card. The card it lies on is no end before it is lifted.
    bool placed(Card c) const {
        const bool king = rank_of(c) == rules_.ranks;
        if (empty_ && rules_.empty_column_accepts != EmptyAccepts::Nothing &&
            (king || rules_.empty_column_accepts == EmptyAccepts::Any))
            return true;
        if (king) return false;
        return (rules_.build == Build::SameSuit ? ends_[c + 1] : rank_ends_[rank_of(c) + 1]) > 0;
    }
    bool grouped(int i, int k) const {
        if (rules_.group_move == GroupMove::AnyFaceUp) return true;
        const Card under = board_.card(i, k - 1), c = board_.card(i, k);
        return rules_.group_move == GroupMove::SameSuit ? under == c + 1 : rank_of(under) == rank_of(c) + 1;
    }
    // Whether the card comes off its place alone, or at the head of a group whose last card has been an end.
    bool loose(int i, int k) const {
        if (end_[i][k]) return true;
        if (k < board_.down(i)) return false;
        for (int j = k + 1; j < board_.size(i) && grouped(i, j); ++j)
            if (end_[i][j]) return true;
        return false;
    }
    // Whether the sequence of the King at place k can be finished where it is: each card of it is there, may
    // come, or comes along with the next higher one that it lies on.
    bool finishes(int i, int k) const {
        const Card king = board_.card(i, k);
        if (rank_of(king) != rules_.ranks) return false;
        bool here = true;
        for (int n = 1; n < rules_.ranks; ++n) {
            const Card c = static_cast<Card>(king - n);
            here = here && k + n < board_.size(i) && board_.card(i, k + n) == c;
            if (!here && !gathered(c)) return false;
        }
        return true;
    }
    bool gathered(Card c) const {
        for (int s = 0; s < board_.stock_size(); ++s)
            if (board_.stock_card(s) == c) return true;
        for (int i = 0; i < board_.columns(); ++i)
            for (int k = 0; k < board_.size(i); ++k)
                if (board_.card(i, k) == c && (lifted_[i][k] || !must_lift(i, k))) return true;
        return false;
    }
    // One look at every card that has not been lifted; whether there was anything new.
    bool round() {
        bool any = false;
        for (int i = 0; i < board_.columns(); ++i)
            for (int k = board_.size(i) - 1; k >= 0; --k) {
                if (lifted_[i][k]) continue;
                if (!(loose(i, k) && placed(board_.card(i, k))) && !finishes(i, k)) continue;
                lifted_[i][k] = true;
                free(i, k);
                any = true;
            }
        return any;
    }

    const Board& board_;
    const Rules& rules_;
    bool empty_ = false;
    bool end_[kMaxColumns][kMaxCards];
    bool lifted_[kMaxColumns][kMaxCards];
    int ends_[80] = {};
    int rank_ends_[kMaxRanks + 2] = {};
};

}  // namespace

bool relaxed_dead(const Board& board) { return Relaxed(board).dead(); }

}  // namespace spidervet
