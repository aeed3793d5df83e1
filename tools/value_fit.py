"""Fits the learned value, a net of one hidden layer, to the outcomes of games, in plain numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

FIRST_SCALE = 4096
ACTIVE_SCALE = 64
LAST_SCALE = 1024


@dataclass
class Net:
    """Standardised inputs, ``units`` rectified units, one logit."""

    shift: Array
    spread: Array
    first: Array
    bias: Array
    last: Array
    last_bias: float

    def logits(self, inputs: NDArray[np.int16]) -> Array:
        x = (inputs - self.shift) / self.spread
        out: Array = np.maximum(x @ self.first + self.bias, 0) @ self.last + self.last_bias
        return out

    def whole_numbers(self) -> tuple[list[int], list[int], list[int], int]:
        """The core's form: first weights by input, biases, last weights, last bias."""
        first = self.first / self.spread[:, None]
        bias = self.bias - self.shift @ first
        return (
            np.rint(first * FIRST_SCALE).astype(int).ravel().tolist(),
            np.rint(bias * FIRST_SCALE).astype(int).tolist(),
            np.rint(self.last * LAST_SCALE).astype(int).tolist(),
            round(self.last_bias * ACTIVE_SCALE * LAST_SCALE),
        )


def fit(
    inputs: NDArray[np.int16],
    targets: Array,
    games: NDArray[np.int32],
    *,
    units: int,
    epochs: int,
    seed: int,
    decay: float = 1e-4,
    start: Net | None = None,
) -> tuple[Net, str]:
    """Cross entropy by Adam, a tenth of the games held back. games: the game of each row. Returns the net
    that was best on those held back, and a line that says how good it is."""
    rng = np.random.default_rng(seed)
    held = games % 10 == 9
    shift = inputs.mean(0).astype(np.float32)
    spread = np.maximum(inputs.std(0), 0.5).astype(np.float32)
    n = inputs.shape[1]
    net = start or Net(
        shift,
        spread,
        (rng.standard_normal((n, units)) / np.sqrt(n)).astype(np.float32),
        np.zeros(units, np.float32),
        (rng.standard_normal(units) / np.sqrt(units)).astype(np.float32),
        0.0,
    )
    x, y = ((inputs[~held] - net.shift) / net.spread).astype(np.float32), targets[~held]
    params = [net.first, net.bias, net.last, np.array([net.last_bias], np.float32)]
    moments = [[np.zeros_like(p), np.zeros_like(p)] for p in params]
    step, best, kept, report = 0, np.inf, [p.copy() for p in params], ""
    batch = 2048
    total = epochs * (len(x) // batch + 1)
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for begin in range(0, len(x), batch):
            rows = order[begin : begin + batch]
            grads = _gradients(params, x[rows], y[rows])
            step += 1
            rate = 2e-3 * (1 - step / (total + 1)) + 1e-5
            for i, (p, g, (m, v)) in enumerate(zip(params, grads, moments, strict=True)):
                if i in (0, 2):
                    g = g + decay * p
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                p -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        net = _net(net, params)
        loss, area = _judge(net, inputs[held], targets[held])
        if loss < best:
            best, kept = loss, [p.copy() for p in params]
            report = f"{len(inputs)} rows, epoch {epoch + 1}: cross entropy {loss:.4f}, "
            report += f"area under the curve {area:.4f}"
    return _net(net, kept), report


def _net(like: Net, params: list[Array]) -> Net:
    """The net of these parameters over the inputs' shift and spread of another."""
    first, bias, last, last_bias = params
    return Net(like.shift, like.spread, first, bias, last, float(last_bias[0]))


def _gradients(params: list[Array], x: Array, y: Array) -> list[Array]:
    first, bias, last, last_bias = params
    hidden = np.maximum(x @ first + bias, 0)
    error = (1 / (1 + np.exp(-(hidden @ last + last_bias))) - y) / np.float32(len(x))
    back = np.outer(error, last) * (hidden > 0)
    return [x.T @ back, back.sum(0), hidden.T @ error, np.array([error.sum()], np.float32)]


def _judge(net: Net, inputs: NDArray[np.int16], targets: Array) -> tuple[float, float]:
    logits = net.logits(inputs)
    loss = float(np.mean(np.logaddexp(0, logits) - targets * logits))
    ranks = np.argsort(np.argsort(logits)) + 1
    won = targets > 0.8
    wins = int(won.sum())
    rest = len(won) - wins
    area = (ranks[won].sum() - wins * (wins + 1) / 2) / max(1, wins * rest)
    return loss, float(area)
