#include "exhaust.hpp"

#include <algorithm>
#include <array>

#include "board.hpp"
#include "digging.hpp"
#include "moves.hpp"
#include "relaxed.hpp"
#include "shorten.hpp"
#include "sure_win.hpp"

namespace spidervet {
namespace {

constexpr std::array<const char*, 6> kNames{"column-order", "one-empty", "whole-to-empty", "relaxed-dead", "sure-win",
                                             "digging-dead"};

// Depth first over components, breadth first inside one. A component is what moves reach that can be taken
// back at once: a run goes from a card it fits on to another. Every other action is an exit, as its progress
// (a card freed for good, a sequence off, a row dealt) is never undone, so that components nest at most a
// few hundred deep and their positions need no more than a move and a parent each.
class Search {
public:
    Search(const Position& start, Meter& meter, uint64_t memory_bytes, uint32_t prunings)
        : meter_(meter),
          nodes_before_(meter.nodes()),
          memory_bytes_(memory_bytes),
          prunings_(prunings),
          board_(start, prunings & kColumnOrder) {}

    SearchResult run();

private:
    struct Node {
        uint32_t parent;
        Move move;
        uint16_t depth;
    };
    struct Exit {
        uint32_t node;
        Move move;
        int16_t rating;
    };
    struct Component {
        uint32_t first_node;
        uint32_t first_exit;
        uint32_t next;   // node to expand
        uint32_t quota;  // expansions before its exits are tried
        uint32_t at;     // node that the board is at
    };
    struct Child {
        Move move;
        bool exit;
        Hash128 hash;
    };
    static constexpr uint32_t kFirstQuota = 256;

    bool on(ProofPruning p) const { return prunings_ & p; }
    bool fits_back(Move m) const;
    bool lost() {
        return (on(kDiggingDead) && digging_.dead(board_)) || (on(kRelaxedDead) && relaxed_dead(board_));
    }
    int rating() const;
    bool expand(Component& c);
    void go_to(Component& c, uint32_t node);
    void enter();
    bool try_exit(SearchResult& result);
    bool decided(SearchResult& result);
    std::string certificate() const;
    // Vectors may reserve twice what they have ever held.
    uint64_t bytes() {
        most_nodes_ = std::max(most_nodes_, nodes_.size());
        most_exits_ = std::max(most_exits_, exits_.size());
        return DiggingTest::bytes() + seen_.bytes() + board_.bytes() +
               2 * (most_nodes_ * sizeof(Node) + most_exits_ * sizeof(Exit));
    }

    Meter& meter_;
    const uint64_t nodes_before_;  // of earlier stages; a certificate counts this search alone
    uint64_t memory_bytes_;
    uint32_t prunings_;
    Board board_;
    ProofSet seen_;
    DiggingTest digging_;
    std::vector<Node> nodes_;
    std::vector<Exit> exits_;
    std::vector<Component> components_;
    std::vector<Child> children_;
    std::vector<Move> path_;
    uint64_t dead_ = 0;
    size_t most_nodes_ = 0;
    size_t most_exits_ = 0;
};

// Whether the cards that a tableau move lifts may go back to where they are.
bool Search::fits_back(Move m) const {
    const int s = m.source(), left = board_.size(s) - m.count();
    if (left == 0) return true;
    if (board_.down(s) >= left) return false;
    const Card under = board_.card(s, left - 1), base = board_.card(s, left);
    return rank_of(under) == rank_of(base) + 1 &&
           (board_.rules().build == Build::AnySuit || suit_of(under) == suit_of(base));
}

// Orders exits only: it says how soon a win is found, never whether there is one.
int Search::rating() const {
    int r = 60 * board_.sequences_off() - 2 * board_.stock_size();
    for (int i = 0; i < board_.columns(); ++i) {
        if (board_.size(i) == 0) r += 5;
        r -= 3 * board_.down(i);
        for (int k = 1; k < board_.size(i); ++k) {
            const Card under = board_.card(i, k - 1), c = board_.card(i, k);
            if (under == c + 1) r += 3;
            else if (rank_of(under) == rank_of(c) + 1) r -= 1;
            else r -= rank_of(under) < rank_of(c) ? 5 : 3;
        }
    }
    return r;
}

// Looks at all children of the node that is next. False if the search must stop.
bool Search::expand(Component& c) {
    go_to(c, c.next++);
    children_.clear();
    each_move(board_, {on(kOneEmpty), on(kWholeToEmpty)}, [this](Move m) {
        const Hash128 h = board_.hash_after(m);
        seen_.prefetch(h);
        const bool exit = m.is_deal() || m.is_removal() || !fits_back(m) || board_.leaves(m);
        children_.push_back({m, exit, h});
    });
    const uint32_t parent = c.at;
    const uint16_t depth = static_cast<uint16_t>(nodes_[parent].depth + 1);
    for (const Child& child : children_) {
        if (!seen_.insert(child.hash)) continue;
        if (!child.exit) {
            nodes_.push_back({parent, child.move, depth});
            continue;
        }
        board_.apply(child.move);
        exits_.push_back({parent, child.move, static_cast<int16_t>(rating())});
        board_.undo();
    }
    return meter_.spend(children_.size());
}

// Takes the board to another node of the component, by way of their nearest common ancestor.
void Search::go_to(Component& c, uint32_t node) {
    path_.clear();
    uint32_t from = c.at, to = node;
    while (from != to) {
        if (nodes_[from].depth >= nodes_[to].depth) {
            board_.undo();
            from = nodes_[from].parent;
        } else {
            path_.push_back(nodes_[to].move);
            to = nodes_[to].parent;
        }
    }
    while (!path_.empty()) {
        board_.apply(path_.back());
        path_.pop_back();
    }
    c.at = node;
}

void Search::enter() {
    const uint32_t root = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({root, {}, 0});
    components_.push_back({root, static_cast<uint32_t>(exits_.size()), root, kFirstQuota, root});
}

bool Search::decided(SearchResult& result) {
    std::vector<Move> rest;
    if (!board_.won() && !(on(kSureWin) && sure_win(board_, rest))) return false;
    result.verdict = Verdict::Solved;
    result.line = board_.line();
    result.line.insert(result.line.end(), rest.begin(), rest.end());
    return true;
}

// The best exit that is left: into its component, unless that is lost. True if it wins.
bool Search::try_exit(SearchResult& result) {
    const Exit exit = exits_.back();
    exits_.pop_back();
    go_to(components_.back(), exit.node);
    board_.apply(exit.move);
    if (decided(result)) return true;
    if (lost()) {
        ++dead_;
        board_.undo();
    } else {
        enter();
    }
    return false;
}

SearchResult Search::run() {
    SearchResult result;
    if (decided(result)) return result;
    seen_.insert(board_.hash());
    if (!lost()) enter();
    while (!components_.empty()) {
        Component& c = components_.back();
        const uint32_t expanded = c.next - c.first_node;
        if (c.next < nodes_.size() && expanded < c.quota) {
            if (!expand(c)) return {Verdict::Unknown, meter_.reason(), {}, {}};
            if (bytes() > memory_bytes_) return {Verdict::Unknown, Reason::Memory, {}, {}};
            if (c.next == nodes_.size() || expanded + 1 == c.quota)
                std::stable_sort(exits_.begin() + c.first_exit, exits_.end(),
                                 [](const Exit& x, const Exit& y) { return x.rating < y.rating; });
        } else if (exits_.size() > c.first_exit) {
            if (try_exit(result)) return result;
        } else if (c.next < nodes_.size()) {
            c.quota *= 4;
        } else {
            go_to(c, c.first_node);
            nodes_.resize(c.first_node);
            components_.pop_back();
            if (board_.depth() > 0) board_.undo();
        }
    }
    result.verdict = Verdict::Unsolvable;
    result.certificate = certificate();
    return result;
}

// JSON, read by engine/proofs.py.
std::string Search::certificate() const {
    std::string names;
    for (const std::string& name : pruning_names(prunings_)) names += (names.empty() ? "\"" : ", \"") + name + "\"";
    return "{\"method\": \"exhaustive\", \"hash_bits\": 128, \"prunings\": [" + names +
           "], \"positions\": " + std::to_string(seen_.size()) +
           ", \"nodes\": " + std::to_string(meter_.nodes() - nodes_before_) + ", \"dead\": " + std::to_string(dead_) + "}";
}

}  // namespace

std::vector<std::string> pruning_names(uint32_t mask) {
    std::vector<std::string> out;
    for (size_t i = 0; i < kNames.size(); ++i)
        if (mask >> i & 1) out.emplace_back(kNames[i]);
    return out;
}

SearchResult exhaust(const Position& start, Meter& meter, uint64_t memory_bytes, uint32_t prunings) {
    Search search(start, meter, memory_bytes, prunings);
    SearchResult result = search.run();
    const size_t limit = static_cast<size_t>(start.rules().move_limit);
    if (result.verdict != Verdict::Solved || limit == 0 || result.line.size() <= limit) return result;
    // The first line found is too long for the game's limit on actions, which the search does not look at.
    Meter loops_only(0);
    result.line = shorten(start, result.line, loops_only, memory_bytes);
    if (result.line.size() <= limit) return result;
    return {Verdict::Unknown, Reason::Nodes, {}, {}};
}

}  // namespace spidervet
