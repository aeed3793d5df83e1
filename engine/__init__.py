"""The games: variants, deals, the reference rules, and typed faces of the native core.

Nothing in this package does I/O, reads a clock or the environment, logs, or uses a global
random state. Everything here is a function of its arguments.
"""
