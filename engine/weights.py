"""The fitted numbers of the players: data files in engine/data, checked when read.

Integers only, so that a game is the same on every machine. ``docs/player.md`` says how each was made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine import _core
from engine.variants import MAX_RANKS, Build, GroupMove, Variant


class WeightsError(ValueError):
    """A data file that does not hold what its format says."""


@dataclass(frozen=True)
class ValueNet:
    """A learned value (engine/native/value_net.hpp): first weights by input, biases, last weights; how many
    nets it is the mean of, and its lean to the least of them, in hundredths."""

    first: tuple[int, ...]
    bias: tuple[int, ...]
    last: tuple[int, ...]
    last_bias: int
    nets: int = 1
    caution: int = 0


@cache
def _file(name: str) -> Mapping[str, Any]:
    data: dict[str, Any] = json.loads(files("engine").joinpath("data", name).read_text("utf-8"))
    return data


def version() -> str:
    """The version of the weights, recorded with every job: workers of another version do not mix."""
    return str(_file("weights.json")["version"])


def since(player: str, variant: Variant | None = None) -> int:
    """The first version of the weights under which a level played every game as it does now, or every game of
    one variant; the present version for a player that the file does not name.

    In the file a name such as ``expert spider-2`` stands for the level with the options that are named so.
    """
    named: Mapping[str, int] = _file("weights.json")["since"]
    if variant is None:
        return max((v for name, v in named.items() if name.split()[0] == player), default=int(version()))
    return named.get(f"{player} {_adjusted(variant, player)}", named.get(player, int(version())))


def families(variant: Variant) -> tuple[str, ...]:
    """Names of the weight sets that fit a variant, closest first; the last one always exists.

    A set is named after the variant it was fitted on and serves every variant of that kind: the same
    build and group rules, number of decks and suits.
    """
    if variant.build is Build.SAME_SUIT:
        own: tuple[str, ...] = ("double-scorpion",) if variant.decks == 2 else ("scorpion",)
    elif variant.group_move is not GroupMove.SAME_SUIT and variant.suits > 1:
        own = (f"black-widow-{variant.suits}", "black-widow")
    elif variant.decks == 1 and variant.stock == 0:
        own = (f"simple-simon-{variant.suits}", f"spiderette-{variant.suits}")
    elif variant.decks == 1:
        own = (f"spiderette-{variant.suits}",)
    else:
        own = ()
    return (*own, f"spider-{variant.suits}", "spider-4")


def hand_weights(variant: Variant) -> list[int]:
    """The hand rating's weights for a variant, in the core's order."""
    sets: Mapping[str, Mapping[str, int]] = _file("weights.json")["sets"]
    chosen = next(sets[name] for name in families(variant) if name in sets)
    names = _core.weight_names()
    if set(chosen) != set(names):
        raise WeightsError(f"weights.json: expected the weights {', '.join(names)}")
    return [int(chosen[name]) for name in names]


def net_of(data: Mapping[str, Any], known: Sequence[str]) -> ValueNet:
    """A value file's net for a core that knows these inputs. A net fitted before the core knew all of them
    goes by those it names. Raises WeightsError for inputs that the core does not know and sizes that do not
    fit."""
    inputs, units = list(data["inputs"]), len(data["bias"])
    if len(set(inputs)) != len(inputs) or not set(inputs) <= set(known):
        raise WeightsError("its inputs are not those of the core")
    if len(data["first"]) != len(inputs) * units:
        raise WeightsError(f"expected {units} first weights for each of {len(inputs)} inputs")
    rows = {name: data["first"][i * units : (i + 1) * units] for i, name in enumerate(inputs)}
    first = [weight for name in known for weight in rows.get(name, [0] * units)]
    last, nets, caution = tuple(data["last"]), data.get("nets", 1), data.get("caution", 0)
    return ValueNet(tuple(first), tuple(data["bias"]), last, data["last_bias"], nets, caution)


@cache
def _value_file(name: str) -> ValueNet | None:
    path = files("engine").joinpath("data", f"value-{name}.json")
    if not path.is_file():
        return None
    try:
        return net_of(json.loads(path.read_text("utf-8")), _core.feature_names())
    except WeightsError as error:
        raise WeightsError(f"value-{name}.json: {error}") from error


def value_net(variant: Variant, level: str = "club") -> ValueNet | None:
    """The learned value of where lines end: the level's own for the variant's kind, else the kind's, None
    where that has none. Its inputs count ranks, so a mini variant of fewer ranks has none either."""
    if variant.ranks != MAX_RANKS:
        return None
    kind = families(variant)[0]
    return _value_file(f"{level}-{kind}") or _value_file(kind)


def level_adjustments(variant: Variant, level: str) -> dict[str, int]:
    """Options that a level sets otherwise for this kind of variant."""
    return dict(_levels().get(level, {}).get(_adjusted(variant, level), {}))


def _adjusted(variant: Variant, level: str) -> str:
    """The name of those options; empty where it has none."""
    return next((name for name in families(variant) if name in _levels().get(level, {})), "")


def _levels() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    levels: Mapping[str, Mapping[str, Mapping[str, int]]] = _file("weights.json").get("levels", {})
    return levels
