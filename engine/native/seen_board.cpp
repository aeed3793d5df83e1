#include "seen_board.hpp"

#include <cstring>

namespace spidervet {

int SeenBoard::table(int columns) const {
    int n = 0;
    for (int i = 0; i < columns; ++i) n += size[i];
    return n;
}

// After column i lost cards: is it empty, or does it end in an unknown card?
void SeenBoard::close(int i) {
    empties = static_cast<uint8_t>(empties + (size[i] == 0));
    turned = static_cast<uint8_t>(turned + turns(i));
}

void SeenBoard::move(int columns, int source, int target, int count) {
    int end_source = 0, end_target = 0, all = 0;
    for (int i = 0; i < columns; ++i) {
        all += size[i];
        if (i == source) end_source = all;
        if (i == target) end_target = all;
    }
    const size_t n = static_cast<size_t>(count);
    Card run[kMaxCards];
    std::memcpy(run, cards + end_source - n, n);
    if (source < target) {
        std::memmove(cards + end_source - n, cards + end_source, static_cast<size_t>(end_target - end_source));
        std::memcpy(cards + end_target - n, run, n);
    } else {
        std::memmove(cards + end_target + n, cards + end_target,
                     static_cast<size_t>(end_source - end_target) - n);
        std::memcpy(cards + end_target, run, n);
    }
    if (size[target] == 0) --empties;
    size[source] = static_cast<uint8_t>(size[source] - count);
    size[target] = static_cast<uint8_t>(size[target] + count);
    close(source);
}

void SeenBoard::remove(int columns, int column, int count) {
    int end = 0, all = 0;
    for (int i = 0; i < columns; ++i) {
        all += size[i];
        if (i == column) end = all;
    }
    std::memmove(cards + end - count, cards + end, static_cast<size_t>(all - end));
    size[column] = static_cast<uint8_t>(size[column] - count);
    ++off;
    close(column);
}

SeenBoard board_of(const View& view) {
    SeenBoard b;
    Card* at = b.cards;
    for (int i = 0; i < view.columns(); ++i) {
        b.size[i] = view.size[i];
        b.down[i] = view.down[i];
        b.empties = static_cast<uint8_t>(b.empties + (view.size[i] == 0));
        std::memcpy(at, view.cards[i], view.size[i]);
        at += view.size[i];
    }
    b.off = static_cast<uint8_t>(view.sequences_off);
    return b;
}

bool may_deal(const Rules& rules, const SeenBoard& board, int stock) {
    if (stock == 0 || board.turned > 0) return false;
    if (rules.stock_deal_over_empty == DealOverEmpty::Allowed || board.empties == 0) return true;
    return rules.stock_deal_over_empty == DealOverEmpty::WhenShort && board.table(rules.columns) < rules.columns;
}

bool short_of_cards(const Rules& rules, int table, int stock) {
    return stock > 0 && rules.stock_deal_over_empty == DealOverEmpty::Forbidden && table < rules.columns;
}

}  // namespace spidervet
