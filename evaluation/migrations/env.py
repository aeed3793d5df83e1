"""Alembic's entry: runs migrations on the connection that `evaluation.migrate` hands over."""

from __future__ import annotations

from alembic import context

from evaluation.access import tables as _access  # noqa: F401  (its tables belong to the metadata)
from evaluation.notify import tables as _notify  # noqa: F401
from evaluation.schema import Base
from evaluation.vetting import tables as _vetting  # noqa: F401

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
