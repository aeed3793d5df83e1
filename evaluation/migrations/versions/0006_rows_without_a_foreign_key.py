"""rows of results without a foreign key to their arm: a third of what a row costs on PostgreSQL

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None
KEY = "fk_results_arm_id_arms"


def upgrade() -> None:
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.drop_constraint(op.f(KEY), type_="foreignkey")


def downgrade() -> None:
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.create_foreign_key(op.f(KEY), "arms", ["arm_id"], ["id"])
