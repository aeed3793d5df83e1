// Python faces of the players.
#include "bindings.hpp"
#include "control.hpp"
#include "game.hpp"
#include "planner.hpp"
#include "player.hpp"

namespace spidervet {
namespace {

using namespace nb::literals;

std::vector<uint16_t> codes(const std::vector<Move>& moves) {
    std::vector<uint16_t> out;
    for (const Move m : moves) out.push_back(m.code);
    return out;
}

nb::object as_object(const GameRecord& r) {
    if (r.ending == Ending::Unfinished) return nb::none();
    return nb::make_tuple(static_cast<int>(r.ending), codes(r.moves), r.stock_deals, r.sequences, r.nodes, r.seconds);
}

nb::list play_games(const Rules& rules, const std::vector<nb::bytes>& deals, const std::vector<uint64_t>& rng,
                    const Settings& settings, Control* control) {
    if (deals.size() != rng.size())
        throw std::invalid_argument("rng: " + std::to_string(rng.size()) + " numbers for " +
                                    std::to_string(deals.size()) + " deals");
    std::vector<Position> positions;
    for (const nb::bytes& d : deals) positions.emplace_back(rules, view(d));
    std::vector<GameRecord> records(deals.size());
    Control unshared;
    Control& shared = control != nullptr ? *control : unshared;
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < positions.size() && !shared.cancelled; ++i) {
            const auto player = make_player(rules, settings, rng[i], shared);
            records[i] = play_game(positions[i], *player, shared, settings.judge);
            if (records[i].ending != Ending::Unfinished) ++shared.done;
        }
    }
    nb::list out;
    for (const GameRecord& r : records) out.append(as_object(r));
    return out;
}

// Games with what the player thought of: (features of every decision, decisions of each game, (won, sequences)
// of each game). Features are rows of kInputs 16-bit numbers.
nb::tuple self_play(const Rules& rules, const std::vector<nb::bytes>& deals, const std::vector<uint64_t>& rng,
                    const Settings& settings) {
    std::vector<Position> positions;
    for (const nb::bytes& d : deals) positions.emplace_back(rules, view(d));
    std::vector<Features> samples;
    std::vector<int> decisions, won, sequences;
    Control control;
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < positions.size(); ++i) {
            const size_t before = samples.size();
            const auto player = make_player(rules, settings, rng.at(i), control);
            player->samples = &samples;
            const GameRecord r = play_game(positions[i], *player, control, false);
            decisions.push_back(static_cast<int>(samples.size() - before));
            won.push_back(r.ending == Ending::Won);
            sequences.push_back(r.sequences);
        }
    }
    return nb::make_tuple(nb::bytes(samples.data(), samples.size() * sizeof(Features)), decisions, won, sequences);
}

}  // namespace

void bind_player(nb::module_& m) {
    nb::class_<Settings>(m, "PlayerSettings", "How a level plays; see engine.players.")
        .def(nb::init<>())
        .def_rw("hint", &Settings::hint)
        .def_rw("width", &Settings::width)
        .def_rw("depth", &Settings::depth)
        .def_rw("patience", &Settings::patience)
        .def_rw("wide", &Settings::wide)
        .def_rw("open_width", &Settings::open_width)
        .def_rw("open_depth", &Settings::open_depth)
        .def_rw("noise", &Settings::noise)
        .def_rw("trust", &Settings::trust)
        .def_rw("ends", &Settings::ends)
        .def_rw("weigh_deals", &Settings::weigh_deals)
        .def(
            "set_advice",
            [](Settings& s, int kings, int suit, bool high_first, bool tall_first, bool least_filler) {
                if (kings < 0 || kings > 3) throw std::invalid_argument("kings: not a known value");
                if (suit < 0 || suit > 2) throw std::invalid_argument("suit: not a known value");
                s.advice = {static_cast<KingAdvice>(kings), static_cast<SuitAdvice>(suit), high_first, tall_first, least_filler};
            },
            nb::kw_only(), "kings"_a, "suit"_a, "high_first"_a, "tall_first"_a, "least_filler"_a,
            "What rule pages advise; engine.levels gives the meanings.")
        .def(
            "set_value",
            [](Settings& s, std::vector<int32_t> first, std::vector<int32_t> bias, std::vector<int32_t> last,
               int32_t last_bias, int nets, int caution) {
                s.value = ValueNet(std::move(first), std::move(bias), std::move(last), last_bias, nets, caution);
            },
            "first"_a, "bias"_a, "last"_a, "last_bias"_a, "nets"_a = 1, "caution"_a = 0,
            nb::sig("def set_value(self, first: collections.abc.Sequence[int], bias: collections.abc.Sequence[int], "
                    "last: collections.abc.Sequence[int], last_bias: int, nets: int = 1, caution: int = 0) -> None"),
            "The learned value's numbers (engine.weights). Raises ValueError on sizes that do not fit.")
        .def_rw("samples", &Settings::samples)
        .def_rw("candidates", &Settings::candidates)
        .def_rw("close", &Settings::close)
        .def_rw("sample_below", &Settings::sample_below)
        .def_rw("sample_only_deals", &Settings::sample_only_deals)
        .def_rw("sample_width", &Settings::sample_width)
        .def_rw("sample_depth", &Settings::sample_depth)
        .def_rw("sample_plies", &Settings::sample_plies)
        .def_rw("sample_deals", &Settings::sample_deals)
        .def_rw("sample_guess", &Settings::sample_guess)
        .def_rw("sample_budget", &Settings::sample_budget)
        .def_rw("tidies", &Settings::tidies)
        .def_rw("judge", &Settings::judge)
        .def_rw("early_deal", &Settings::early_deal)
        .def(
            "set_weights", [](Settings& s, const std::vector<int>& values) { s.weights = HandWeights::from(values); },
            "values"_a, nb::sig("def set_weights(self, values: collections.abc.Sequence[int]) -> None"),
            "The hand rating's weights in the order of weight_names(). Raises ValueError for another number.");
    m.def("feature_names", [] {
        std::vector<std::string> out;
        for (const char* n : feature_names()) out.emplace_back(n);
        return out;
    });
    m.def(
        "values_in_sight",
        [](const Rules& rules, const std::vector<nb::bytes>& positions, const Settings& settings) {
            std::vector<int> out;
            Control control;
            for (const nb::bytes& p : positions) {
                PlanningPlayer player(rules, settings, 0, control);
                out.push_back(player.value_in_sight(view_of(Position(rules, view(p)))));
            }
            return out;
        },
        "rules"_a, "positions"_a, "settings"_a,
        nb::sig("def values_in_sight(rules: Rules, positions: collections.abc.Sequence[bytes], "
                "settings: PlayerSettings) -> list[int]"),
        "For tuning: the learned value, a logit in hundredths, of the line chosen in each packed position.");
    m.def("self_play", &self_play, "rules"_a, "deals"_a, "rng"_a, "settings"_a,
          nb::sig("def self_play(rules: Rules, deals: collections.abc.Sequence[bytes], "
                  "rng: collections.abc.Sequence[int], settings: PlayerSettings) -> "
                  "tuple[bytes, list[int], list[int], list[int]]"),
          "Games for fitting values: (rows of 16-bit features, one a decision; decisions, won and sequences of each game).");
    m.def("weight_names", [] {
        std::vector<std::string> out;
        for (const char* n : HandWeights::names()) out.emplace_back(n);
        return out;
    });
    m.def("play_games", &play_games, "rules"_a, "deals"_a, "rng"_a, "settings"_a, "control"_a = nb::none(),
          nb::sig("def play_games(rules: Rules, deals: collections.abc.Sequence[bytes], "
                  "rng: collections.abc.Sequence[int], settings: PlayerSettings, control: Control | None = None) -> "
                  "list[tuple[int, list[int], int, int, int, float] | None]"),
          "One game a deal, without the GIL: (ending, move codes, stock deals, sequences, nodes, seconds), or None "
          "for a game not finished when cancelled.");
}

}  // namespace spidervet
