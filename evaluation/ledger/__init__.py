"""The ledger: every change of jobs and chunks, each one transaction. No Celery, no HTTP here.

Lock order everywhere: the job's row, then a chunk's, then the arm's, then totals. Whoever keeps to
it cannot deadlock on PostgreSQL.
"""
