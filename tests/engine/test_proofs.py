"""Certificates: their JSON form, and checking them again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine import _core, deals, proofs
from engine.core import rules_of
from engine.proofs import Certificate, CertificateError, mask_of, recheck, search_plainly
from engine.solver import SolverSpec, Verdict, solve_batch
from engine.variants import NAMED

SIMON = NAMED["simple-simon-4"]
LOST = deals.deal(SIMON, 101, "pysolfc")
WON = deals.deal(SIMON, 2, "pysolfc")


def certificate(prunings: tuple[str, ...] = proofs.PRUNINGS) -> Certificate:
    answer = _core.exhaust(rules_of(SIMON), LOST.packed(), 10_000_000, 512 << 20, mask_of(prunings))
    return Certificate.parse(answer[4])


def test_a_certificate_round_trips() -> None:
    made = certificate()
    assert Certificate.of(made.record()) == made
    assert Certificate.parse(json.dumps(made.record())) == made
    assert made.hash_bits == 128
    assert made.prunings == proofs.PRUNINGS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "guess"}, "exhaustive"),
        ({"positions": -1}, "positions"),
        ({"nodes": True}, "nodes"),
        ({"nodes": 10**20}, "nodes"),
        ({"prunings": ["luck"]}, "prunings"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_certificate_is_refused_with_the_key(change: dict[str, object], message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        Certificate.of(certificate().record() | change)


def test_a_recheck_that_runs_out_of_memory_says_so() -> None:
    made = certificate(())
    again = recheck(SIMON, LOST, made, memory_mb=1)
    assert not again.holds
    assert "filled the 1 MB" in again.fault


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(CertificateError, match="not JSON"):
        Certificate.parse("proof")


@pytest.mark.parametrize("prunings", [proofs.PRUNINGS, ("column-order",), ()])
def test_a_true_proof_holds_and_the_reference_walks_the_space(prunings: tuple[str, ...]) -> None:
    found = recheck(SIMON, LOST, certificate(prunings))
    assert found.holds
    assert found.plain is not None
    assert found.plain.winnable is False
    assert found.plain.positions == 1814


@pytest.mark.parametrize("number", [6, 18, 53, 96, 101])
def test_the_proof_of_a_solve_holds_though_beams_searched_before_it(number: int) -> None:
    deal = deals.deal(SIMON, number, "pysolfc")
    (solution,) = solve_batch(SIMON, [deal.packed()], SolverSpec(nodes=30_000))
    assert solution.verdict is Verdict.UNSOLVABLE
    found = recheck(SIMON, deal, Certificate.parse(solution.certificate))
    assert found.holds, found.fault


def test_a_space_beyond_the_bound_is_left_to_the_native_search() -> None:
    found = recheck(SIMON, LOST, certificate(()), plain_bound=100)
    assert found.holds
    assert found.plain is None


def test_a_proof_of_another_deal_or_other_counts_does_not_hold() -> None:
    assert not recheck(SIMON, WON, certificate()).holds
    other = recheck(SIMON, LOST, replace(certificate(), positions=certificate().positions + 1))
    assert not other.holds
    assert "positions" in other.fault


def test_the_reference_finds_wins_and_stops_at_its_bound() -> None:
    assert search_plainly(SIMON, WON, 500).winnable is None
    assert search_plainly(SIMON, WON, 500).positions == 500
