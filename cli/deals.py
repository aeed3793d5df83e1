"""`show`, `verify`, `variants`, `schemes`: the games themselves, their numbers, files and replays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from cli import completion
from cli.common import NEGATIVE, USAGE, err, fail, out, print_json, settings_with, told, variant_option
from cli.options import Json, Scheme
from engine.deals import Deal, deal, scheme_records
from engine.endings import DEAD_BOUND, Outlook
from engine.formats import Format, UnsayableError, read_deal, write_deal
from engine.formats.dealjson import deal_object
from engine.formats.errors import FormatError, shown, text_of
from engine.formats.games import FORMAT as GAME_FORMAT
from engine.formats.games import read_game
from engine.formats.judgements import judgement_object
from engine.formats.located import parse
from engine.formats.prooffiles import read_proof
from engine.game import start
from engine.proofs import FORMAT as PROOF_FORMAT
from engine.proofs import recheck
from engine.replay import GameRecord, Judgement, judge_record
from engine.trails import fast_outlook
from engine.variants import ALIASES, NAMED, PRESETS, Variant, resolve
from engine.words import counted

UNDECIDED = f" (whether it is dead was not decided within {DEAD_BOUND:,} positions)"


def register(app: typer.Typer) -> None:
    app.command("show")(show)
    app.command("verify")(verify)
    app.command("variants")(variants)
    app.command("schemes")(schemes)


def show(
    variant: Annotated[
        str | None,
        typer.Option(
            "--variant", help="a variant: name, JSON record or @FILE", autocompletion=completion.variants
        ),
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", help="the deal's number")] = None,
    scheme: Scheme = "spidervet",
    layout: Annotated[Path | None, typer.Option("--layout", help="a deal file, in any format")] = None,
    form: Annotated[Format, typer.Option("--format", help="how to write the deal")] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="the same as --format json")] = False,
) -> None:
    """Show a deal's cards, and say whether it is lost from the start."""
    with told():
        made = deal_of(variant, seed, scheme, layout)
        verdict = fast_outlook(made.variant, start(made.variant, made))
        if as_json or form is Format.JSON:
            print_json(deal_object(made) | {"outlook": verdict.value})
            return
        try:
            typer.echo(write_deal(made, form), nl=False)
        except UnsayableError as error:
            fail(str(error), USAGE)
    if verdict is not Outlook.ALIVE:
        err.print(f"outlook: {verdict.value}{UNDECIDED if verdict is Outlook.UNKNOWN else ''}")


def deal_of(variant: str | None, seed: str | None, scheme: str, layout: Path | None) -> Deal:
    """The deal of a seed, or of a file in any format; only a file may name its variant itself."""
    if (seed is None) == (layout is None):
        fail("say either --seed or --layout", USAGE)
    game = None if variant is None else resolve(variant_option(variant))
    if layout is not None:
        return _read(layout, game)
    if game is None or seed is None:
        fail("--variant is needed with --seed", USAGE)
    return deal(game, seed, scheme)


def _read(path: Path, variant: Variant | None) -> Deal:
    try:
        return read_deal(path.read_bytes(), variant)
    except FormatError as error:
        fail(f"{path}: {error}", USAGE)


def verify(
    file: Annotated[Path, typer.Argument(help="a game, solution or proof file")],
    again: Annotated[bool, typer.Option("--recheck", help="run a proof's search again")] = False,
    as_json: Json = False,
) -> None:
    """Judge a game by the rules, or check a proof. Exit 1 if a move is illegal, a solution does not win, or a
    proof does not hold."""
    with told():
        data = file.read_bytes()
        try:
            form = _form(data)
            if form == PROOF_FORMAT:
                good = _verify_proof(data, again, as_json)
            else:
                good = _verify_game(data, as_json)
        except FormatError as error:
            fail(f"{file}: {error}", USAGE)
    if not good:
        raise typer.Exit(NEGATIVE)


def _form(data: bytes) -> Any:
    """What a file says that it is; games have no other form than JSON."""
    plain = parse(text_of(data)).plain()
    form = plain.get("format") if isinstance(plain, dict) else None
    if form not in (GAME_FORMAT, PROOF_FORMAT):
        raise FormatError(f"format {shown(form)}: expected {GAME_FORMAT} or {PROOF_FORMAT}")
    return form


def _verify_game(data: bytes, as_json: bool) -> bool:
    record = read_game(data)
    judgement = judge_record(record, look=fast_outlook)
    if as_json:
        print_json(judgement_object(record.deal, judgement))
    else:
        _tell(record, judgement)
    return judgement.legal and (judgement.won or record.by != "solver")


def _tell(record: GameRecord, judgement: Judgement) -> None:
    by = record.by if record.by.isprintable() else ascii(record.by)  # no escape sequence reaches a terminal
    out.print(f"{record.deal.identity}" + (f", by {by}" if by else ""), markup=False)
    if judgement.fault:
        fault = judgement.fault
        out.print(f"entry {fault.number}, {fault.move}: {fault.reason}", markup=False)
        out.print(fault.shown, markup=False)
    state = judgement.ending.value
    if judgement.outlook is Outlook.UNKNOWN:
        state += UNDECIDED
    undos = f", {counted(judgement.undos, 'undo')}" if judgement.undos else ""
    sequences = counted(judgement.sequences, "sequence")
    out.print(f"{state} after {counted(judgement.moves, 'move')}{undos}, {sequences} off")
    left = judgement.tally
    cards, deals = counted(left.cards_left, "card"), counted(left.stock_deals_left, "stock deal")
    out.print(f"{cards} and {deals} left")
    for scoring, points in judgement.scores.items():
        if points is not None:
            out.print(f"{scoring.value}: {points}")


def _verify_proof(data: bytes, again: bool, as_json: bool) -> bool:
    record = read_proof(data)
    answer: dict[str, Any] = {"id": str(record.deal.identity), "certificate": record.certificate.record()}
    if not again:
        answer |= {"holds": None, "fault": "not checked: --recheck runs the search again"}
    else:
        found = recheck(
            record.deal.variant, record.deal, record.certificate, settings_with().solver_memory_mb
        )
        answer |= {"holds": found.holds, "fault": found.fault or None, "positions": found.positions}
        answer["reference_positions"] = found.plain and found.plain.positions
    if as_json:
        print_json(answer)
    else:
        for key, value in answer.items():
            out.print(f"{key}: {value}", markup=False)
    return bool(answer["holds"])


def variants(as_json: Json = False) -> None:
    """The named variants with every rule field; presets to lay over any of them."""
    if as_json:
        print_json(
            {
                "variants": [{**v.record(), "key": v.key} for v in NAMED.values()],
                "aliases": dict(ALIASES),
                "presets": {name: dict(fields) for name, fields in PRESETS.items()},
            }
        )
        return
    table = Table("name", "decks", "suits", "columns (face down)", "stock", "differs")
    for v in NAMED.values():
        shape = " ".join(f"{n}({d})" for n, d in zip(v.columns, v.face_down, strict=True))
        table.add_row(v.name, str(v.decks), str(v.suits), shape, str(v.stock), _differences(v))
    out.print(table)
    out.print("also: " + ", ".join(f"{alias} = {name}" for alias, name in ALIASES.items()), markup=False)
    for name, fields in PRESETS.items():
        out.print(f"preset {name}: " + ", ".join(f"{k} {v}" for k, v in fields.items()), markup=False)


def _differences(variant: Variant) -> str:
    plain = NAMED["spider-4"].record()
    shape = ("name", "decks", "suits", "columns", "face_down")
    return ", ".join(f"{k} {v}" for k, v in variant.record().items() if k not in shape and v != plain[k])


def schemes(as_json: Json = False) -> None:
    """The deal numbering schemes: their numbers, and which variants they deal."""
    if as_json:
        print_json({"schemes": scheme_records()})
        return
    table = Table("name", "numbers of", "seeds", "variants")
    for s in scheme_records():
        dealt = ", ".join(s["variants"]) if s["variants"] else "every one, custom ones too"
        table.add_row(s["name"], s["title"], s["seeds"], dealt)
    out.print(table)
