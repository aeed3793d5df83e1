"""sequential stop

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("arms", schema=None) as batch_op:
        batch_op.add_column(sa.Column("looks", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("pair_looks", sa.Text(), server_default="", nullable=False))

    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("sequential", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_column("sequential")

    with op.batch_alter_table("arms", schema=None) as batch_op:
        batch_op.drop_column("pair_looks")
        batch_op.drop_column("looks")
