// What rule pages advise, as bonuses on actions, so that each piece can be switched on and its worth measured.
#pragma once

#include <cstdint>

namespace spidervet {

// The numbers are the order of the values of the option `kings`.
enum class KingAdvice : uint8_t { Level, Spaces, WithRun, Avoid };
// … and of the option `suit`.
enum class SuitAdvice : uint8_t { Level, Suit, Depletion };

struct Advice {
    KingAdvice kings = KingAdvice::Level;
    SuitAdvice suit = SuitAdvice::Level;
    bool high_first = false;    // among builds of mixed suit, the highest rank first
    bool tall_first = false;    // take from tall columns first
    bool least_filler = false;  // fill a space with the card that is of least use elsewhere

    bool any() const {
        return kings != KingAdvice::Level || suit != SuitAdvice::Level || high_first || tall_first || least_filler;
    }
};

// What the rule pages look at in an action.
struct Action {
    int rank;            // of the run's highest card
    int count;           // cards moved
    int source_size;     // before the action
    bool to_space;       // into an empty column
    bool suited;         // on a card of the same suit
    bool king;           // the highest card is a King
    int uses;            // ends that the highest card could go on or that could go on it
};

// In hundredths of the hand rating.
int32_t bonus(const Advice& advice, const Action& action);

}  // namespace spidervet
