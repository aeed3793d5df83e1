#include "seen_board.hpp"

namespace spidervet {
namespace {

// After column i lost cards: is it empty, or does it end in an unknown card?
void close(SeenBoard& b, int i) {
    b.empties = static_cast<uint8_t>(b.empties + (b.size[i] == 0));
    b.turned = static_cast<uint8_t>(b.turned + b.turns(i));
}

}  // namespace

int SeenBoard::table(int columns) const {
    int n = 0;
    for (int i = 0; i < columns; ++i) n += size[i];
    return n;
}

SeenBoard ColumnPool::start(const View& view) {
    SeenBoard b;
    folds_.clear();
    for (int i = 0; i < view.columns(); ++i) {
        b.size[i] = view.size[i];
        b.down[i] = view.down[i];
        b.empties = static_cast<uint8_t>(b.empties + (view.size[i] == 0));
        b.first[i] = static_cast<uint32_t>(folds_.size());
        folds_.push_back(rater_.base(view.down[i]));
        for (int k = view.down[i]; k < view.size[i]; ++k)
            folds_.push_back(rater_.step(folds_.back(), view.cards[i][k], view.down[i] > 0));
    }
    b.off = static_cast<uint8_t>(view.sequences_off);
    return b;
}

Fold ColumnPool::grown(const SeenBoard& b, int source, int target, int count) const {
    Fold f = end(b, target);
    const bool over_down = b.down[target] > 0;
    const Fold* cards = &end(b, source) - count + 1;
    for (int k = 0; k < count; ++k) f = rater_.step(f, cards[k].card, over_down);
    return f;
}

void ColumnPool::move(SeenBoard& b, int source, int target, int count) {
    const size_t held = static_cast<size_t>(b.size[target] - b.down[target]) + 1, n = static_cast<size_t>(count);
    const size_t first = folds_.size();
    folds_.resize(first + held + n);
    const Fold* kept = folds_.data() + b.first[target];
    const Fold* cards = &end(b, source) - count + 1;
    Fold* out = folds_.data() + first;
    for (size_t k = 0; k < held; ++k) out[k] = kept[k];
    const bool over_down = b.down[target] > 0;
    for (size_t k = 0; k < n; ++k) out[held + k] = rater_.step(out[held + k - 1], cards[k].card, over_down);
    b.first[target] = static_cast<uint32_t>(first);
    if (b.size[target] == 0) --b.empties;
    b.size[source] = static_cast<uint8_t>(b.size[source] - count);
    b.size[target] = static_cast<uint8_t>(b.size[target] + count);
    close(b, source);
}

void ColumnPool::remove(SeenBoard& b, int column, int sequences, int ranks) {
    b.size[column] = static_cast<uint8_t>(b.size[column] - sequences * ranks);
    b.off = static_cast<uint8_t>(b.off + sequences);
    close(b, column);
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
