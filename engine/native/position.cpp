#include "position.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "random.hpp"

namespace spidervet {

std::string Move::text() const {
    if (is_deal()) return "deal";
    if (is_removal()) return "remove " + std::to_string(source() + 1);
    std::string out = std::to_string(source() + 1) + ">" + std::to_string(target() + 1);
    if (count() > 1) out += "x" + std::to_string(count());
    return out;
}

bool Effects::flipped() const {
    for (int i = 0; i < count; ++i)
        if (events[i].suit == kFlip) return true;
    return false;
}

int Effects::removed() const {
    int n = 0;
    for (int i = 0; i < count; ++i) n += events[i].suit != kFlip;
    return n;
}

Position::Position(const Rules& rules, std::span<const uint8_t> packed) : rules_(&rules) {
    const size_t columns = static_cast<size_t>(rules.columns);
    auto fail = [](const std::string& what) { throw std::invalid_argument("packed position: " + what); };
    if (packed.size() < 3 + 2 * columns) fail("shorter than its header");
    if (packed[0] != columns)
        fail("has " + std::to_string(packed[0]) + " columns, the rules " + std::to_string(columns));
    sequences_off_ = packed[1];
    if (sequences_off_ > rules.sequences) fail("more sequences off than the game has");
    size_t at = 3 + 2 * columns;
    size_t table = 0;
    for (size_t i = 0; i < columns; ++i) {
        column_[i].size = packed[3 + i];
        column_[i].down = packed[3 + columns + i];
        table += column_[i].size;
        if (column_[i].down > 0 && column_[i].down >= column_[i].size)
            fail("column " + std::to_string(i + 1) + " does not end face up");
    }
    stock_end_ = packed[2];
    if (table + stock_end_ > kMaxCards) fail("more than 104 cards");
    if (packed.size() != at + table + stock_end_)
        fail("holds " + std::to_string(packed.size() - at) + " cards, its header says " +
             std::to_string(table + stock_end_));
    for (size_t k = at; k < packed.size(); ++k)
        if (rank_of(packed[k]) < 1 || rank_of(packed[k]) > rules.ranks || suit_of(packed[k]) > 3)
            fail("byte " + std::to_string(packed[k]) + " is no card of the game");
    for (size_t i = 0; i < columns; ++i) {
        std::memcpy(column_[i].cards, packed.data() + at, column_[i].size);
        at += column_[i].size;
    }
    std::memcpy(stock_, packed.data() + at, stock_end_);
    if (rules.sequence_removal == Removal::Automatic) {
        Effects effects;
        settle(effects);
    }
}

int Position::cards_on_table() const {
    int n = 0;
    for (int i = 0; i < columns(); ++i) n += column_[i].size;
    return n;
}

int Position::face_down() const {
    int n = 0;
    for (int i = 0; i < columns(); ++i) n += column_[i].down;
    return n;
}

bool Position::can_deal() const {
    if (stock_size() == 0) return false;
    if (rules_->stock_deal_over_empty == DealOverEmpty::Allowed) return true;
    bool any_empty = false;
    for (int i = 0; i < columns(); ++i) any_empty |= column_[i].empty();
    if (!any_empty) return true;
    return rules_->stock_deal_over_empty == DealOverEmpty::WhenShort && cards_on_table() < columns();
}

int Position::movable(int i) const {
    const Column& c = column_[i];
    if (c.empty()) return 0;
    if (rules_->group_move == GroupMove::AnyFaceUp) return c.size - c.down;
    const bool suited = rules_->group_move == GroupMove::SameSuit;
    int n = 1;
    while (n < c.size - c.down) {
        const Card upper = c.cards[c.size - n], lower = c.cards[c.size - n - 1];
        if (rank_of(lower) != rank_of(upper) + 1 || (suited && suit_of(lower) != suit_of(upper))) break;
        ++n;
    }
    return n;
}

bool Position::complete(int i) const {
    const Column& c = column_[i];
    const int ranks = rules_->ranks;
    if (c.size - c.down < ranks) return false;
    const Card* end = c.cards + c.size;
    for (int k = 1; k <= ranks; ++k)
        if (end[-k] != (suit_of(end[-1]) << 4 | k)) return false;
    return true;
}

bool Position::accepts(int target, Card base, int source, int count) const {
    const Column& t = column_[target];
    if (!t.empty())
        return rank_of(t.end()) == rank_of(base) + 1 &&
               (rules_->build == Build::AnySuit || suit_of(t.end()) == suit_of(base));
    // Face-down cards stay behind, so a move of all cards is a move of a column without any.
    return accepts_empty(base) &&
           (rules_->whole_column_to_empty == WholeColumn::Allowed || count < column_[source].size);
}

bool Position::accepts_empty(Card base) const {
    return rules_->empty_column_accepts == EmptyAccepts::Any ||
           (rules_->empty_column_accepts == EmptyAccepts::Kings && rank_of(base) == rules_->ranks);
}

bool Position::legal(Move m) const {
    if (won()) return false;
    if (m.is_deal()) return can_deal();
    const int s = m.source(), t = m.target(), n = m.count();
    if (s >= columns() || t >= columns()) return false;
    if (m.is_removal())
        return rules_->sequence_removal == Removal::Optional && n == rules_->ranks && complete(s);
    return n >= 1 && n <= movable(s) && accepts(t, column_[s].cards[column_[s].size - n], s, n);
}

void Position::legal_moves(std::vector<Move>& out) const {
    out.clear();
    if (won()) return;
    // Columns as bits: the empty ones, and the others by the rank of their end.
    uint32_t empty = 0, ending[kMaxRanks + 2] = {};
    for (int t = 0; t < columns(); ++t) (column_[t].empty() ? empty : ending[rank_of(column_[t].end())]) |= 1u << t;
    const bool whole = rules_->whole_column_to_empty == WholeColumn::Allowed;
    for (int s = 0; s < columns(); ++s) {
        const Column& c = column_[s];
        const int most = movable(s);
        for (int n = 1; n <= most; ++n) {
            const Card base = c.cards[c.size - n];
            uint32_t targets = ending[rank_of(base) + 1] & ~(1u << s);
            if (empty != 0 && accepts_empty(base) && (whole || n < c.size)) targets |= empty;
            for (; targets != 0; targets &= targets - 1) {
                const int t = std::countr_zero(targets);
                if (rules_->build == Build::AnySuit || column_[t].empty() || suit_of(column_[t].end()) == suit_of(base))
                    out.push_back(Move::tableau(s, t, n));
            }
        }
    }
    if (rules_->sequence_removal == Removal::Optional)
        for (int i = 0; i < columns(); ++i)
            if (complete(i)) out.push_back(Move::removal(i, rules_->ranks));
    if (can_deal()) out.push_back(Move::deal());
}

bool Position::stuck() const {
    if (won() || can_deal()) return false;
    thread_local std::vector<Move> moves;
    legal_moves(moves);
    return moves.empty();
}

void Position::flip_end(int i, Effects& effects) {
    Column& c = column_[i];
    if (c.size == 0 || c.down < c.size) return;
    --c.down;
    effects.events[effects.count++] = {static_cast<uint8_t>(i), Effects::kFlip};
}

void Position::take_sequence(int i, Effects& effects) {
    Column& c = column_[i];
    effects.events[effects.count++] = {static_cast<uint8_t>(i), static_cast<uint8_t>(suit_of(c.end()))};
    c.size = static_cast<uint8_t>(c.size - rules_->ranks);
    ++sequences_off_;
    flip_end(i, effects);
}

void Position::settle(Effects& effects) {
    for (int i = 0; i < columns(); ++i)
        while (complete(i)) take_sequence(i, effects);
}

void Position::apply(Move m, Effects& effects) {
    effects.count = 0;
    effects.dealt = 0;
    if (m.is_removal()) {
        take_sequence(m.source(), effects);
        return;
    }
    if (m.is_deal()) {
        // The whole row goes down before any sequence is looked for.
        while (effects.dealt < columns() && stock_size() > 0) {
            Column& c = column_[effects.dealt++];
            c.cards[c.size++] = stock_[stock_begin_++];
        }
    } else {
        Column &s = column_[m.source()], &t = column_[m.target()];
        const int n = m.count();
        std::memcpy(t.cards + t.size, s.cards + s.size - n, static_cast<size_t>(n));
        t.size = static_cast<uint8_t>(t.size + n);
        s.size = static_cast<uint8_t>(s.size - n);
        flip_end(m.source(), effects);
    }
    if (rules_->sequence_removal != Removal::Automatic) return;
    if (m.is_deal())
        settle(effects);
    else
        // No other column has changed.
        for (const int i : {std::min(m.source(), m.target()), std::max(m.source(), m.target())})
            while (complete(i)) take_sequence(i, effects);
}

void Position::undo(Move m, const Effects& effects) {
    for (int e = effects.count - 1; e >= 0; --e) {
        Column& c = column_[effects.events[e].column];
        if (effects.events[e].suit == Effects::kFlip) {
            ++c.down;
            continue;
        }
        for (int rank = rules_->ranks; rank >= 1; --rank)
            c.cards[c.size++] = static_cast<Card>(effects.events[e].suit << 4 | rank);
        --sequences_off_;
    }
    if (m.is_removal()) return;
    if (m.is_deal()) {
        stock_begin_ = static_cast<uint8_t>(stock_begin_ - effects.dealt);
        for (int i = 0; i < effects.dealt; ++i) --column_[i].size;
        return;
    }
    Column &s = column_[m.source()], &t = column_[m.target()];
    const int n = m.count();
    t.size = static_cast<uint8_t>(t.size - n);
    std::memcpy(s.cards + s.size, t.cards + t.size, static_cast<size_t>(n));
    s.size = static_cast<uint8_t>(s.size + n);
}

std::vector<uint8_t> Position::packed() const {
    std::vector<uint8_t> out{static_cast<uint8_t>(columns()), sequences_off_, static_cast<uint8_t>(stock_size())};
    for (int i = 0; i < columns(); ++i) out.push_back(column_[i].size);
    for (int i = 0; i < columns(); ++i) out.push_back(column_[i].down);
    for (int i = 0; i < columns(); ++i) out.insert(out.end(), column_[i].cards, column_[i].cards + column_[i].size);
    out.insert(out.end(), stock_ + stock_begin_, stock_ + stock_end_);
    return out;
}

uint64_t Position::hash() const {
    uint64_t h = mix64(static_cast<uint64_t>(stock_size()) << 8 | sequences_off_);
    for (int i = 0; i < columns(); ++i) {
        const Column& c = column_[i];
        h = mix64(h ^ (static_cast<uint64_t>(c.size) << 8 | c.down));
        for (int k = 0; k < c.size; ++k) h = mix64(h + c.cards[k]);
    }
    return h;
}

bool Position::operator==(const Position& other) const { return packed() == other.packed(); }

}  // namespace spidervet
