#include "board.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "random.hpp"

namespace spidervet {
namespace {

// Random words for every card at every depth, face-down counts, columns and stock sizes: fixed numbers, so
// that searches are the same everywhere.
struct Words {
    Hash128 card[kMaxCards][64];
    Hash128 down[kMaxCards + 1];
    Hash128 column[kMaxColumns];
    Hash128 stock[kMaxCards + 1];

    Words() {
        Random a(0x5350494445525645), b(0x7072'6f6f'6673'2121);
        auto word = [&] { return Hash128{a.next(), b.next()}; };
        for (auto& depth : card)
            for (Hash128& w : depth) w = word();
        for (Hash128& w : down) w = word();
        for (Hash128& w : column) w = word();
        for (Hash128& w : stock) w = word();
        stock[0] = {};
    }
};

const Words& words() {
    static const std::unique_ptr<const Words> all = std::make_unique<Words>();
    return *all;
}

}  // namespace

Board::Board(const Position& start, bool symmetric) : rules_(&start.rules()), symmetric_(symmetric) {
    off_ = static_cast<uint8_t>(start.sequences_off());
    stock_.assign(start.stock().begin(), start.stock().end());
    for (int i = 0; i < columns(); ++i) {
        for (int k = 0; k < start.column(i).size; ++k) push(i, start.column(i).cards[k]);
        column_[i].down = start.column(i).down;
    }
    close_all();
}

void Board::push(int i, Card c) {
    Pile& p = column_[i];
    p.prefix[p.size + 1] = p.prefix[p.size] + words().card[p.size][c];
    p.cards[p.size++] = c;
}

Hash128 Board::share(int i, Hash128 prefix, int size, int down) const {
    if (size == 0) return {};
    if (down > 0) prefix += words().down[down];
    if (ordered_) prefix += words().column[i];
    // Mixed before columns are added up, so that cards cannot trade places between columns unseen.
    return {mix64(prefix.a), mix64(prefix.b ^ 0x9e3779b97f4a7c15u)};
}

// Takes a column out of the totals before it changes.
void Board::open(int i) {
    const Pile& p = column_[i];
    total_ -= p.hash;
    ends_[p.size == 0 ? 0 : rank_of(p.cards[p.size - 1])] &= static_cast<uint16_t>(~(1u << i));
}

void Board::close(int i) {
    Pile& p = column_[i];
    p.hash = share(i, p.prefix[p.size], p.size, p.down);
    total_ += p.hash;
    ends_[p.size == 0 ? 0 : rank_of(p.cards[p.size - 1])] |= static_cast<uint16_t>(1u << i);
    const int up = p.size - p.down;
    int n = up < 1 ? up : 1;
    if (rules_->group_move == GroupMove::AnyFaceUp) {
        n = up;
    } else {
        const bool suited = rules_->group_move == GroupMove::SameSuit;
        for (; n < up; ++n) {
            const Card upper = p.cards[p.size - n], lower = p.cards[p.size - n - 1];
            if (suited ? lower != upper + 1 : rank_of(lower) != rank_of(upper) + 1) break;
        }
    }
    p.movable = static_cast<uint8_t>(n);
}

// Everything anew, as after a deal: with the last one the order of columns may stop to matter.
void Board::close_all() {
    ordered_ = !symmetric_ || stock_size() > 0;
    total_ = words().stock[stock_size()];
    std::fill(std::begin(ends_), std::end(ends_), uint16_t{0});
    for (int i = 0; i < columns(); ++i) close(i);
}

bool Board::can_deal() const {
    if (stock_size() == 0) return false;
    if (ends_[0] == 0 || rules_->stock_deal_over_empty == DealOverEmpty::Allowed) return true;
    return rules_->stock_deal_over_empty == DealOverEmpty::WhenShort && cards_on_table() < columns();
}

int Board::cards_on_table() const {
    int n = 0;
    for (int i = 0; i < columns(); ++i) n += column_[i].size;
    return n;
}

bool Board::complete(int i) const {
    const Pile& p = column_[i];
    if (p.size - p.down < rules_->ranks || rank_of(p.cards[p.size - 1]) != 1) return false;
    const Card ace = p.cards[p.size - 1];
    for (int k = 1; k < rules_->ranks; ++k)
        if (p.cards[p.size - 1 - k] != ace + k) return false;
    return true;
}

bool Board::leaves(Move m) const {
    if (rules_->sequence_removal == Removal::Optional) return false;
    const Pile &s = column_[m.source()], &t = column_[m.target()];
    const int n = m.count();
    if (s.size - n >= rules_->ranks && rank_of(s.cards[s.size - n - 1]) == 1) return true;
    return rank_of(s.cards[s.size - 1]) == 1 && t.size - t.down + n >= rules_->ranks;
}

Hash128 Board::hash_after(Move m) {
    if (m.is_deal() || m.is_removal() || leaves(m)) {
        apply(m);
        const Hash128 h = hash();
        undo();
        return h;
    }
    const int n = m.count();
    const Pile &s = column_[m.source()], &t = column_[m.target()];
    const int left = s.size - n;
    const int down = s.down - (left > 0 && s.down == left);
    Hash128 prefix = t.prefix[t.size];
    for (int k = 0; k < n; ++k) prefix += words().card[t.size + k][s.cards[left + k]];
    Hash128 h = total_ - s.hash - t.hash;
    h += share(m.source(), s.prefix[left], left, down);
    h += share(m.target(), prefix, t.size + n, t.down);
    return h == Hash128{} ? Hash128{1, 1} : h;
}

Hash128 Board::part_hash(int i, int k) const {
    const Hash128 h = column_[i].prefix[k];
    return {mix64(h.a), mix64(h.b)};
}

void Board::flip_end(int i) {
    Pile& p = column_[i];
    if (p.size == 0 || p.down < p.size) return;
    --p.down;
    events_.push_back({static_cast<uint8_t>(i), Effects::kFlip});
}

void Board::take_sequence(int i) {
    Pile& p = column_[i];
    events_.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(suit_of(p.cards[p.size - 1]))});
    p.size = static_cast<uint8_t>(p.size - rules_->ranks);
    ++off_;
    flip_end(i);
}

void Board::settle(int first, int last) {
    if (rules_->sequence_removal == Removal::Optional) return;
    for (int i = first; i <= last; ++i)
        while (complete(i)) take_sequence(i);
}

void Board::apply(Move m) {
    Frame frame{m, 0, 0};
    const size_t events = events_.size();
    if (m.is_deal()) {
        while (frame.dealt < columns() && stock_size() > 0) push(frame.dealt++, stock_[static_cast<size_t>(dealt_++)]);
        settle(0, columns() - 1);
        close_all();
    } else if (m.is_removal()) {
        open(m.source());
        take_sequence(m.source());
        close(m.source());
    } else {
        const int s = m.source(), t = m.target(), n = m.count();
        open(s);
        open(t);
        Pile& p = column_[s];
        const int left = p.size - n;
        for (int k = left; k < p.size; ++k) push(t, p.cards[k]);
        p.size = static_cast<uint8_t>(left);
        flip_end(s);
        // In the order of columns, as the rules count them; only these two can have changed.
        settle(std::min(s, t), std::min(s, t));
        settle(std::max(s, t), std::max(s, t));
        close(s);
        close(t);
    }
    frame.events = static_cast<uint8_t>(events_.size() - events);
    frames_.push_back(frame);
}

void Board::undo() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    const Move m = frame.move;
    const bool two = !m.is_deal() && !m.is_removal();
    if (!m.is_deal()) open(m.source());
    if (two) open(m.target());
    for (int e = 0; e < frame.events; ++e) {
        const Effects::Event event = events_.back();
        events_.pop_back();
        if (event.suit == Effects::kFlip) {
            ++column_[event.column].down;
            continue;
        }
        for (int rank = rules_->ranks; rank >= 1; --rank) push(event.column, static_cast<Card>(event.suit << 4 | rank));
        --off_;
    }
    if (m.is_deal()) {
        dealt_ -= frame.dealt;
        for (int i = 0; i < frame.dealt; ++i) --column_[i].size;
        close_all();
        return;
    }
    if (two) {
        Pile& t = column_[m.target()];
        const int left = t.size - m.count();
        for (int k = left; k < t.size; ++k) push(m.source(), t.cards[k]);
        t.size = static_cast<uint8_t>(left);
        close(m.target());
    }
    close(m.source());
}

std::vector<Move> Board::line() const {
    std::vector<Move> out;
    out.reserve(frames_.size());
    for (const Frame& f : frames_) out.push_back(f.move);
    return out;
}

}  // namespace spidervet
