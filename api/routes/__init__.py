"""Routes by subject; each module has a `router`."""
