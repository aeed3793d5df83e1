"""Completion messages: a signed POST to the address that a job names, tried again until it is taken."""
