"""The ledger: every change of jobs and chunks, each one transaction. No Celery, no HTTP here.

Lock order everywhere: the job's row, then a chunk's, then the arm's, then totals. Whoever keeps to
it cannot deadlock on PostgreSQL. Rows are held `FOR NO KEY UPDATE` (`key_share=True`): a foreign key's
check takes a share of the row it names, before its turn in that order, and must not collide with it.
"""
