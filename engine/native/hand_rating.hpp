// The hand rating: a sum over columns of what their cards are worth, in hundredths. A column is read from its
// deepest face-up card to its end, so the worth and the hash of every beginning of a column come from one
// reading, and a move is rated by difference.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "position.hpp"
#include "random.hpp"
#include "view.hpp"

namespace spidervet {

// Names and order are those of the weights' data files.
#define SPIDERVET_WEIGHTS(X)                                                                   \
    X(join)          /* a card on the next higher of its suit */                               \
    X(join_growth)   /* more for every card the suited run already has beyond two */           \
    X(mixed)         /* a card on the next higher of another suit */                           \
    X(gap)           /* a card on a higher one that is not the next */                         \
    X(inversion)     /* a card on a lower or equal one */                                      \
    X(king_over)     /* … when it is a King */                                                 \
    X(cover)         /* anything but a suited join, for every card of the suited run it covers beyond one */ \
    X(junction_down) /* anything but a suited join in a column with face-down cards */         \
    X(down)          /* a face-down card */                                                    \
    X(down_any)      /* a column with face-down cards */                                       \
    X(down_growth)   /* for every pair of face-down cards of a column */                       \
    X(king_base)     /* a King at the base of a column */                                      \
    X(length)        /* a face-up card */                                                      \
    X(empty)         /* an empty column */                                                     \
    X(sequence)      /* a sequence off the table */                                            \
    X(turn)          /* a card turned up */                                                    \
    X(step)          /* an action of the line */

struct HandWeights {
#define X(name) int name = 0;
    SPIDERVET_WEIGHTS(X)
#undef X
    static const std::vector<const char*>& names();
    static HandWeights from(const std::vector<int>& values);
};

// Stands below the deepest card of a column that has no face-down cards.
inline constexpr Card kTable = kMaxRanks + 1;

// What one reading of a column knows after a card.
struct Fold {
    uint64_t hash;
    int32_t rating;
    uint8_t run;  // length of the suited run that ends here
    Card card;    // kTable or kUnseen before the first face-up card
};

class HandRater {
public:
    HandRater(const Rules& rules, const HandWeights& weights);

    const HandWeights& weights() const { return weights_; }
    // Before the first face-up card: `down` cards lie below.
    Fold base(int down) const { return {base_hash_[down], base_rating_[down], 0, down > 0 ? kUnseen : kTable}; }
    // A column that ends there: it is empty, or turns up an unknown card.
    Fold bare(int down) const { return {bare_hash_[down], bare_rating_[down], 0, kUnseen}; }
    Fold step(const Fold& before, Card card, bool over_down) const {
        const uint8_t kind = kind_[before.card][card];
        Fold f{mix64(before.hash + card), before.rating + value_[over_down][kind], 1, card};
        if (kind == kSuited) {
            f.run = static_cast<uint8_t>(before.run + 1);
            f.rating += growth_[f.run];
        } else if (kind != kFirst && kind != kKingBase) {
            f.rating += weights_.cover * (before.run - 1);
        }
        return f;
    }

private:
    enum Kind : uint8_t { kFirst, kKingBase, kSuited, kMixed, kGap, kInversion, kKingOver, kKinds };
    HandWeights weights_;
    uint8_t kind_[64][64];
    int32_t value_[2][kKinds];
    std::array<int32_t, 16> growth_;
    std::array<uint64_t, kMaxCards + 1> base_hash_, bare_hash_;
    std::array<int32_t, kMaxCards + 1> base_rating_, bare_rating_;
};

}  // namespace spidervet
