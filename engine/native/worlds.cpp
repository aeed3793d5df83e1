#include "worlds.hpp"

#include <utility>
#include <vector>

namespace spidervet {
namespace {

std::vector<Card> unseen_cards(const View& view) {
    std::vector<Card> cards;
    for (int c = 0; c < 64; ++c) cards.insert(cards.end(), view.unseen[c], static_cast<Card>(c));
    return cards;
}

Position lay_out(const View& view, const std::vector<Card>& unseen) {
    const int columns = view.columns();
    std::vector<uint8_t> packed{static_cast<uint8_t>(columns), static_cast<uint8_t>(view.sequences_off),
                                static_cast<uint8_t>(view.stock)};
    packed.insert(packed.end(), view.size, view.size + columns);
    packed.insert(packed.end(), view.down, view.down + columns);
    auto next = unseen.begin();
    for (int i = 0; i < columns; ++i)
        for (int k = 0; k < view.size[i]; ++k) packed.push_back(k < view.down[i] ? *next++ : view.cards[i][k]);
    packed.insert(packed.end(), next, unseen.end());
    return Position(*view.rules, packed);
}

}  // namespace

Position sorted_world(const View& view) { return lay_out(view, unseen_cards(view)); }

Position random_world(const View& view, Random& random) {
    std::vector<Card> cards = unseen_cards(view);
    for (size_t i = cards.size(); i > 1; --i) std::swap(cards[i - 1], cards[random.below(i)]);
    return lay_out(view, cards);
}

}  // namespace spidervet
