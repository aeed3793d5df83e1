"""The Celery application and its tasks. Thin: the work is in `evaluation` and `engine`."""
