// Python faces of the players.
#include "bindings.hpp"
#include "control.hpp"
#include "game.hpp"
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
            records[i] = play_game(positions[i], *player, shared);
            if (records[i].ending != Ending::Unfinished) ++shared.done;
        }
    }
    nb::list out;
    for (const GameRecord& r : records) out.append(as_object(r));
    return out;
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
        .def_rw("early_deal", &Settings::early_deal)
        .def(
            "set_weights", [](Settings& s, const std::vector<int>& values) { s.weights = HandWeights::from(values); },
            "values"_a, nb::sig("def set_weights(self, values: collections.abc.Sequence[int]) -> None"),
            "The hand rating's weights in the order of weight_names(). Raises ValueError for another number.");
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
