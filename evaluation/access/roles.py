"""Roles and identities: who asks, and how much they may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a token may do; each role may do everything that the ones before it may."""

    VIEWER = "viewer"
    SUBMITTER = "submitter"
    EDITOR = "editor"
    ADMIN = "admin"

    def covers(self, other: Role) -> bool:
        """Whether this role may do what ``other`` may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True)
class Limits:
    """A token's own limits; None is the setting `SPIDERVET_TOKEN_…` of the same name.

    open_jobs: jobs not yet ended. seeds: deals in one job. nodes: solver nodes that one job may ask for,
    budget times deals times arms. rate: requests a minute.
    """

    open_jobs: int | None = None
    seeds: int | None = None
    nodes: int | None = None
    rate: int | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Identity:
    """Who asks. token_id: None for whoever is at the machine itself, where no tokens are in use."""

    name: str
    role: Role
    token_id: str | None = None
    limits: Limits = NO_LIMITS

    @property
    def is_local(self) -> bool:
        return self.token_id is None

    def may_change(self, owner: str | None) -> bool:
        """Whether a job of this owner may be cancelled, retried or deleted: by its owner and by admins."""
        return self.role is Role.ADMIN or (self.role.covers(Role.SUBMITTER) and owner == self.name)

    def may_see(self, kind: str) -> bool:
        """Whether jobs of this kind may be looked at: what vetting works on is for editors."""
        return kind == "evaluation" or self.role.covers(Role.EDITOR)


LOCAL = Identity("local", Role.ADMIN)
"""Everyone on the loopback address of a service that has no tokens."""
