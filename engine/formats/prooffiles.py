"""Proofs that a deal cannot be won as JSON: ``spidervet-proof/1``.

``{"format": "spidervet-proof/1", "variant": full record or name, "id": text or null, "deal": {"columns",
"face_down", "stock"}, "certificate": {...}, "engine": version}``; `engine.proofs` says what a certificate is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from engine.deals import Deal
from engine.formats.dealjson import cards_object, check_format, read_variant
from engine.formats.errors import text_of
from engine.formats.games import read_its_deal
from engine.formats.located import parse
from engine.proofs import FORMAT, Certificate, CertificateError


@dataclass(frozen=True)
class ProofRecord:
    """A deal and the certificate that it cannot be won. engine: the version that wrote it, or empty."""

    deal: Deal
    certificate: Certificate
    engine: str = ""


def read_proof(data: str | bytes) -> ProofRecord:
    """Read a proof; whether it holds is `engine.proofs.recheck`'s business. Raises FormatError."""
    node = parse(text_of(data))
    members = node.record("proof", ["format", "variant", "certificate"], ["id", "deal", "engine", "comment"])
    check_format(members["format"], FORMAT)
    deal = read_its_deal(node, members, read_variant(members["variant"]))
    try:
        certificate = Certificate.of(members["certificate"].plain())
    except CertificateError as error:
        raise members["certificate"].fail(f"certificate: {error}") from error
    return ProofRecord(deal, certificate, members["engine"].text("engine") if "engine" in members else "")


def write_proof(record: ProofRecord) -> str:
    out = {
        "format": FORMAT,
        "variant": record.deal.variant.record(),
        "id": str(record.deal.identity),
        "deal": cards_object(record.deal),
        "certificate": record.certificate.record(),
        "engine": record.engine,
    }
    return json.dumps(out) + "\n"
