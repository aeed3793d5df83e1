"""The evidence: jobs through the real service, their summaries under docs/evidence/, and the page made of them."""
