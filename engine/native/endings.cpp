#include "endings.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "hash_set.hpp"
#include "random.hpp"

namespace spidervet {
namespace {

uint64_t card_key(int place, Card c) { return mix64(static_cast<uint64_t>(place) << 8 | c); }

// A column's cards by their places, as a sum: moving some of them costs as many terms.
uint64_t card_sum(const Column& c) {
    uint64_t sum = 0;
    for (int k = 0; k < c.size; ++k) sum += card_key(k, c.cards[k]);
    return sum;
}

uint64_t column_hash(uint64_t sum, int down) { return mix64(sum + static_cast<uint64_t>(down)); }

// Hash of the columns as a multiset, and of what one move within it makes of it.
struct UnorderedHash {
    const Position& position;
    uint64_t sums[kMaxColumns];
    uint64_t all = 0;

    explicit UnorderedHash(const Position& p) : position(p) {
        for (int i = 0; i < p.columns(); ++i) {
            sums[i] = card_sum(p.column(i));
            all += column_hash(sums[i], p.column(i).down);
        }
    }

    // The move turns nothing up.
    uint64_t after(Move m) const {
        const Column &source = position.column(m.source()), &target = position.column(m.target());
        uint64_t from = sums[m.source()], to = sums[m.target()];
        for (int k = 0; k < m.count(); ++k) {
            const int place = source.size - m.count() + k;
            from -= card_key(place, source.cards[place]);
            to += card_key(target.size + k, source.cards[place]);
        }
        return all - column_hash(sums[m.source()], source.down) - column_hash(sums[m.target()], target.down) +
               column_hash(from, source.down) + column_hash(to, target.down);
    }
};

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
    HashSet seen;
    seen.reset();
    seen.insert(UnorderedHash(position).all);
    std::vector<Move> moves;
    Effects effects;
    while (!queue.empty()) {
        Position current(rules, queue.front());
        queue.pop_front();
        const UnorderedHash hash(current);
        current.legal_moves(moves);
        for (const Move m : moves) {
            if (m.is_deal() || m.is_removal()) return Dead::No;
            const Column& source = current.column(m.source());
            if (source.down > 0 && m.count() == source.size - source.down) return Dead::No;
            if (!seen.insert(hash.after(m))) continue;
            current.apply(m, effects);
            if (effects.count > 0) return Dead::No;  // a sequence left: no position seen before has as few cards
            if (static_cast<int>(seen.size()) > bound) return Dead::Unknown;
            queue.push_back(current.packed());
            current.undo(m, effects);
        }
    }
    return Dead::Yes;
}

}  // namespace spidervet
