// The extension module `engine._core`: bindings only.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The native core: position, moves, players, solver.";
    m.attr("version") = SPIDERVET_VERSION;
}
