"""Where a calendar's deals come from: keys of days and seeds of candidates, fixed to the bit for ever.

A calendar has a secret **master key** of 32 bytes. With ``HMAC`` for HMAC-SHA256 and ``+`` for bytes put
one after another, all text UTF-8 and the date as ``2026-12-01``::

    day key        = HMAC(master key, "spidervet-daily/1\\n" + calendar name + "\\n" + date)
    candidate seed = first 8 bytes, big endian, of HMAC(day key, "candidate/" + number)     number 1, 2, 3 ...
    commitment     = SHA-256(day key)

The seed is one of the scheme ``spidervet``. A day's key is published after the day: whoever has it can
deal every candidate of that day, and of no other. Its commitment is published with the deal, so that the
key cannot be chosen afterwards. Vectors: tests/data/vetting/keys.json.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import date

KEY_BYTES = 32
PREFIX = "spidervet-daily/1"


class KeyFormatError(ValueError):
    """Text that is no key."""


def new_master_key() -> bytes:
    """A fresh key from the system's source of randomness."""
    return secrets.token_bytes(KEY_BYTES)


def parse_key(text: str) -> bytes:
    """A key of 64 hex digits. Raises KeyFormatError without showing the text."""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFormatError(f"a key is {2 * KEY_BYTES} hex digits")
    return key


def day_key(master_key: bytes, calendar: str, day: date) -> bytes:
    """The key of one day of a calendar."""
    return _hmac(master_key, f"{PREFIX}\n{calendar}\n{day.isoformat()}")


def candidate_seed(key_of_day: bytes, number: int) -> int:
    """The seed (0 to 2^64-1) of the day's candidate of a number, counted from 1."""
    if number < 1:
        raise ValueError(f"candidates are counted from 1, not {number}")
    return int.from_bytes(_hmac(key_of_day, f"candidate/{number}")[:8], "big")


def commitment(key: bytes) -> str:
    """What is said of a key before it is shown: its SHA-256 in hex."""
    return hashlib.sha256(key).hexdigest()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
