#include "deals.hpp"

#include <algorithm>
#include <utility>

#include "random.hpp"

namespace spidervet {

std::vector<uint8_t> spidervet_deal(const Layout& layout, uint64_t seed) {
    uint8_t deck[104];
    const int cards = 52 * layout.decks;
    for (int i = 0; i < cards; ++i) deck[i] = static_cast<uint8_t>(i % 52 / 13 << 4 | (i % 13 + 1));
    Random random(seed);
    for (int i = cards - 1; i >= 1; --i) std::swap(deck[i], deck[random.below(static_cast<uint64_t>(i) + 1)]);

    std::vector<uint8_t> order;
    for (int i = 0; i < cards; ++i)
        if ((deck[i] & 15) <= layout.ranks)
            order.push_back(static_cast<uint8_t>((deck[i] >> 4) % layout.suits << 4 | (deck[i] & 15)));

    const size_t columns = layout.columns.size();
    std::vector<std::vector<uint8_t>> column(columns);
    const int rows = *std::max_element(layout.columns.begin(), layout.columns.end());
    size_t at = 0;
    for (int row = 0; row < rows; ++row)
        for (size_t c = 0; c < columns; ++c)
            if (layout.columns[c] > row) column[c].push_back(order[at++]);

    std::vector<uint8_t> out{static_cast<uint8_t>(columns), 0, static_cast<uint8_t>(order.size() - at)};
    out.insert(out.end(), layout.columns.begin(), layout.columns.end());
    out.insert(out.end(), layout.face_down.begin(), layout.face_down.end());
    for (const auto& c : column) out.insert(out.end(), c.begin(), c.end());
    out.insert(out.end(), order.begin() + static_cast<long>(at), order.end());
    return out;
}

}  // namespace spidervet
