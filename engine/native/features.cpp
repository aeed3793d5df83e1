#include "features.hpp"

#include <algorithm>

namespace spidervet {
namespace {

// Keeps the least values offered.
template <int N>
struct Least {
    int value[N];
    explicit Least(int none) { std::fill(value, value + N, none); }
    void offer(int v) {
        for (int i = 0; i < N; ++i)
            if (v < value[i]) std::swap(v, value[i]);
    }
};

constexpr int kNoColumn = 12;  // stands for "no such column" among counts of runs

struct Reader {
    const View& view;
    const ColumnPool& pool;
    const SeenBoard& board;
    Features& out;
    Least<3> longest{0};  // negated
    Least<3> easiest{kNoColumn};
    Least<2> emptiest{kNoColumn};
    uint32_t seen[4] = {};       // by suit: ranks in sight
    int end_count[16] = {};      // by rank
    int end_suits[16][4] = {};   // by rank and suit
    int suit_joins[4] = {};
    struct Runs {
        int count = 0;       // suited runs of a column, 0 where none is known
        int broken = 0;      // of them those that do not go on in rank
        uint8_t base[kMaxCards];  // the card deepest in each, deepest run first
    };
    Runs runs[kMaxColumns];

    void add(FeatureIndex i, int n) { out[static_cast<size_t>(i)] = static_cast<int16_t>(out[static_cast<size_t>(i)] + n); }

    void run_ends(int run) {
        add(kIn_run_square, run * run);
        longest.offer(-run);
    }

    void column(int i) {
        const int size = board.size[i], down = board.down[i];
        if (size == 0) return;
        if (size == down) {  // a card turned up that nobody knows yet
            add(kIn_turned, 1);
            add(kIn_turned_last, down == 1);
            hidden(down - 1);
            if (down > 1) easiest.offer(1);
            emptiest.offer(down);
            return;
        }
        const Fold* cards = &pool.at(board, i, down) + 1 - down;  // by place in the column
        hidden(down);
        int run = 0, ordered = 0, segments = 0, least = 15;
        for (int k = down; k < size; ++k) {
            const Card c = cards[k].card;
            const int rank = rank_of(c);
            seen[suit_of(c)] |= 1u << rank;
            const int below = k > down ? rank_of(cards[k - 1].card) : 0;
            const bool follows = below == rank + 1, suited = follows && suit_of(cards[k - 1].card) == suit_of(c);
            if (k > down) {
                add(suited ? kIn_joins : follows ? kIn_mixed : below > rank ? kIn_gaps : kIn_inversions, 1);
                if (!suited) run_ends(run);
            }
            if (rank == view.rules->ranks) add(k == 0 ? kIn_king_base : kIn_king_over, 1);
            if (suited)
                ++suit_joins[suit_of(c)];
            else
                runs[i].base[runs[i].count++] = c;
            runs[i].broken += k > down && !follows;
            run = suited ? run + 1 : 1;
            ordered = follows ? ordered + 1 : 1;
            segments += !suited;
            add(kIn_buried, rank > least);
            least = std::min(least, rank);
        }
        run_ends(run);
        add(kIn_end_runs, run);
        add(kIn_end_ordered, ordered);
        add(down > 0 ? kIn_segments_down : kIn_segments_open, segments);
        if (down > 0) easiest.offer(segments);
        emptiest.offer(down + segments);
        ++end_count[rank_of(cards[size - 1].card)];
        ++end_suits[rank_of(cards[size - 1].card)][suit_of(cards[size - 1].card)];
    }

    void hidden(int down) {
        if (down <= 0) return;
        add(kIn_hidden, down);
        add(kIn_hidden_columns, 1);
        add(kIn_hidden_square, down * down);
    }

    void ends() {
        add(kIn_ace_ends, end_count[1]);
        add(kIn_king_ends, end_count[view.rules->ranks]);
        int place = 0, place_suit = 0, receive = 0, receive_suit = 0;
        for (int rank = 1; rank <= view.rules->ranks; ++rank) {
            if (end_count[rank] == 0) continue;
            add(kIn_ends, 1);
            if (end_count[rank + 1] > 0) add(kIn_ends_fit, end_count[rank]);
            for (int suit = 0; suit < 4; ++suit) {
                const int lower = view.unseen[suit << 4 | (rank - 1)], higher = view.unseen[suit << 4 | (rank + 1)];
                if (rank > 1) place += lower;
                receive += higher * end_count[rank];
                const int here = end_suits[rank][suit];
                if (here == 0) continue;
                if (end_suits[rank + 1][suit] > 0) add(kIn_ends_fit_suit, here);
                if (rank > 1) place_suit += lower * here;
                receive_suit += higher * here;
            }
        }
        const int total = std::max(1, view.unseen_total());
        add(kIn_place, 1000 * place / total);
        add(kIn_place_suit, 1000 * place_suit / total);
        add(kIn_receive, 1000 * receive / total);
        add(kIn_receive_suit, 1000 * receive_suit / total);
    }

    bool fits(Card base) const { return end_count[rank_of(base) + 1] > 0; }

    // What could be done with whole runs now, and how much stands in the way of more.
    void whole_runs() {
        Least<3> blocked{kNoColumn}, clear{kNoColumn};
        int receive = 0, receive_suit = 0;
        for (int i = 0; i < view.columns(); ++i) {
            const Runs& r = runs[i];
            const int down = board.down[i];
            if (r.count == 0) continue;
            const Card last = r.base[r.count - 1];
            if (fits(last)) {
                add(kIn_run_fit, 1);
                add(kIn_run_fit_suit, end_suits[rank_of(last) + 1][suit_of(last)] > 0);
                add(kIn_run_fit_turn, r.count == 1 && down > 0);
                add(kIn_run_fit_empty, r.count == 1 && down == 0);
            }
            for (int suit = 0; suit < 4; ++suit) receive += view.unseen[suit << 4 | (rank_of(last) + 1)];
            receive_suit += view.unseen[last + 1];
            int stuck = 0;
            for (int k = 0; k < r.count; ++k) stuck += !fits(r.base[k]);
            if (down > 0) {
                blocked.offer(stuck);
                add(kIn_blocked, stuck);
            } else {
                add(kIn_open_single, r.count == 1);
                add(kIn_open_ordered, r.broken == 0);
            }
            clear.offer(down + stuck);
        }
        const int total = std::max(1, view.unseen_total());
        add(kIn_run_receive, 1000 * receive / total);
        add(kIn_run_receive_suit, 1000 * receive_suit / total);
        for (int i = 0; i < 3; ++i) {
            add(static_cast<FeatureIndex>(kIn_blocked1 + i), blocked.value[i]);
            add(static_cast<FeatureIndex>(kIn_clear1 + i), clear.value[i]);
        }
        for (int suit = 0; suit < 4; ++suit) add(kIn_unseen_kings, view.unseen[suit << 4 | view.rules->ranks]);
        add(kIn_suit_joins, *std::max_element(suit_joins, suit_joins + 4));
    }

    void missing() {
        Least<2> fewest(13);
        for (int suit = 0; suit < view.rules->suits; ++suit)
            fewest.offer(view.rules->ranks - __builtin_popcount(seen[suit]));
        add(kIn_missing1, fewest.value[0]);
        add(kIn_missing2, fewest.value[1]);
    }
};

}  // namespace

const std::array<const char*, kInputs>& feature_names() {
    static const std::array<const char*, kInputs> names{
#define X(name) #name,
        SPIDERVET_FEATURES(X)
#undef X
    };
    return names;
}

Features features_of(const View& view, const ColumnPool& pool, const SeenBoard& board, bool deal) {
    Features out{};
    Reader r{view, pool, board, out};
    r.add(kIn_deal, deal);
    const int columns = view.columns();
    const int rows = std::min(5, (view.stock + columns - 1) / columns);
    r.add(static_cast<FeatureIndex>(kIn_rows0 + rows), 1);
    int tall = 0;
    for (int i = 0; i < columns; ++i) {
        r.column(i);
        tall = std::max<int>(tall, board.size[i]);
    }
    r.ends();
    r.missing();
    r.whole_runs();
    r.add(kIn_empties, board.empties);
    r.add(kIn_empty1, board.empties >= 1);
    r.add(kIn_empty2, board.empties >= 2);
    r.add(kIn_off, board.off);
    out[kIn_run_square] = static_cast<int16_t>(out[kIn_run_square] / 4);
    for (int i = 0; i < 3; ++i) {
        r.add(static_cast<FeatureIndex>(kIn_longest1 + i), -r.longest.value[i]);
        r.add(static_cast<FeatureIndex>(kIn_easiest1 + i), r.easiest.value[i]);
    }
    r.add(kIn_emptiest1, r.emptiest.value[0]);
    r.add(kIn_emptiest2, r.emptiest.value[1]);
    r.add(kIn_tall, tall);
    r.add(kIn_unseen, view.unseen_total());
    return out;
}

}  // namespace spidervet
