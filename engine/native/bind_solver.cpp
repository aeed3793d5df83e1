// Python faces of the solver.
#include "bindings.hpp"
#include "control.hpp"
#include "short_beam.hpp"
#include "solve.hpp"

namespace spidervet {
namespace {

using namespace nb::literals;

// One step of a schedule as it crosses from Python: weights, width, patience, last_patience, nodes (0: no cap),
// every_empty, noise, spread.
ScheduleStep step_of(const std::vector<int64_t>& values) {
    if (values.size() != 8) throw std::invalid_argument("schedule: a step has eight values");
    ScheduleStep step;
    step.weights = static_cast<int>(values[0]);
    step.beam = {static_cast<int>(values[1]), static_cast<int>(values[2]), static_cast<int>(values[3]),
                 values[5] != 0, false, static_cast<int32_t>(values[6])};
    step.spread = static_cast<int>(values[7]);
    if (values[4] > 0) step.nodes = static_cast<uint64_t>(values[4]);
    return step;
}

struct Answer {
    SearchResult result;
    Progress progress;
    uint64_t nodes = 0;
    uint64_t shorten_nodes = 0;
    double seconds = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

nb::tuple to_tuple(const Answer& a) {
    nb::list line;
    for (const Move m : a.result.line) line.append(m.code);
    return nb::make_tuple(static_cast<int>(a.result.verdict), static_cast<int>(a.result.reason), line, a.nodes,
                          a.shorten_nodes, a.result.certificate, a.seconds,
                          nb::make_tuple(a.progress.best_off, a.progress.stage, a.progress.step));
}

nb::list solve_batch(const Rules& rules, const nb::list& deals, const Schedule& schedule, uint64_t nodes,
                     uint64_t memory_bytes, uint64_t shorten_nodes, double seconds, Control* control) {
    std::vector<Position> starts;
    for (const nb::handle deal : deals) starts.emplace_back(rules, view(nb::cast<nb::bytes>(deal)));
    std::vector<Answer> answers(starts.size());
    {
        nb::gil_scoped_release release;
        Beam beam;
        for (size_t i = 0; i < starts.size(); ++i) {
            Answer& a = answers[i];
            if (control != nullptr && control->cancelled) {
                a.result.reason = Reason::Cancelled;
                continue;
            }
            const auto began = std::chrono::steady_clock::now();
            Meter meter(nodes, seconds, control);
            a.result = solve(starts[i], schedule, meter, memory_bytes, beam, a.progress);
            a.nodes = meter.nodes();
            meter.report();
            if (a.result.verdict == Verdict::Solved) {
                Meter more(shorten_nodes, seconds, control);
                a.result.line = shorter(starts[i], a.result.line, more, memory_bytes);
                a.shorten_nodes = more.nodes();
                more.report();
            }
            a.seconds = seconds_since(began);
            if (control != nullptr && a.result.reason != Reason::Cancelled) ++control->done;
        }
    }
    nb::list out;
    for (const Answer& a : answers) out.append(to_tuple(a));
    return out;
}

// Every child of the packed search form, with rating and hash by difference and from nothing.
nb::list packed_children(const Rules& rules, const nb::bytes& packed, const std::vector<int32_t>& weights,
                         bool every_move) {
    const Position start(rules, view(packed));
    const Weights w = weights_of(weights);
    const Stage stage(rules, w, start.stock());
    const Stage after(rules, w, stage.after_deal());
    const State parent = pack(start);
    Scratch scratch;
    load(parent, stage, rules.columns, scratch);

    struct Collect {
        const State& parent;
        const Stage &stage, &after;
        nb::list out;
        int32_t cut = INT32_MIN;

        void add(Move move, const Stage& in, bool by_difference, int32_t rating, uint64_t hash) {
            State child;
            make_child(parent, move, stage, child);
            rate(child, in);
            if (!by_difference) rating = child.rating, hash = child.hash;
            out.append(nb::make_tuple(move.code, to_bytes(unpack(child, in)), rating, hash, child.rating, child.hash));
        }
        void offer(int32_t rating, uint64_t hash, Move move) { add(move, stage, true, rating, hash); }
        void slow(Move move) { add(move, stage, false, 0, 0); }
    } sink{parent, stage, after, {}};

    const MoveFilter filter{.one_empty_column = !every_move};
    switch (rules.columns) {
        case 7: expand<7>(parent, stage, scratch, filter, sink); break;
        case 10: expand<10>(parent, stage, scratch, filter, sink); break;
        default: expand<0>(parent, stage, scratch, filter, sink);
    }
    if (may_deal(parent, stage, scratch)) sink.add(Move::deal(), after, false, 0, 0);
    return sink.out;
}

// Feature values of a position: its rating under unit vectors. Features that weigh in tenths come in tenths.
std::vector<int32_t> features_of(const State& state, const std::vector<Stage>& units) {
    std::vector<int32_t> out;
    for (const Stage& unit : units) {
        State copy = state;
        rate(copy, unit);
        out.push_back(copy.rating);
    }
    return out;
}

// Stages under which a position's rating is one feature, tenfold.
std::vector<Stage> unit_stages(const Rules& rules) {
    std::vector<Stage> units;
    for (size_t f = 0; f < kFeatures; ++f) {
        std::vector<int32_t> unit(kFeatures, 0);
        unit[f] = 10;
        units.emplace_back(rules, weights_of(unit), std::span<const Card>{});
    }
    return units;
}

nb::list trace_line(const Rules& rules, const nb::bytes& packed, const std::vector<int32_t>& weights, int width,
                    int patience, uint64_t seed, int others) {
    const Position start(rules, view(packed));
    const Weights w = weights_of(weights);
    const std::vector<Stage> units = unit_stages(rules);
    nb::list out;
    Trace trace(seed, others);
    Beam beam;
    Meter meter(UINT64_MAX);
    const BeamOutcome outcome = beam.search(start, w, {width, patience, 2 * patience}, meter, uint64_t{1} << 30, &trace);
    if (!outcome.won) return out;
    for (const Trace::Example& e : trace.examples(beam.line_nodes()))
        out.append(nb::make_tuple(e.level, e.rows_left, e.on_line, features_of(e.state, units)));
    return out;
}

nb::tuple trace_short(const Rules& rules, const nb::bytes& packed, const std::vector<uint16_t>& codes,
                      const std::vector<int32_t>& weights, const std::vector<int>& costs, int width, uint64_t seed,
                      int others) {
    if (costs.empty()) throw std::invalid_argument("costs: at least one is needed");
    const Position start(rules, view(packed));
    std::vector<Move> line;
    for (const uint16_t code : codes) line.push_back(Move{code});
    ShortTrace trace(start, line, seed, others);
    ShortBeam beam;
    Meter meter(UINT64_MAX);
    const ShortWeights vector{weights_of(weights), costs};
    const auto found = beam.search(start, vector, {width}, 1000, meter, uint64_t{1} << 30, &trace);
    const std::vector<Stage> units = unit_stages(rules);
    nb::list out;
    for (const Trace::Example& e : trace.examples())
        out.append(nb::make_tuple(e.level, e.rows_left, e.on_line, static_cast<int>(e.state.depth),
                                  features_of(e.state, units)));
    return nb::make_tuple(static_cast<int>(found.size()), out);
}

nb::list short_vectors() {
    nb::list out;
    for (int which = 0; which < kShortVectors; ++which) {
        const ShortWeights& vector = short_weights(which);
        std::vector<int32_t> flat;
        for (const auto& row : vector.weights.by_rows_left) flat.insert(flat.end(), row.begin(), row.end());
        out.append(nb::make_tuple(flat, vector.costs));
    }
    return out;
}

}  // namespace

void bind_solver(nb::module_& m) {
    nb::class_<Schedule>(m, "Schedule", "Weight vectors and steps of the solver; see engine.schedules.")
        .def(
            "__init__",
            [](Schedule* self, const std::vector<std::vector<int32_t>>& weights,
               const std::vector<std::vector<int64_t>>& steps, int widen) {
                Schedule s;
                for (const auto& w : weights) s.weights.push_back(weights_of(w));
                for (const auto& step : steps) s.steps.push_back(step_of(step));
                s.widen = widen;
                check(s);
                new (self) Schedule(std::move(s));
            },
            "weights"_a, "steps"_a, "widen"_a = 0);
    m.attr("solver_features") = static_cast<int>(kFeatures);
    m.def(
        "solver_feature_names",
        [] {
            nb::list names;
            for (const char* name : kFeatureNames) names.append(name);
            return names;
        },
        nb::sig("def solver_feature_names() -> list[str]"),
        "Names of the rating's features, in the order of weight vectors.");
    m.def("solve_batch", &solve_batch, "rules"_a, "deals"_a, "schedule"_a, "nodes"_a, "memory_bytes"_a,
          "shorten_nodes"_a, "seconds"_a, "control"_a.none(),
          nb::sig("def solve_batch(rules: Rules, deals: list[bytes], schedule: Schedule, nodes: int, memory_bytes: int, "
                  "shorten_nodes: int, seconds: float, control: Control | None) -> "
                  "list[tuple[int, int, list[int], int, int, str, float, "
                  "tuple[int, int, int]]]"),
          "Per deal: verdict, reason, line, nodes, nodes of shortening, certificate, seconds, (most sequences off, stage, step).");
    m.def("trace_line", &trace_line, "rules"_a, "packed"_a, "weights"_a, "width"_a, "patience"_a, "seed"_a, "others"_a,
          nb::sig("def trace_line(rules: Rules, packed: bytes, weights: collections.abc.Sequence[int], width: int, "
                  "patience: int, seed: int, others: int) -> list[tuple[int, int, bool, list[int]]]"),
          "For tuning: if one beam wins, per level of its line the position on it and others of the level, as level, "
          "stock rows left, whether on the line, and ten times each feature; else nothing.");
    m.def("trace_short", &trace_short, "rules"_a, "packed"_a, "line"_a, "weights"_a, "costs"_a, "width"_a, "seed"_a,
          "others"_a,
          nb::sig("def trace_short(rules: Rules, packed: bytes, line: collections.abc.Sequence[int], "
                  "weights: collections.abc.Sequence[int], costs: collections.abc.Sequence[int], width: int, seed: int, "
                  "others: int) -> tuple[int, list[tuple[int, int, bool, int, list[int]]]]"),
          "For tuning: the length of the line that a beam for short lines finds (0: none), and for each of its levels "
          "that `line`, which must be legal, passes: the position on it and others of the level, as level, stock rows "
          "left, whether on the line, actions so far, and ten times each feature.");
    m.def("short_vectors", &short_vectors,
          nb::sig("def short_vectors() -> list[tuple[list[int], list[int]]]"),
          "The vectors made for short lines: weights (all rows in one list), and what an action costs by stock rows left.");
    m.def("packed_children", &packed_children, "rules"_a, "packed"_a, "weights"_a, "every_move"_a,
          nb::sig("def packed_children(rules: Rules, packed: bytes, weights: collections.abc.Sequence[int], "
                  "every_move: bool) -> list[tuple[int, bytes, int, int, int, int]]"),
          "For tests: every child of the search form as move, packed child, rating and hash by difference, and "
          "rating and hash from nothing.");
}

}  // namespace spidervet
