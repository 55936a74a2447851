"""Train the cross-encoder for claims: ``python -m benchmarks.claim_support.training FOLDER ADAPTER``.

FOLDER is what ``python -m benchmarks.claim_support`` wrote, ADAPTER the file to write. Needs numpy and torch alone;
with two processors it takes an hour. Training sees all pairs in the first stage, and the invented ones again in the
second. One in eight invented documents is kept apart: after each stage it prints for their pairs two probabilities,
that a supported claim has a higher logit than an unsupported one beside the sentences that a careless reader would
cite, and than a claim beside other sentences. What is written is the moving average of the weights (arXiv 1803.05407).
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from benchmarks.answer_selection.averaging import factors
from benchmarks.answer_selection.network import Network, logits, written

_APART = 8
_BATCH, _SORTED_TOGETHER = 64, 16
_WARM_UP, _DECAY, _AVERAGED, _SMOOTHED = 30, 0.01, 0.99, 0.05
_HEAD = "head.weight", "head.bias"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; each field is an option of the command.

    Parameters
    ----------
    rank, written_rank
        Rank of the changes that are trained, and of those that are written, which include the ones of the start.
    rate, own_rate
        Highest learning rate of each stage.
    """

    seed: int = 0
    rank: int = 32
    written_rank: int = 48
    rate: float = 8e-4
    own_rate: float = 5e-4


class Pairs:
    """The pairs; see __main__.py for the arrays."""

    def __init__(self, file: Path) -> None:
        with np.load(file, allow_pickle=False) as arrays:
            found = {name: torch.from_numpy(arrays[name].astype(np.int64)) for name in arrays.files}
        self._ids, self._first, self.is_near = found["ids"], found["first"], found["is_near"].bool()
        self.is_supported = found["is_supported"].float()
        self.lengths = (self._ids > 0).sum(1)
        own = found["is_own"].bool()
        apart = own & (found["source"] % _APART == 0)
        self.apart, self.all, self.own = (torch.nonzero(which)[:, 0] for which in (apart, ~apart, own & ~apart))

    def tokens(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Return tokens and segments of pairs, shape (n, longest)."""
        ids = self._ids[numbers, : int(self.lengths[numbers].max())]
        places = torch.arange(ids.shape[1])[None]
        return ids, ((places >= self._first[numbers, None]) & (ids > 0)).long()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the pairs and weights")
    parser.add_argument("adapter", type=Path, help="file to write")
    for field in fields(Recipe):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    given = vars(parser.parse_args())
    folder, adapter = given.pop("folder"), given.pop("adapter")
    train(folder, adapter, Recipe(**given))


def train(folder: Path, adapter: Path, recipe: Recipe) -> None:
    """Train in two stages, print the measures after each, and write the adapter."""
    torch.manual_seed(recipe.seed)
    start, weights = _arrays(folder / "start.npz"), _arrays(folder / "weights.npz")
    network = Network(_changed(weights, start), "cpu", recipe.rank, frozen=0)
    with torch.no_grad():
        for name in _HEAD:
            network.parameters[name].copy_(torch.from_numpy(start[name]))
    pairs = Pairs(folder / "pairs.npz")
    average = {name: one.detach().clone() for name, one in network.parameters.items()}
    steps = 0
    for numbers, rate in ((pairs.all, recipe.rate), (pairs.own, recipe.own_rate)):
        started = time.perf_counter()
        for _ in _trained(network, pairs, numbers, rate):
            steps += 1
            with torch.no_grad():
                for name, one in network.parameters.items():
                    average[name].lerp_(one, 1 - min(_AVERAGED, (1 + steps) / (10 + steps)))
        near, other = _measured(network.merged(average), pairs)
        print(recipe, len(numbers), near, other, f"{time.perf_counter() - started:.0f} s", flush=True)
    both = _combined(start, written(average), recipe.written_rank)
    np.savez_compressed(adapter, allow_pickle=False, **both)


def _arrays(file: Path) -> dict[str, NDArray[np.float32]]:
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


def _changed(
    weights: Mapping[str, NDArray[np.float32]], adapter: Mapping[str, NDArray[np.float32]]
) -> dict[str, NDArray[np.float32]]:
    """Return weights with the changes of an adapter."""
    changed = {name: adapter.get(name, array) for name, array in weights.items()}
    for name in [name.removesuffix(".up") for name in adapter if name.endswith(".up")]:
        changed[name] = weights[name] + adapter[f"{name}.up"] @ adapter[f"{name}.down"]
    return changed


def _combined(
    start: Mapping[str, NDArray[np.float32]], further: Mapping[str, NDArray[np.float16]], rank: int
) -> dict[str, NDArray[np.float16]]:
    """Return an adapter with the changes of two, of which the second was trained on the weights of the first."""
    both = {name: array.astype(np.float32) for name, array in further.items()}
    for name in [name.removesuffix(".up") for name in further if name.endswith(".up")]:
        up, down = f"{name}.up", f"{name}.down"
        both[up], both[down] = factors(start[up] @ start[down] + both[up] @ both[down], rank)
    return {name: array.astype(np.float16) for name, array in both.items()}


def _trained(network: Network, pairs: Pairs, numbers: Tensor, most: float) -> Iterator[None]:
    """Train once on these pairs, and yield after each step."""
    parameters = list(network.parameters.values())
    optimizer = torch.optim.AdamW(parameters, lr=most, weight_decay=_DECAY)
    batches = _batches(numbers, pairs.lengths)
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = most * min(1.0, (step + 1) / _WARM_UP) * max(0.03, 1 - step / len(batches))
        optimizer.zero_grad()
        found = logits(network.merged(network.parameters), *pairs.tokens(batch), 0, training=True)
        wanted = pairs.is_supported[batch] * (1 - _SMOOTHED) + _SMOOTHED / 2
        functional.binary_cross_entropy_with_logits(found, wanted).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        yield


def _batches(numbers: Tensor, lengths: Tensor) -> list[Tensor]:
    """Return batches in random order, each of pairs of about the same length."""
    shuffled = numbers[torch.randperm(len(numbers))]
    parts = shuffled.split(_BATCH * _SORTED_TOGETHER)
    batches = [batch for part in parts for batch in part[torch.argsort(lengths[part])].split(_BATCH)]
    return [batches[place] for place in torch.randperm(len(batches))]


def _measured(weights: Mapping[str, Tensor], pairs: Pairs) -> tuple[float, float]:
    by_length = pairs.apart[torch.argsort(pairs.lengths[pairs.apart])]
    with torch.no_grad():
        found = torch.cat([logits(weights, *pairs.tokens(b), 0, training=False) for b in by_length.split(_BATCH)])
    supported, near = pairs.is_supported[by_length] > 0, pairs.is_near[by_length]
    right = found[supported][:, None]
    beside = [(right > found[other][None]).float().mean() for other in (near, ~near & ~supported)]
    return round(float(beside[0]), 3), round(float(beside[1]), 3)


if __name__ == "__main__":
    main()
