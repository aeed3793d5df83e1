import pytest

from evaluation.settings import Settings


@pytest.fixture
def own(ledger_settings: Settings) -> Settings:
    """Chunks of three deals."""
    return ledger_settings.model_copy(update={"chunk_max_units": 3, "chunks_ahead": 10})
