#include "endings.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <vector>

#include "random.hpp"

namespace spidervet {
namespace {

uint64_t column_hash(const Column& c) {
    uint64_t h = mix64(static_cast<uint64_t>(c.size) << 8 | c.down);
    for (int k = 0; k < c.size; ++k) h = mix64(h + c.cards[k]);
    return h;
}

// Hash of the columns as a multiset.
uint64_t unordered_hash(const Position& p) {
    uint64_t sum = 0;
    for (int i = 0; i < p.columns(); ++i) sum += column_hash(p.column(i));
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

    // Packed: a thousand positions side by side would not fit the caches.
    std::deque<std::vector<uint8_t>> queue{position.packed()};
    std::unordered_set<uint64_t> seen{unordered_hash(position)};
    std::vector<Move> moves;
    Effects effects;
    while (!queue.empty()) {
        Position current(rules, queue.front());
        queue.pop_front();
        const uint64_t sum = unordered_hash(current);
        current.legal_moves(moves);
        for (const Move m : moves) {
            if (m.is_deal() || m.is_removal()) return Dead::No;
            const Column &source = current.column(m.source()), &target = current.column(m.target());
            const uint64_t others = sum - column_hash(source) - column_hash(target);
            current.apply(m, effects);
            if (effects.count > 0) return Dead::No;
            if (seen.insert(others + column_hash(source) + column_hash(target)).second) {
                if (static_cast<int>(seen.size()) > bound) return Dead::Unknown;
                queue.push_back(current.packed());
            }
            current.undo(m, effects);
        }
    }
    return Dead::Yes;
}

}  // namespace spidervet
