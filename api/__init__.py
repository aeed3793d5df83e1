"""The HTTP API, live events and the dashboard pages."""
