// The moves of a board, in the canonical order of position.hpp, for searches that look at each once.
#pragma once

#include <bit>

#include "board.hpp"

namespace spidervet {

// What a search leaves out once the stock is gone, where columns are as good as each other.
struct MoveChoice {
    bool one_empty = false;       // of several empty columns only the first as a target
    bool whole_to_empty = false;  // no whole column into an empty one
};

// Calls visit(Move) for every legal action that the filter lets through; none once the game is won.
template <typename Visit>
void each_move(const Board& board, MoveChoice filter, Visit visit) {
    const Rules& rules = board.rules();
    if (board.won()) return;
    const bool gone = board.stock_size() == 0;
    uint32_t empties = rules.empty_column_accepts == EmptyAccepts::Nothing ? 0u : board.ends(0);
    if (gone && filter.one_empty) empties &= ~empties + 1;
    const bool whole = rules.whole_column_to_empty == WholeColumn::Allowed && !(gone && filter.whole_to_empty);
    for (int s = 0; s < board.columns(); ++s) {
        for (int n = 1; n <= board.movable(s); ++n) {
            const int left = board.size(s) - n;
            const Card base = board.card(s, left);
            const bool king = rank_of(base) == rules.ranks;
            uint32_t targets = king ? 0u : board.ends(rank_of(base) + 1);
            if ((left > 0 || whole) && (king || rules.empty_column_accepts == EmptyAccepts::Any)) targets |= empties;
            for (targets &= ~(1u << s); targets != 0; targets &= targets - 1) {
                const int t = std::countr_zero(targets);
                if (board.size(t) > 0 && rules.build == Build::SameSuit && suit_of(board.end(t)) != suit_of(base))
                    continue;
                visit(Move::tableau(s, t, n));
            }
        }
    }
    if (rules.sequence_removal == Removal::Optional)
        for (int i = 0; i < board.columns(); ++i)
            if (board.complete(i)) visit(Move::removal(i, rules.ranks));
    if (board.can_deal()) visit(Move::deal());
}

}  // namespace spidervet
