"""CMA-ES (Hansen and Ostermeier, 2001; tutorial of 2016): minimises without derivatives, in plain numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class CMAES:
    """Ask for a population, tell its losses, again and again; ``mean`` is the answer.

    mean: where to start. scale: first standard deviation of each coordinate. size: population.
    """

    def __init__(self, mean: Vector, scale: Vector, size: int, seed: int) -> None:
        n = len(mean)
        self.mean, self.scale, self.size = mean.astype(float), scale.astype(float), size
        self.rng = np.random.default_rng(seed)
        self.sigma = 1.0
        parents = size // 2
        weights = np.log((size + 1) / 2) - np.log(np.arange(1, parents + 1))
        self.weights: Vector = weights / weights.sum()
        self.mueff = 1 / float((self.weights**2).sum())
        self.cc = (4 + self.mueff / n) / (n + 4 + 2 * self.mueff / n)
        self.cs = (self.mueff + 2) / (n + self.mueff + 5)
        self.c1 = 2 / ((n + 1.3) ** 2 + self.mueff)
        self.cmu = min(1 - self.c1, 2 * (self.mueff - 2 + 1 / self.mueff) / ((n + 2) ** 2 + self.mueff))
        self.damping = 1 + 2 * max(0.0, float(np.sqrt((self.mueff - 1) / (n + 1))) - 1) + self.cs
        self.chi = float(np.sqrt(n)) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.path_c, self.path_s, self.cov = np.zeros(n), np.zeros(n), np.eye(n)
        self.generation = 0

    def ask(self) -> list[Vector]:
        """The population: points in the caller's units."""
        values, self.basis = np.linalg.eigh(self.cov)
        self.axes = np.sqrt(np.maximum(values, 1e-12))
        steps = self.rng.standard_normal((self.size, len(self.mean))) * self.axes @ self.basis.T
        self.steps: Vector = steps
        return [self.mean + self.sigma * self.scale * step for step in steps]

    def tell(self, losses: Vector) -> None:
        """Losses of the last population, in its order."""
        self.generation += 1
        chosen = self.steps[np.argsort(losses)[: len(self.weights)]]
        step = self.weights @ chosen
        self.mean = self.mean + self.sigma * self.scale * step
        white = self.basis @ ((self.basis.T @ step) / self.axes)
        self.path_s = (1 - self.cs) * self.path_s + np.sqrt(self.cs * (2 - self.cs) * self.mueff) * white
        norm = float(np.linalg.norm(self.path_s))
        fresh = float(np.sqrt(1 - (1 - self.cs) ** (2 * self.generation)))
        moving = norm / fresh < (1.4 + 2 / (len(step) + 1)) * self.chi
        self.path_c = (1 - self.cc) * self.path_c + moving * np.sqrt(
            self.cc * (2 - self.cc) * self.mueff
        ) * step
        rank_mu = (chosen * self.weights[:, None]).T @ chosen
        rank_one = np.outer(self.path_c, self.path_c)
        self.cov = (1 - self.c1 - self.cmu) * self.cov + self.c1 * rank_one + self.cmu * rank_mu
        self.sigma *= float(np.exp((self.cs / self.damping) * (norm / self.chi - 1)))
