"""The `spidervet` command."""
