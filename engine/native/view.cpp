#include "view.hpp"

#include <cstring>

namespace spidervet {

View view_of(const Position& position) {
    View v;
    v.rules = &position.rules();
    v.sequences_off = position.sequences_off();
    v.stock = position.stock_size();
    for (int i = 0; i < position.columns(); ++i) {
        const Column& c = position.column(i);
        v.size[i] = c.size;
        v.down[i] = c.down;
        v.hidden += c.down;
        std::memset(v.cards[i], kUnseen, c.down);
        std::memcpy(v.cards[i] + c.down, c.cards + c.down, static_cast<size_t>(c.size - c.down));
        for (int k = 0; k < c.down; ++k) ++v.unseen[c.cards[k]];
    }
    for (const Card c : position.stock()) ++v.unseen[c];
    return v;
}

}  // namespace spidervet
