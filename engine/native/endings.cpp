#include "endings.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <vector>

#include "random.hpp"

namespace spidervet {
namespace {

// Hash of the columns as a multiset.
uint64_t unordered_hash(const Position& p) {
    uint64_t sum = 0;
    for (int i = 0; i < p.columns(); ++i) {
        const Column& c = p.column(i);
        uint64_t h = mix64(static_cast<uint64_t>(c.size) << 8 | c.down);
        for (int k = 0; k < c.size; ++k) h = mix64(h + c.cards[k]);
        sum += h;
    }
    return sum;
}

}  // namespace

Dead dead(const Position& position, int bound) {
    if (position.won() || position.stuck()) return Dead::No;
    const Rules& rules = position.rules();
    // Under the strict rule the row needs a card in every column, and cards never come back to the table.
    if (rules.stock_deal_over_empty == DealOverEmpty::Forbidden && position.stock_size() > 0 &&
        position.cards_on_table() < position.columns())
        return Dead::Yes;

    // Stock left, cards for every column, and any card may go into a gap: while a column is empty, some other
    // holds two cards or more, and its end may always move there; so a row can be dealt.
    if (rules.empty_column_accepts == EmptyAccepts::Any && position.stock_size() > 0 &&
        position.cards_on_table() >= position.columns())
        return Dead::No;

    std::deque<Position> queue{position};
    std::unordered_set<uint64_t> seen{unordered_hash(position)};
    std::vector<Move> moves;
    Effects effects;
    while (!queue.empty()) {
        const Position current = queue.front();
        queue.pop_front();
        current.legal_moves(moves);
        for (const Move m : moves) {
            if (m.is_deal() || m.is_removal()) return Dead::No;
            Position child = current;
            child.apply(m, effects);
            if (effects.count > 0) return Dead::No;
            if (!seen.insert(unordered_hash(child)).second) continue;
            if (static_cast<int>(seen.size()) > bound) return Dead::Unknown;
            queue.push_back(child);
        }
    }
    return Dead::Yes;
}

}  // namespace spidervet
