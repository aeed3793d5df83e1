"""CMA-ES (Hansen and Ostermeier, 2001; constants of arXiv 1604.00772, 2016), small and seeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


class Cmaes:
    """Maximises by ask and tell. State can be saved as JSON and read back, random generator included."""

    def __init__(self, mean: Vector, sigma: float, seed: int, population: int | None = None) -> None:
        n = len(mean)
        self.mean = np.array(mean, dtype=float)
        self.sigma = sigma
        self.population = population or 4 + int(3 * np.log(n))
        self.cov = np.eye(n)
        self.path_c = np.zeros(n)
        self.path_s = np.zeros(n)
        self.generation = 0
        self.rng = np.random.default_rng(seed)
        mu = self.population // 2
        raw = np.log((self.population + 1) / 2) - np.log(np.arange(1, mu + 1))
        self.weights = raw / raw.sum()
        self.mu_eff = 1 / np.sum(self.weights**2)
        self.c_s = (self.mu_eff + 2) / (n + self.mu_eff + 5)
        self.d_s = 1 + 2 * max(0.0, np.sqrt((self.mu_eff - 1) / (n + 1)) - 1) + self.c_s
        self.c_c = (4 + self.mu_eff / n) / (n + 4 + 2 * self.mu_eff / n)
        self.c_1 = 2 / ((n + 1.3) ** 2 + self.mu_eff)
        self.c_mu = min(1 - self.c_1, 2 * (self.mu_eff - 2 + 1 / self.mu_eff) / ((n + 2) ** 2 + self.mu_eff))
        self.chi = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))

    def _root(self) -> tuple[Vector, Vector]:
        values, vectors = np.linalg.eigh((self.cov + self.cov.T) / 2)
        return vectors, np.sqrt(np.maximum(values, 1e-12))

    def ask(self) -> Vector:
        """Samples: one row each."""
        vectors, scales = self._root()
        z = self.rng.standard_normal((self.population, len(self.mean)))
        return self.mean + self.sigma * (z * scales) @ vectors.T

    def tell(self, samples: Vector, values: Vector) -> None:
        """values: greater is better, in the order of the samples."""
        n = len(self.mean)
        vectors, scales = self._root()
        best = samples[np.argsort(-values, kind="stable")[: len(self.weights)]]
        steps = (best - self.mean) / self.sigma
        step = self.weights @ steps
        self.mean = self.mean + self.sigma * step
        white = vectors @ ((vectors.T @ step) / scales)
        self.generation += 1
        self.path_s = (1 - self.c_s) * self.path_s + np.sqrt(self.c_s * (2 - self.c_s) * self.mu_eff) * white
        norm = np.linalg.norm(self.path_s)
        fading = np.sqrt(1 - (1 - self.c_s) ** (2 * self.generation))
        going = norm / fading / self.chi < 1.4 + 2 / (n + 1)
        self.path_c = (1 - self.c_c) * self.path_c + going * np.sqrt(
            self.c_c * (2 - self.c_c) * self.mu_eff
        ) * step
        rank_one = np.outer(self.path_c, self.path_c) + (1 - going) * self.c_c * (2 - self.c_c) * self.cov
        rank_mu = (steps.T * self.weights) @ steps
        self.cov = (1 - self.c_1 - self.c_mu) * self.cov + self.c_1 * rank_one + self.c_mu * rank_mu
        self.sigma *= float(np.exp(self.c_s / self.d_s * (norm / self.chi - 1)))

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, as JSON."""
        return {
            "mean": self.mean.tolist(),
            "sigma": self.sigma,
            "cov": self.cov.tolist(),
            "path_c": self.path_c.tolist(),
            "path_s": self.path_s.tolist(),
            "generation": self.generation,
            "rng": self.rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        for name in ("mean", "cov", "path_c", "path_s"):
            setattr(self, name, np.array(state[name]))
        self.sigma, self.generation = state["sigma"], state["generation"]
        self.rng.bit_generator.state = state["rng"]
