"""rows by positions searched

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    searched = sa.text("verdict IS NOT NULL")
    op.create_index(
        "ix_results_arm_nodes",
        "results",
        ["arm_id", "nodes", "ordinal"],
        unique=False,
        sqlite_where=searched,
        postgresql_where=searched,
    )


def downgrade() -> None:
    op.drop_index("ix_results_arm_nodes", table_name="results")
