// Full positions that agree with a view: its unseen cards laid out in some order. Made from the view alone,
// so what is worked out in a world uses nothing that the player could not know.
#pragma once

#include "position.hpp"
#include "random.hpp"
#include "view.hpp"

namespace spidervet {

// The unseen cards in ascending order: face-down cards column by column, then the stock.
Position sorted_world(const View& view);

// Worlds with the unseen cards in random order, the same for all who ask. The card that is turned up first is drawn
// evenly, and is the same one in whatever column that happens: so lines differ by what they are, less by their luck.
class Worlds {
public:
    Worlds(const View& view, uint64_t seed);
    // column: which of them turns up its card first; -1 where none does.
    Position at(size_t number, int column);

private:
    void add();

    const View& view_;
    Random random_;
    uint32_t quantile_;
    std::vector<std::vector<Card>> orders_;
    std::vector<Card> next_;
};

}  // namespace spidervet
