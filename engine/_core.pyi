"""The native core: position, moves, players, solver."""

from collections.abc import Sequence


version: str = '0.1.0'

class Rules:
    """The rule fields of one game; see engine.core.rules_of."""

    def __init__(self, *, columns: int, ranks: int, suits: int, sequences: int, build: int, group_move: int, stock_deal_over_empty: int, sequence_removal: int, empty_column_accepts: int, whole_column_to_empty: int, move_limit: int) -> None: ...

    @property
    def columns(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    @property
    def sequences(self) -> int: ...

class Position:
    """A position of the native core, with its history."""

    def __init__(self, rules: Rules, packed: bytes) -> None:
        """
        Read a packed position. Raises ValueError saying what is wrong with it.
        """

    def legal_moves(self) -> list[int]:
        """Move codes in canonical order."""

    def apply(self, move: int) -> None:
        """Play a move code. Raises ValueError if it is not legal."""

    def undo(self) -> None:
        """Take the last action back. Raises ValueError if there is none."""

    def packed(self) -> bytes: ...

    def dead(self, bound: int = 10000) -> bool | None:
        """True, False, or None where the bounded search did not decide."""

    @property
    def won(self) -> bool: ...

    @property
    def stuck(self) -> bool: ...

    @property
    def sequences(self) -> int: ...

    @property
    def stock(self) -> int: ...

    @property
    def hash(self) -> int: ...

class Control:
    """Shared with a running batch: cancel flag and counts."""

    def __init__(self) -> None: ...

    def cancel(self) -> None: ...

    @property
    def cancelled(self) -> bool: ...

    @property
    def done(self) -> int: ...

    @property
    def nodes(self) -> int: ...

def move_text(code: int) -> str: ...

def random_playout(rules: Rules, packed: bytes, seed: int, most: int) -> list[int]:
    """Move codes of one uniformly random game, of at most `most` actions."""

def random_playouts(rules: Rules, packed: bytes, first: int, count: int, most: int) -> tuple[int, int]:
    """
    (actions, wins) over `count` random games with seeds from `first` on, without the GIL.
    """

def spidervet_deals(decks: int, suits: int, ranks: int, columns: Sequence[int], face_down: Sequence[int], seeds: Sequence[int]) -> list[bytes]:
    """
    Packed positions that the `spidervet` scheme deals for the seeds, in their order.
    """

def prunings() -> list[str]:
    """Names of the exhaustive search's prunings, by bit."""

def exhaust(rules: Rules, packed: bytes, nodes: int, memory_bytes: int, prunings: int = ..., seconds: float = 0.0, control: Control | None = None) -> tuple[int, int, list[int], int, str]:
    """
    Search a packed position exhaustively, without the GIL: (verdict, reason, line, nodes, certificate), the first two as places in `Verdict` and `Reason`, reason 4 for none. prunings: bits in the order of prunings().
    """

def shorten(rules: Rules, packed: bytes, line: Sequence[int], nodes: int, memory_bytes: int, control: Control | None = None) -> tuple[list[int], int]:
    """
    A line to the same end, no longer, and the nodes spent on it. Raises ValueError for an illegal line.
    """
