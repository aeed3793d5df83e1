// Full positions that agree with a view: its unseen cards laid out in some order. Made from the view alone,
// so what is worked out in a world uses nothing that the player could not know.
#pragma once

#include "position.hpp"
#include "random.hpp"
#include "view.hpp"

namespace spidervet {

// The unseen cards in ascending order: face-down cards column by column, then the stock.
Position sorted_world(const View& view);
// The unseen cards in a uniformly random order.
Position random_world(const View& view, Random& random);

}  // namespace spidervet
