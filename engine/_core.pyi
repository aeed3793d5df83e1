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

def perft(rules: Rules, packed: bytes, depth: int) -> dict[int, int]:
    """How many lines of `depth` actions start with each legal move code."""

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

class Schedule:
    """Weight vectors and steps of the solver; see engine.schedules."""

    def __init__(self, weights: Sequence[Sequence[int]], steps: Sequence[Sequence[int]], widen: int = 0) -> None: ...

solver_features: int = 22

def solver_feature_names() -> list[str]:
    """Names of the rating's features, in the order of weight vectors."""

def solve_batch(rules: Rules, deals: list[bytes], schedule: Schedule, nodes: int, memory_bytes: int, shorten_nodes: int, seconds: float, control: Control | None) -> list[tuple[int, int, list[int], int, int, str, float, tuple[int, int, int]]]:
    """
    Per deal: verdict, reason, line, nodes, nodes of shortening, certificate, seconds, (most sequences off, stage, step).
    """

def trace_line(rules: Rules, packed: bytes, weights: Sequence[int], width: int, patience: int, seed: int, others: int) -> list[tuple[int, int, bool, list[int]]]:
    """
    For tuning: if one beam wins, per level of its line the position on it and others of the level, as level, stock rows left, whether on the line, and ten times each feature; else nothing.
    """

def trace_short(rules: Rules, packed: bytes, line: Sequence[int], weights: Sequence[int], costs: Sequence[int], width: int, seed: int, others: int) -> tuple[int, list[tuple[int, int, bool, int, list[int]]]]:
    """
    For tuning: the length of the line that a beam for short lines finds (0: none), and for each of its levels that `line`, which must be legal, passes: the position on it and others of the level, as level, stock rows left, whether on the line, actions so far, and ten times each feature.
    """

def short_vectors() -> list[tuple[list[int], list[int]]]:
    """
    The vectors made for short lines: weights (all rows in one list), and what an action costs by stock rows left.
    """

def packed_children(rules: Rules, packed: bytes, weights: Sequence[int], every_move: bool) -> list[tuple[int, bytes, int, int, int, int]]:
    """
    For tests: every child of the search form as move, packed child, rating and hash by difference, and rating and hash from nothing.
    """

class PlayerSettings:
    """How a level plays; see engine.players."""

    def __init__(self) -> None: ...

    @property
    def hint(self) -> bool: ...

    @hint.setter
    def hint(self, arg: bool, /) -> None: ...

    @property
    def width(self) -> int: ...

    @width.setter
    def width(self, arg: int, /) -> None: ...

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def wide(self) -> int: ...

    @wide.setter
    def wide(self, arg: int, /) -> None: ...

    @property
    def open_width(self) -> int: ...

    @open_width.setter
    def open_width(self, arg: int, /) -> None: ...

    @property
    def open_depth(self) -> int: ...

    @open_depth.setter
    def open_depth(self, arg: int, /) -> None: ...

    @property
    def noise(self) -> int: ...

    @noise.setter
    def noise(self, arg: int, /) -> None: ...

    @property
    def trust(self) -> int: ...

    @trust.setter
    def trust(self, arg: int, /) -> None: ...

    @property
    def ends(self) -> int: ...

    @ends.setter
    def ends(self, arg: int, /) -> None: ...

    @property
    def weigh_deals(self) -> bool: ...

    @weigh_deals.setter
    def weigh_deals(self, arg: bool, /) -> None: ...

    def set_advice(self, *, kings: int, suit: int, high_first: bool, tall_first: bool, least_filler: bool) -> None:
        """What rule pages advise; engine.levels gives the meanings."""

    def set_value(self, first: Sequence[int], bias: Sequence[int], last: Sequence[int], last_bias: int, nets: int = 1, caution: int = 0) -> None:
        """
        The learned value's numbers (engine.weights). Raises ValueError on sizes that do not fit.
        """

    @property
    def samples(self) -> int: ...

    @samples.setter
    def samples(self, arg: int, /) -> None: ...

    @property
    def candidates(self) -> int: ...

    @candidates.setter
    def candidates(self, arg: int, /) -> None: ...

    @property
    def close(self) -> int: ...

    @close.setter
    def close(self, arg: int, /) -> None: ...

    @property
    def sample_below(self) -> int: ...

    @sample_below.setter
    def sample_below(self, arg: int, /) -> None: ...

    @property
    def sample_only_deals(self) -> bool: ...

    @sample_only_deals.setter
    def sample_only_deals(self, arg: bool, /) -> None: ...

    @property
    def sample_width(self) -> int: ...

    @sample_width.setter
    def sample_width(self, arg: int, /) -> None: ...

    @property
    def sample_depth(self) -> int: ...

    @sample_depth.setter
    def sample_depth(self, arg: int, /) -> None: ...

    @property
    def sample_plies(self) -> int: ...

    @sample_plies.setter
    def sample_plies(self, arg: int, /) -> None: ...

    @property
    def sample_deals(self) -> int: ...

    @sample_deals.setter
    def sample_deals(self, arg: int, /) -> None: ...

    @property
    def sample_guess(self) -> int: ...

    @sample_guess.setter
    def sample_guess(self, arg: int, /) -> None: ...

    @property
    def sample_budget(self) -> int: ...

    @sample_budget.setter
    def sample_budget(self, arg: int, /) -> None: ...

    @property
    def tidies(self) -> bool: ...

    @tidies.setter
    def tidies(self, arg: bool, /) -> None: ...

    @property
    def judge(self) -> bool: ...

    @judge.setter
    def judge(self, arg: bool, /) -> None: ...

    @property
    def early_deal(self) -> int: ...

    @early_deal.setter
    def early_deal(self, arg: int, /) -> None: ...

    def set_weights(self, values: Sequence[int]) -> None:
        """
        The hand rating's weights in the order of weight_names(). Raises ValueError for another number.
        """

def feature_names() -> list[str]: ...

def values_in_sight(rules: Rules, positions: Sequence[bytes], settings: PlayerSettings) -> list[int]:
    """
    For tuning: the learned value, a logit in hundredths, of the line chosen in each packed position.
    """

def self_play(rules: Rules, deals: Sequence[bytes], rng: Sequence[int], settings: PlayerSettings) -> tuple[bytes, list[int], list[int], list[int]]:
    """
    Games for fitting values: (rows of 16-bit features, one a decision; decisions, won and sequences of each game).
    """

def weight_names() -> list[str]: ...

def play_games(rules: Rules, deals: Sequence[bytes], rng: Sequence[int], settings: PlayerSettings, control: Control | None = None) -> list[tuple[int, list[int], int, int, int, float] | None]:
    """
    One game a deal, without the GIL: (ending, move codes, stock deals, sequences, nodes, seconds), or None for a game not finished when cancelled.
    """
