#include "packed.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "expand.hpp"
#include "hashing.hpp"

namespace spidervet {

Stage::Stage(const Rules& r, const Weights& weights, std::span<const Card> left)
    : rules(r),
      tables(weights, r, (static_cast<int>(left.size()) + r.columns - 1) / r.columns),
      stock(left.begin(), left.end()),
      row(std::min(static_cast<int>(left.size()), r.columns)) {
    for (size_t i = 0; i < kMaxColumns; ++i) salt[i] = stock.empty() ? 0 : kHashColumn[i];
}

State pack(const Position& position) {
    State s{};
    s.off = static_cast<uint8_t>(position.sequences_off());
    Card* at = s.cards;
    for (int i = 0; i < position.columns(); ++i) {
        const Column& c = position.column(i);
        s.size[i] = c.size;
        s.down[i] = c.down;
        std::memcpy(at, c.cards, c.size);
        at += c.size;
    }
    s.total = static_cast<uint8_t>(at - s.cards);
    return s;
}

std::vector<uint8_t> unpack(const State& s, const Stage& stage) {
    const int n = stage.rules.columns;
    std::vector<uint8_t> out{static_cast<uint8_t>(n), s.off, static_cast<uint8_t>(stage.stock.size())};
    out.insert(out.end(), s.size, s.size + n);
    out.insert(out.end(), s.down, s.down + n);
    out.insert(out.end(), s.cards, s.cards + s.total);
    out.insert(out.end(), stage.stock.begin(), stage.stock.end());
    return out;
}

void rate(State& s, const Stage& stage) {
    Scratch scratch;
    load(s, stage, stage.rules.columns, scratch);
    s.rating = scratch.rating;
    s.hash = scratch.hash;
}

namespace {

bool complete(const State& s, const Card* end, int i, int ranks) {
    if (s.size[i] - s.down[i] < ranks || rank_of(end[-1]) != 1) return false;
    for (int k = 2; k <= ranks; ++k)
        if (end[-k] != end[-1] + k - 1) return false;
    return true;
}

void flip(State& s, int i) {
    if (s.size[i] > 0 && s.down[i] == s.size[i]) --s.down[i];
}

// Takes the sequence at the column's end off; end points past that column's last card.
void take(State& s, Card* end, int i, int ranks) {
    std::memmove(end - ranks, end, static_cast<size_t>(s.cards + s.total - end));
    s.size[i] = static_cast<uint8_t>(s.size[i] - ranks);
    s.total = static_cast<uint8_t>(s.total - ranks);
    ++s.off;
    flip(s, i);
}

void settle(State& s, const Rules& rules) {
    Card* end = s.cards;
    for (int i = 0; i < rules.columns; ++i) {
        end += s.size[i];
        while (complete(s, end, i, rules.ranks)) {
            take(s, end, i, rules.ranks);
            end -= rules.ranks;
        }
    }
}

void deal(const State& parent, const Stage& stage, State& child) {
    const Card* from = parent.cards;
    Card* to = child.cards;
    for (int i = 0; i < stage.rules.columns; ++i) {
        std::memcpy(to, from, parent.size[i]);
        from += parent.size[i];
        to += parent.size[i];
        if (i >= stage.row) continue;
        *to++ = stage.stock[static_cast<size_t>(i)];
        ++child.size[i];
    }
    child.total = static_cast<uint8_t>(to - child.cards);
}

void shift(const State& parent, Move move, State& child) {
    const int s = move.source(), t = move.target(), n = move.count();
    int s_end = 0, t_end = 0;
    for (int i = 0; i <= s; ++i) s_end += parent.size[i];
    for (int i = 0; i <= t; ++i) t_end += parent.size[i];
    const Card* p = parent.cards;
    Card* c = child.cards;
    const auto count = [](int k) { return static_cast<size_t>(k); };
    if (s < t) {
        std::memcpy(c, p, count(s_end - n));
        std::memcpy(c + s_end - n, p + s_end, count(t_end - s_end));
        std::memcpy(c + t_end - n, p + s_end - n, count(n));
        std::memcpy(c + t_end, p + t_end, count(parent.total - t_end));
    } else {
        std::memcpy(c, p, count(t_end));
        std::memcpy(c + t_end, p + s_end - n, count(n));
        std::memcpy(c + t_end + n, p + t_end, count(s_end - n - t_end));
        std::memcpy(c + s_end, p + s_end, count(parent.total - s_end));
    }
    child.size[s] = static_cast<uint8_t>(child.size[s] - n);
    child.size[t] = static_cast<uint8_t>(child.size[t] + n);
    flip(child, s);
}

}  // namespace

void make_child(const State& parent, Move move, const Stage& stage, State& child) {
    std::memcpy(&child, &parent, offsetof(State, cards));
    ++child.depth;
    if (move.is_removal()) {
        std::memcpy(child.cards, parent.cards, parent.total);
        Card* end = child.cards;
        for (int i = 0; i <= move.source(); ++i) end += child.size[i];
        take(child, end, move.source(), stage.rules.ranks);
        return;
    }
    if (move.is_deal()) deal(parent, stage, child);
    else shift(parent, move, child);
    if (stage.rules.sequence_removal == Removal::Automatic) settle(child, stage.rules);
}

}  // namespace spidervet
