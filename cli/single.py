"""`solve` and `play`: one deal, at once, on this machine."""

from __future__ import annotations
