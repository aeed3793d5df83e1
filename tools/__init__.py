"""Programs that make numbers of the project: weights of the players (docs/player.md) and of the solver
(docs/solver.md), the evidence (docs/winnability.md). One command each; `servers` starts what they need."""
