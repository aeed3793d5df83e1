"""The solver's bench signature: total nodes over fixed deals, the same on every machine.

A change of the search or its weights changes it; a change that claims not to does not
(tests/data/bench_signature.json holds it).
"""

from __future__ import annotations

from engine.deals import deal
from engine.solver import SolverSpec, solve_batch
from engine.variants import NAMED

SEEDS = range(1, 9)
NODES = 200_000


def signature() -> dict[str, int]:
    """Nodes by named variant, over eight deals each, and their sum under ``total``."""
    out = {}
    for name, variant in NAMED.items():
        deals = [deal(variant, seed).packed() for seed in SEEDS]
        out[name] = sum(s.positions for s in solve_batch(variant, deals, SolverSpec(NODES)))
    return out | {"total": sum(out.values())}
