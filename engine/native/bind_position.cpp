// Python faces of rules, positions, deals and playouts.
#include "bindings.hpp"
#include "control.hpp"
#include "deals.hpp"
#include "endings.hpp"
#include "playout.hpp"
#include "position.hpp"

namespace spidervet {
namespace {

using namespace nb::literals;

template <typename E>
E checked(const char* field, int value, int values) {
    if (value < 0 || value >= values)
        throw std::invalid_argument(std::string(field) + ": " + std::to_string(value) + " is not a known value");
    return static_cast<E>(value);
}

void bind_rules(nb::module_& m) {
    nb::class_<Rules>(m, "Rules", "The rule fields of one game; see engine.core.rules_of.")
        .def(
            "__init__",
            [](Rules* self, int columns, int ranks, int suits, int sequences, int build, int group_move,
               int stock_deal_over_empty, int sequence_removal, int empty_column_accepts, int whole_column_to_empty,
               int move_limit) {
                if (columns < 1 || columns > kMaxColumns) throw std::invalid_argument("columns: out of range");
                if (ranks < 1 || ranks > kMaxRanks) throw std::invalid_argument("ranks: out of range");
                if (sequences < 1 || sequences > kMaxSequences) throw std::invalid_argument("sequences: out of range");
                new (self) Rules{columns,
                                 ranks,
                                 suits,
                                 sequences,
                                 checked<Build>("build", build, 2),
                                 checked<GroupMove>("group_move", group_move, 3),
                                 checked<DealOverEmpty>("stock_deal_over_empty", stock_deal_over_empty, 3),
                                 checked<Removal>("sequence_removal", sequence_removal, 2),
                                 checked<EmptyAccepts>("empty_column_accepts", empty_column_accepts, 3),
                                 checked<WholeColumn>("whole_column_to_empty", whole_column_to_empty, 2),
                                 move_limit};
            },
            nb::kw_only(), "columns"_a, "ranks"_a, "suits"_a, "sequences"_a, "build"_a, "group_move"_a,
            "stock_deal_over_empty"_a, "sequence_removal"_a, "empty_column_accepts"_a, "whole_column_to_empty"_a,
            "move_limit"_a)
        .def_ro("columns", &Rules::columns)
        .def_ro("ranks", &Rules::ranks)
        .def_ro("sequences", &Rules::sequences);
}

// A position with its history, so that Python can undo.
struct Game {
    struct Played {
        Move move;
        Effects effects;
    };
    Position position;
    std::vector<Played> history{};

    void apply(uint16_t code) {
        const Move m{code};
        if (!position.legal(m)) throw std::invalid_argument("illegal move " + m.text());
        history.push_back({m, {}});
        position.apply(m, history.back().effects);
    }
    void undo() {
        if (history.empty()) throw std::invalid_argument("nothing to undo");
        position.undo(history.back().move, history.back().effects);
        history.pop_back();
    }
};

std::vector<uint16_t> codes(const std::vector<Move>& moves) {
    std::vector<uint16_t> out;
    out.reserve(moves.size());
    for (const Move m : moves) out.push_back(m.code);
    return out;
}

void bind_game(nb::module_& m) {
    nb::class_<Game>(m, "Position", "A position of the native core, with its history.")
        .def(
            "__init__",
            [](Game* self, const Rules& rules, const nb::bytes& packed) {
                new (self) Game{Position(rules, view(packed))};
            },
            nb::keep_alive<1, 2>(), "rules"_a, "packed"_a,
            "Read a packed position. Raises ValueError saying what is wrong with it.")
        .def(
            "legal_moves",
            [](const Game& g) {
                std::vector<Move> moves;
                g.position.legal_moves(moves);
                return codes(moves);
            },
            "Move codes in canonical order.")
        .def("apply", &Game::apply, "move"_a, "Play a move code. Raises ValueError if it is not legal.")
        .def("undo", &Game::undo, "Take the last action back. Raises ValueError if there is none.")
        .def("packed", [](const Game& g) { return to_bytes(g.position.packed()); })
        .def(
            "dead",
            [](const Game& g, int bound) -> nb::object {
                const Dead d = dead(g.position, bound);
                if (d == Dead::Unknown) return nb::none();
                return nb::bool_(d == Dead::Yes);
            },
            "bound"_a = kDeadBound, nb::sig("def dead(self, bound: int = 10000) -> bool | None"), "True, False, or None where the bounded search did not decide.")
        .def_prop_ro("won", [](const Game& g) { return g.position.won(); })
        .def_prop_ro("stuck", [](const Game& g) { return g.position.stuck(); })
        .def_prop_ro("sequences", [](const Game& g) { return g.position.sequences_off(); })
        .def_prop_ro("stock", [](const Game& g) { return g.position.stock_size(); })
        .def_prop_ro("hash", [](const Game& g) { return g.position.hash(); });
}

// Counts over many playouts, so that a measurement crosses into Python once.
nb::tuple playouts(const Rules& rules, const nb::bytes& packed, uint64_t first, int count, int most) {
    const Position start(rules, view(packed));
    uint64_t moves = 0, won = 0;
    {
        nb::gil_scoped_release release;
        for (int i = 0; i < count; ++i) {
            Position p = start;
            moves += random_playout(p, first + static_cast<uint64_t>(i), most).size();
            won += p.won();
        }
    }
    return nb::make_tuple(moves, won);
}

}  // namespace

void bind_position(nb::module_& m) {
    bind_rules(m);
    bind_game(m);
    nb::class_<Control>(m, "Control", "Shared with a running batch: cancel flag and counts.")
        .def(nb::init<>())
        .def("cancel", [](Control& c) { c.cancelled = true; })
        .def_prop_ro("cancelled", [](const Control& c) { return c.cancelled.load(); })
        .def_prop_ro("done", [](const Control& c) { return c.done.load(); })
        .def_prop_ro("nodes", [](const Control& c) { return c.nodes.load(); });
    m.def(
        "move_text", [](uint16_t code) { return Move{code}.text(); }, "code"_a);
    m.def(
        "random_playout",
        [](const Rules& rules, const nb::bytes& packed, uint64_t seed, int most) {
            Position p(rules, view(packed));
            return codes(random_playout(p, seed, most));
        },
        "rules"_a, "packed"_a, "seed"_a, "most"_a,
        "Move codes of one uniformly random game, of at most `most` actions.");
    m.def(
        "perft",
        [](const Rules& rules, const nb::bytes& packed, int depth) {
            Position p(rules, view(packed));
            nb::dict out;
            for (const auto& [move, count] : perft(p, depth)) out[nb::int_(move.code)] = nb::int_(count);
            return out;
        },
        "rules"_a, "packed"_a, "depth"_a, nb::sig("def perft(rules: Rules, packed: bytes, depth: int) -> dict[int, int]"),
        "How many lines of `depth` actions start with each legal move code.");
    m.def("random_playouts", &playouts, "rules"_a, "packed"_a, "first"_a, "count"_a, "most"_a,
          nb::sig("def random_playouts(rules: Rules, packed: bytes, first: int, count: int, most: int) -> tuple[int, int]"),
          "(actions, wins) over `count` random games with seeds from `first` on, without the GIL.");
    m.def(
        "spidervet_deals",
        [](int decks, int suits, int ranks, std::vector<uint8_t> columns, std::vector<uint8_t> face_down,
           const std::vector<uint64_t>& seeds) {
            if (columns.empty() || columns.size() > kMaxColumns || columns.size() != face_down.size())
                throw std::invalid_argument("columns and face_down: out of range");
            int table = 0;
            for (const uint8_t c : columns) table += c;
            if (decks < 1 || decks > 2 || table > 4 * decks * ranks)
                throw std::invalid_argument("the layout wants more cards than the game has");
            const Layout layout{decks, suits, ranks, std::move(columns), std::move(face_down)};
            nb::list out;
            for (const uint64_t seed : seeds) out.append(to_bytes(spidervet_deal(layout, seed)));
            return out;
        },
        "decks"_a, "suits"_a, "ranks"_a, "columns"_a, "face_down"_a, "seeds"_a,
        nb::sig("def spidervet_deals(decks: int, suits: int, ranks: int, columns: collections.abc.Sequence[int], "
                "face_down: collections.abc.Sequence[int], seeds: collections.abc.Sequence[int]) -> list[bytes]"),
        "Packed positions that the `spidervet` scheme deals for the seeds, in their order.");
}

}  // namespace spidervet
