// Each part of the core registers itself with the module; module.cpp calls them in turn.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <vector>

namespace spidervet {

namespace nb = nanobind;

inline std::span<const uint8_t> view(const nb::bytes& b) {
    return {reinterpret_cast<const uint8_t*>(b.data()), b.size()};
}

inline nb::bytes to_bytes(const std::vector<uint8_t>& v) { return nb::bytes(v.data(), v.size()); }

void bind_position(nb::module_& m);
void bind_proof(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_player(nb::module_& m);

}  // namespace spidervet
