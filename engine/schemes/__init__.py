"""Numbering schemes: how a program turns a number into a layout. `engine.deals` is the face of them."""
