"""Charts as inline SVG, drawn on the server: the same for the dashboard and for report.html.

Colours come from classes, so that a page's own sheet decides them. Every chart carries a text that says
what it shows.
"""
