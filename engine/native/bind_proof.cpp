// Python faces of the exhaustive search and of the shortening of lines.
#include "bindings.hpp"
#include "exhaust.hpp"
#include "position.hpp"
#include "shorten.hpp"

namespace spidervet {
namespace {

using namespace nb::literals;

std::vector<uint16_t> codes(const std::vector<Move>& moves) {
    std::vector<uint16_t> out;
    out.reserve(moves.size());
    for (const Move m : moves) out.push_back(m.code);
    return out;
}

nb::tuple exhaust_one(const Rules& rules, const nb::bytes& packed, uint64_t nodes, uint64_t memory_bytes,
                      uint32_t prunings, double seconds, Control* control) {
    if (prunings > kAllPrunings) throw std::invalid_argument("prunings: unknown bits");
    const Position start(rules, view(packed));
    Meter meter(nodes, seconds, control);
    SearchResult result;
    {
        nb::gil_scoped_release release;
        result = exhaust(start, meter, memory_bytes, prunings);
    }
    return nb::make_tuple(static_cast<int>(result.verdict), static_cast<int>(result.reason), codes(result.line),
                          meter.nodes(), result.certificate);
}

// Throws if the line cannot be played.
std::vector<Move> checked_line(const Position& start, const std::vector<uint16_t>& line) {
    Position p = start;
    Effects effects;
    std::vector<Move> out;
    for (const uint16_t code : line) {
        const Move m{code};
        if (!p.legal(m)) throw std::invalid_argument("action " + std::to_string(out.size() + 1) + " is illegal: " + m.text());
        p.apply(m, effects);
        out.push_back(m);
    }
    return out;
}

nb::tuple shorten_one(const Rules& rules, const nb::bytes& packed, const std::vector<uint16_t>& line, uint64_t nodes,
                      uint64_t memory_bytes, Control* control) {
    const Position start(rules, view(packed));
    const std::vector<Move> moves = checked_line(start, line);
    Meter meter(nodes, 0, control);
    std::vector<Move> shorter;
    {
        nb::gil_scoped_release release;
        shorter = shorten(start, moves, meter, memory_bytes);
    }
    return nb::make_tuple(codes(shorter), meter.nodes());
}

}  // namespace

void bind_proof(nb::module_& m) {
    m.def("prunings", [] { return pruning_names(kAllPrunings); }, "Names of the exhaustive search's prunings, by bit.");
    m.def("exhaust", &exhaust_one, "rules"_a, "packed"_a, "nodes"_a, "memory_bytes"_a,
          "prunings"_a = static_cast<uint32_t>(kAllPrunings), "seconds"_a = 0.0, "control"_a = nb::none(),
          nb::sig("def exhaust(rules: Rules, packed: bytes, nodes: int, memory_bytes: int, prunings: int = ..., "
                  "seconds: float = 0.0, control: Control | None = None) -> tuple[int, int, list[int], int, str]"),
          "Search a packed position exhaustively, without the GIL: (verdict, reason, line, nodes, certificate), the "
          "first two as places in `Verdict` and `Reason`, reason 4 for none. prunings: bits in the order of prunings().");
    m.def("shorten", &shorten_one, "rules"_a, "packed"_a, "line"_a, "nodes"_a, "memory_bytes"_a,
          "control"_a = nb::none(),
          nb::sig("def shorten(rules: Rules, packed: bytes, line: collections.abc.Sequence[int], nodes: int, "
                  "memory_bytes: int, control: Control | None = None) -> tuple[list[int], int]"),
          "A line to the same end, no longer, and the nodes spent on it. Raises ValueError for an illegal line.");
}

}  // namespace spidervet
