// Honest players: each decides from a View.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "control.hpp"
#include "lookahead.hpp"
#include "value_net.hpp"
#include "view.hpp"

namespace spidervet {

// How a level plays; engine/players.py names, bounds and documents each.
struct Settings {
    bool hint = false;  // the baseline; nothing else applies
    HandWeights weights;
    int width = 64;
    int depth = 14;
    int patience = 0;
    ValueNet value;      // learned value of where lines end; empty for none
    int trust = 5;       // points of the rating that one unit of its logit is worth
    int ends = 256;      // the best-rated ends of lines that it looks at
    bool weigh_deals = false;  // deal from the stock whenever the value says that it is better
    Advice advice;
    // Decisions between lines whose values are close: each is tried in sampled worlds. 0 samples: never.
    int samples = 0;
    int candidates = 4;      // lines that are compared
    int close = 100;         // how far behind the best a line's logit may be, in hundredths
    int sample_below = 1000; // they are compared where the best one's logit is below this, in hundredths
    bool sample_only_deals = false;  // only where the best one ends in a stock deal
    int sample_guess = 4;    // worlds that the value of a line's end counts as
    int sample_width = 32;   // the look ahead after the surprise
    int sample_depth = 12;
    int sample_plies = 0;    // decisions played on in a sampled world before its value is taken
    int sample_deals = 100;  // stock deals made in a sampled world before its value is taken
    int sample_budget = 0;   // worlds played in a game; then lines are chosen without
    int wide = 8;         // factor on width and depth of the second look, when the first found nothing
    int open_width = 64;  // once nothing is unseen
    int open_depth = 200;
    int noise = 0;       // standard deviation added to what lines are worth, in hundredths
    bool judge = true;   // prove dead what looks dead; without it such games end as no-progress
    bool tidies = false;  // with nothing else in sight, go where it looks better than here
    int early_deal = 0;  // chance in 1000 of dealing although there is something else to do
};

class Player {
public:
    virtual ~Player() = default;
    // The line to play, at least one action, to be played until something is seen for the first time; empty
    // when nothing worth doing was found.
    virtual void decide(const View& view, std::vector<Move>& line) = 0;
    // Whether lines may lead nowhere, so that the game has to be watched for a dead position.
    virtual bool may_wander() const { return false; }
    // Where the chosen lines end, one entry a decision, if anyone asks.
    std::vector<Features>* samples = nullptr;
    uint64_t rated() const { return rated_; }  // child positions rated

protected:
    uint64_t rated_ = 0;
};

// rng: the number that makes one game of a deal differ from another.
std::unique_ptr<Player> make_player(const Rules& rules, const Settings& settings, uint64_t rng, Control& control);

}  // namespace spidervet
