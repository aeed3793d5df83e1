"""Judging replays: solutions, players' games and people's games, all in the form ``spidervet-game/1``.

`engine.formats.games` reads and writes the form; this module plays its moves on the reference rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.deals import Deal
from engine.endings import DEAD_BOUND, Ending, Outlook, outlook
from engine.game import IllegalMoveError
from engine.moves import MoveError, parse_move
from engine.playing import Game
from engine.position import Position
from engine.scoring import Tally, scores_of_trail, tally
from engine.variants import Scoring, Variant

MAX_ENTRIES = 20_000
"""Longest replay that is judged; longer ones are refused unread."""


@dataclass(frozen=True)
class GameRecord:
    """One game in the form ``spidervet-game/1``.

    moves: text, undo and resign included. by: ``solver``, ``player:club``, a name, or empty. engine: the
    version that wrote it, or empty.
    """

    deal: Deal
    moves: tuple[str, ...]
    by: str = ""
    engine: str = ""


@dataclass(frozen=True)
class Fault:
    """The first entry that is not allowed. number: counted from 1. shown: the position before it, as the
    player saw it: face-down cards and the stock's order stay hidden."""

    number: int
    move: str
    reason: str
    shown: str


@dataclass(frozen=True)
class Judgement:
    """What the rules say of a game, up to its first fault if it has one.

    moves: actions played, those undone later included; undos apart. length: actions that stand at the end.
    outlook: of the last position; `unknown` where the bounded search for a way out did not decide.
    """

    legal: bool
    fault: Fault | None
    won: bool
    ending: Ending
    outlook: Outlook
    moves: int
    undos: int
    length: int
    stock_deals: int
    sequences: int
    scores: Mapping[Scoring, int | None]
    tally: Tally = field(default_factory=lambda: Tally(0, 0, 0))


Look = Callable[[Variant, Position, int], Outlook]
"""What tells stuck and dead: `endings.outlook`, or the native `trails.fast_outlook`, which says the same."""


def judge(
    variant: Variant,
    deal: Deal,
    entries: Iterable[str],
    dead_bound: int = DEAD_BOUND,
    look: Look = outlook,
) -> Judgement:
    """Play the entries on the reference rules until the first that is not allowed.

    Nothing is allowed after a win but the end of the list. dead_bound: positions that the look for a way out
    at the end may visit. Raises ValueError past MAX_ENTRIES.
    """
    game = Game(variant, deal)
    fault = None
    for number, text in enumerate(entries, 1):
        if number > MAX_ENTRIES:
            raise ValueError(f"a replay has at most {MAX_ENTRIES} entries")
        try:
            game.enter(parse_move(text))
        except (MoveError, IllegalMoveError) as error:
            fault = Fault(number, text[:40], str(error), game.position.shown())
            break
    return _judged(game, fault, look(variant, game.position, dead_bound))


def _judged(game: Game, fault: Fault | None, verdict: Outlook) -> Judgement:
    ending = game.ending(verdict)
    return Judgement(
        legal=fault is None,
        fault=fault,
        won=ending is Ending.WON,
        ending=ending,
        outlook=verdict,
        moves=game.moves,
        undos=game.undos,
        length=game.length,
        stock_deals=game.stock_deals,
        sequences=game.position.off,
        scores=scores_of_trail(game.variant, game.trail),
        tally=tally(game.variant, game.position),
    )


def judge_record(record: GameRecord, dead_bound: int = DEAD_BOUND, look: Look = outlook) -> Judgement:
    """Judge a game by its own variant and deal."""
    return judge(record.deal.variant, record.deal, record.moves, dead_bound, look)
