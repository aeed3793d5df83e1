"""Programs that make the players' fitted numbers. One command each; docs/player.md lists them."""
