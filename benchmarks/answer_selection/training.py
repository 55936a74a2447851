"""Train the cross-encoder for quoted answers: ``python -m benchmarks.answer_selection.training FOLDER ADAPTER``.

FOLDER is what ``python -m benchmarks.answer_selection`` wrote, ADAPTER the file to write. Needs numpy and torch alone,
so that it runs where there is a GPU: there it takes two to four minutes, with two processors most of a day. The first
stage learns from the public questions, the second from the invented ones and as many public ones. Some of each are kept
apart: after each stage it prints for both the share of questions whose right sentence has the highest logit of its
document, and two probabilities over all pairs of questions: that the right sentence of one has a higher logit than the
best wrong sentence of the other's document, and than the best that a search finds for the other elsewhere. What is
written is the moving average of the weights (arXiv 1803.05407). Then run ``python -m benchmarks.learn_selection
FOLDER``, where FOLDER keeps the filled workspaces.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.answer_selection.network import Network, logits, written

# One in so many examples is kept apart.
_KEPT_APART, _OWN_APART = 80, 8
_WARM_UP, _DECAY, _AVERAGED = 100, 0.01, 0.998
_WITHOUT_CONTEXT, _WITHOUT_MARK = 0.4, 0.3
_QUESTION_MARK = 1029


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; each field is an option of the command.

    Parameters
    ----------
    rank, frozen
        Rank of the changes, and how many of the lower layers have none.
    questions, wrong
        How many questions a step takes, and how many wrong sentences each.
    elsewhere
        How often sentences of other documents are among them, relative to those of the question's own.
    hard
        How much of the loss of wrong sentences falls on those with the highest logits, between 0 and 1.
    rate, own_rate
        Highest learning rate of each stage.
    rounds, own_rounds
        How often each public question is seen in the first stage, and each invented one in the second.
    public_share
        Public questions of the second stage for each invented one.
    """

    seed: int = 0
    rank: int = 32
    frozen: int = 0
    questions: int = 64
    wrong: int = 7
    elsewhere: float = 0.6
    hard: float = 0.0
    rate: float = 1e-3
    own_rate: float = 5e-4
    rounds: float = 2.0
    own_rounds: float = 4.0
    public_share: float = 1.0


class Examples:
    """The examples on a device; see tokens.py for the arrays."""

    def __init__(self, file: Path, device: str) -> None:
        with np.load(file, allow_pickle=False) as arrays:
            found = {name: torch.from_numpy(arrays[name].astype(np.int64)).to(device) for name in arrays.files}
        self._questions, self._sentences, self._alone = (found[name] for name in ("questions", "sentences", "alone"))
        self.right, self.wrong, self.elsewhere = (found[name] for name in ("right", "wrong", "elsewhere"))
        own = int(found["is_own"].sum())
        public = len(self.right) - own
        numbers = torch.arange(len(self.right), device=device)
        # Neighbours share their document: a block is kept apart.
        self.public, self.public_apart = numbers[public // _KEPT_APART : public], numbers[: public // _KEPT_APART]
        self.own = numbers[public + own // _OWN_APART :]
        self.own_apart = numbers[public : public + own // _OWN_APART]

    def tokens(self, questions: Tensor, sentences: Tensor, *, training: bool) -> tuple[Tensor, Tensor]:
        """Return tokens and segments of pairs, shape (n, length), for numbers of examples and sentences.

        In training, some lack the context of their sentence or the question mark.
        """
        first, second = self._questions[questions], self._sentences[sentences]
        if training:
            hidden, unmarked = (
                torch.rand(len(questions), 1, device=first.device) < share
                for share in (_WITHOUT_CONTEXT, _WITHOUT_MARK)
            )
            second = torch.where(hidden, self._alone[sentences], second)
            first = first.masked_fill(unmarked & (first == _QUESTION_MARK), 0)
        both = torch.cat([first, second], 1)
        segments = torch.zeros_like(both)
        segments[:, first.shape[1] :] = 1
        # Padding goes to the end.
        order = torch.sort((both == 0).to(torch.int8), dim=1, stable=True).indices
        longest = int((both > 0).sum(1).max())
        return both.gather(1, order)[:, :longest], segments.gather(1, order)[:, :longest]

    def groups(self, questions: Tensor, wrong: int, elsewhere: float) -> Tensor:
        """Draw a right sentence for each question and wrong ones, shape (questions, 1 + wrong); -1 where none is."""
        others = torch.cat([self.wrong[questions], self.elsewhere[questions]], 1)
        keys = torch.rand_like(others, dtype=torch.float32) + 1e-3
        keys[:, self.wrong.shape[1] :] *= elsewhere
        drawn = keys.masked_fill(others < 0, 0.0).topk(wrong, 1).indices
        right = self.right[questions]
        one = torch.rand_like(right, dtype=torch.float32).masked_fill(right < 0, -1.0).argmax(1, keepdim=True)
        return torch.cat([right.gather(1, one), others.gather(1, drawn)], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the examples and weights")
    parser.add_argument("adapter", type=Path, help="file to write")
    for field in fields(Recipe):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    given = vars(parser.parse_args())
    folder, adapter = given.pop("folder"), given.pop("adapter")
    train(folder, adapter, Recipe(**given))


def train(folder: Path, adapter: Path, recipe: Recipe) -> None:
    """Train in two stages, print the measures after each, and write the adapter."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(recipe.seed)
    with np.load(folder / "weights.npz", allow_pickle=False) as arrays:
        network = Network(dict(arrays), device, recipe.rank, recipe.frozen)
    examples = Examples(folder / "examples.npz", device)
    average = {name: one.detach().clone() for name, one in network.parameters.items()}
    own = int(len(examples.own) * recipe.own_rounds)
    public = _drawn(examples.public, int(own * recipe.public_share))
    stages = [
        (_drawn(examples.public, int(len(examples.public) * recipe.rounds)), recipe.rate),
        (_shuffled(torch.cat([_drawn(examples.own, own), public])), recipe.own_rate),
    ]
    for numbers, rate in stages:
        started = time.perf_counter()
        for step in _trained(network, examples, numbers, rate, recipe):
            with torch.no_grad():
                for name, one in network.parameters.items():
                    average[name].lerp_(one, 1 - min(_AVERAGED, (1 + step) / (10 + step)))
        weights = network.merged(average)
        measures = [
            _measured(weights, examples, apart, recipe) for apart in (examples.public_apart, examples.own_apart)
        ]
        print(recipe, len(numbers), *measures, f"{time.perf_counter() - started:.0f} s", flush=True)
    np.savez_compressed(adapter, allow_pickle=False, **written(average))


def _drawn(numbers: Tensor, many: int) -> Tensor:
    """Draw so many, each about as often as any other."""
    rounds = [_shuffled(numbers) for _ in range(many // len(numbers) + 1)]
    return torch.cat(rounds)[:many]


def _shuffled(numbers: Tensor) -> Tensor:
    return numbers[torch.randperm(len(numbers), device=numbers.device)]


def _trained(network: Network, examples: Examples, numbers: Tensor, most: float, recipe: Recipe) -> Iterator[int]:
    """Train in steps of some questions, and yield the number of each step."""
    parameters = list(network.parameters.values())
    optimizer = torch.optim.AdamW(parameters, lr=most, weight_decay=_DECAY)
    steps = len(numbers) // recipe.questions
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = most * min(1.0, (step + 1) / _WARM_UP) * max(0.02, 1 - step / steps)
        optimizer.zero_grad()
        batch = numbers[step * recipe.questions : (step + 1) * recipe.questions]
        sentences = examples.groups(batch, recipe.wrong, recipe.elsewhere)
        found = _judged(network.merged(network.parameters), examples, batch, sentences, recipe, training=True)
        _loss(found, sentences >= 0, recipe.hard).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        yield step


def _judged(
    weights: dict[str, Tensor],
    examples: Examples,
    questions: Tensor,
    sentences: Tensor,
    recipe: Recipe,
    *,
    training: bool,
) -> Tensor:
    """Return the logits of sentences, shape (questions, sentences); very low where there is none."""
    rows, columns = torch.nonzero(sentences >= 0, as_tuple=True)
    ids, segments = examples.tokens(questions[rows], sentences[rows, columns], training=training)
    # In two halves by length, to save padding.
    halves = torch.argsort((ids > 0).sum(1)).tensor_split(2)
    found = torch.full(sentences.shape, -1e4, device=ids.device)
    for half in halves:
        longest = int((ids[half] > 0).sum(1).max())
        part = logits(weights, ids[half, :longest], segments[half, :longest], recipe.frozen, training=training)
        found = found.index_put((rows[half], columns[half]), part)
    return found


def _loss(found: Tensor, exists: Tensor, hard: float) -> Tensor:
    """The mean loss of a question.

    It is the cross-entropy of the right sentence among all, if there is one, half of its logistic loss, and half of the
    weighted mean of the logistic losses of the wrong sentences.
    """
    has_right, is_wrong = exists[:, 0], exists[:, 1:].float()
    listwise = -functional.log_softmax(found, 1)[:, 0]
    right, wrong = functional.softplus(-found[:, 0]), functional.softplus(found[:, 1:])
    even = is_wrong / is_wrong.sum(1, keepdim=True).clamp(min=1)
    hardest = functional.softmax(found[:, 1:].detach(), 1) * is_wrong
    wrong = (((1 - hard) * even + hard * hardest) * wrong).sum(1)
    return (torch.where(has_right, listwise + 0.5 * right, 0.0) + 0.5 * wrong).mean()


def _measured(
    weights: dict[str, Tensor], examples: Examples, apart: Tensor, recipe: Recipe
) -> tuple[float, float, float]:
    wrong = examples.wrong.shape[1]
    sentences = torch.cat([examples.right[apart, :1], examples.wrong[apart], examples.elsewhere[apart]], 1)
    with torch.no_grad():
        found = torch.cat(
            [
                _judged(weights, examples, *part, recipe, training=False)
                for part in zip(apart.split(recipe.questions), sentences.split(recipe.questions), strict=True)
            ]
        )
    right = found[examples.right[apart, 0] >= 0]
    highest, elsewhere = found[:, 1 : 1 + wrong].amax(1), found[:, 1 + wrong :].amax(1)
    first = (right[:, 0] > right[:, 1 : 1 + wrong].amax(1)).float().mean()
    above, above_elsewhere = (
        (right[:, :1] > other[None, other > -1e3]).float().mean() for other in (highest, elsewhere)
    )
    return round(float(first), 3), round(float(above), 3), round(float(above_elsewhere), 3)


if __name__ == "__main__":
    main()
