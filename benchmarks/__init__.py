"""Programs that print the figures that docs state: speed, scale, strength. None is a test."""
