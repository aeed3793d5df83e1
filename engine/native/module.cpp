// The extension module `engine._core`.
#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core: position, moves, players, solver.";
    m.attr("version") = SPIDERVET_VERSION;
    spidervet::bind_position(m);
    spidervet::bind_proof(m);
    spidervet::bind_solver(m);
    spidervet::bind_player(m);
}
