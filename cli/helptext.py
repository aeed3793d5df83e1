"""What `--help` prints: no type beside a flag, which takes no value."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption


class _Command(TyperCommand):
    """Typer shows every option's type, so that a flag looks as if it wanted a ``<bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


def _without_types(params: list[Any]) -> list[Any]:
    for option in params:
        if isinstance(option, TyperOption) and option.is_flag:
            option.metavar = ""
    return params


def plain_flags(app: typer.Typer) -> None:
    """Let every command of ``app`` print its flags without a type."""
    app.info.cls = _Group
    for command in app.registered_commands:
        command.cls = _Command
    for group in app.registered_groups:
        if group.typer_instance is not None:
            plain_flags(group.typer_instance)
