// What the learned value is told of a position as seen, as small whole numbers.
#pragma once

#include <array>
#include <cstdint>

#include "seen_board.hpp"
#include "view.hpp"

namespace spidervet {

// Names and order are those of the value nets' data files. Probabilities are in thousandths.
#define SPIDERVET_FEATURES(X)                                                              \
    X(deal)           /* 1: the stock is dealt next; 0: something was turned up or taken off */ \
    X(rows0) X(rows1) X(rows2) X(rows3) X(rows4) X(rows5) /* one of them 1: stock deals left; rows5: five or more */ \
    X(hidden)         /* face-down cards on the table, those just turned up not counted */  \
    X(hidden_columns) /* columns that have some */                                         \
    X(hidden_square)  /* sum of their squares */                                           \
    X(turned)         /* cards turned up by the line */                                    \
    X(turned_last)    /* of them the last face-down card of their column */                \
    X(empties) X(empty1) X(empty2) /* empty columns; at least one; at least two */          \
    X(off)            /* sequences off */                                                  \
    X(joins)          /* cards on the next higher one of their suit */                     \
    X(mixed)          /* … of another suit */                                              \
    X(gaps)           /* cards on higher ones that are not the next */                     \
    X(inversions)     /* cards on lower or equal ones */                                   \
    X(run_square)     /* sum of squares of the suited runs' lengths, a quarter */          \
    X(longest1) X(longest2) X(longest3) /* the longest suited runs */                       \
    X(end_runs)       /* sum of the lengths of the suited runs at columns' ends */         \
    X(end_ordered)    /* the same of runs in rank, whatever the suit */                    \
    X(segments_down)  /* suited runs in columns with face-down cards */                    \
    X(segments_open)  /* … without */                                                      \
    X(easiest1) X(easiest2) X(easiest3) /* suited runs to be moved to reach a face-down card, fewest first */ \
    X(emptiest1) X(emptiest2) /* face-down cards and suited runs to be moved to empty a column, fewest first */ \
    X(king_base)      /* Kings at the base of a column */                                  \
    X(king_over)      /* Kings elsewhere */                                                \
    X(ends)           /* distinct ranks at columns' ends */                                \
    X(ends_fit)       /* ends whose next higher rank is an end, too */                     \
    X(ends_fit_suit)  /* … of the same suit */                                             \
    X(ace_ends) X(king_ends)                                                               \
    X(place)          /* chance that an unseen card finds an end to go on */               \
    X(place_suit)     /* expected number of ends of its suit that it could go on */        \
    X(receive)        /* expected number of ends that could go on an unseen card */        \
    X(receive_suit)   /* … of its suit */                                                  \
    X(missing1) X(missing2) /* ranks of a suit of which no card is in sight, fewest first, over the suits */ \
    X(buried)         /* cards that lie over a lower card further down their column */     \
    X(tall)           /* length of the longest column */                                   \
    X(unseen)         /* cards unseen */                                                   \
    X(run_fit)        /* end runs whose base could go on an end */                         \
    X(run_fit_suit)   /* … of its suit */                                                  \
    X(run_fit_turn)   /* … and that would turn up a card */                                \
    X(run_fit_empty)  /* … and that would empty their column */                            \
    X(run_receive)    /* expected number of end runs that could go on an unseen card */    \
    X(run_receive_suit) /* … of its suit */                                                \
    X(blocked1) X(blocked2) X(blocked3) /* of the runs over face-down cards those that fit on no end now, fewest first */ \
    X(blocked)        /* … in all columns */                                               \
    X(clear1) X(clear2) X(clear3) /* face-down cards and runs that fit on no end, to empty a column, fewest first */ \
    X(open_single)    /* columns without face-down cards that are one suited run */        \
    X(open_ordered)   /* … or one run in rank of mixed suits */                            \
    X(unseen_kings)                                                                        \
    X(suit_joins)     /* the most joins in one suit */

enum FeatureIndex : int {
#define X(name) kIn_##name,
    SPIDERVET_FEATURES(X)
#undef X
    kInputs
};

using Features = std::array<int16_t, kInputs>;

const std::array<const char*, kInputs>& feature_names();

// deal: the stock is dealt next.
Features features_of(const View& view, const ColumnPool& pool, const SeenBoard& board, bool deal);

}  // namespace spidervet
