"""Vetting dailies: candidates from a calendar's keys, judged, proposed, approved, published and signed.

No HTTP and no Celery here. docs/vetting.md tells editors how to use it and anyone how to check it.
"""
