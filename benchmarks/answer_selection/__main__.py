"""Train the cross-encoder for quoted answers: ``python -m benchmarks.answer_selection FOLDER [--write]``.

FOLDER has the public data sets that benchmarks/answer_selection/examples.py describes. Needs torch, which is not among
the requirements; with two cores that multiply matrices of bfloat16 it takes about half an hour. The first stage learns
from the public questions, the second from the invented ones and as many public ones. Some of each are kept apart: every
few hundred steps it prints for both the share whose right sentence has the highest logit, and the probability that a
right sentence has a higher logit than the best wrong one of another question's document, and than the best of those
that a search finds for another question in other documents. The written adapter went through the second stage again
whenever documents were added. ``--write`` replaces the adapter of the package; with ``--second-stage``, by the mean of
the one before and the new one. Then run ``python -m benchmarks.learn_selection FOLDER``, where FOLDER keeps the filled
workspaces.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import polyadic.rerankers.answer_selection
from benchmarks.answer_selection.examples import Example, own_examples, public_examples, with_distractors
from benchmarks.answer_selection.network import Network, logits
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.rerankers.answer_selection.adapter import ADAPTER, load_adapter
from polyadic.rerankers.answer_selection.pairs import PairTokenizer

_WRITTEN = Path(polyadic.rerankers.answer_selection.__file__).parent / ADAPTER
# One in so many examples is kept apart.
_KEPT_APART, _OWN_APART = 80, 8
_QUESTIONS, _WRONG = 16, 3
# Of so many sentences of other documents, beside those of its own, the wrong ones of a question are chosen.
_ELSEWHERE = 4
_RATE, _SECOND_RATE, _DECAY, _WARM_UP = 1e-3, 3e-4, 0.01, 100
_OFTEN = 200
# How often each question is seen: the public ones in the first stage, and the invented ones in the second.
_ROUNDS, _OWN_ROUNDS = 1.6, 2
_WITHOUT_CONTEXT, _WITHOUT_MARK = 0.4, 0.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the public data sets")
    parser.add_argument("--write", action="store_true", help="write the adapter of the package")
    parser.add_argument("--second-stage", action="store_true", help="begin with the written adapter")
    given = parser.parse_args()
    chance = random.Random(0)  # noqa: S311
    torch.manual_seed(0)
    weights = find_weights()
    network = Network(weights.network)
    tokenizer = PairTokenizer(WordPiece(weights.tokenizer.read_bytes()))
    public, own = with_distractors(list(public_examples(given.folder, chance)), list(own_examples(chance)))
    public, public_apart = _parted(public, _KEPT_APART)
    own, own_apart = _parted(own, _OWN_APART)
    mixed = [*own * _OWN_ROUNDS, *chance.sample(public, len(own) * _OWN_ROUNDS)]
    stages = [(chance.sample(public * 2, int(len(public) * _ROUNDS)), _RATE), (mixed, _SECOND_RATE)]
    before = load_adapter() if given.second_stage else None
    if before is not None:
        network.load(before)
        del stages[0]
    for examples, rate in stages:
        chance.shuffle(examples)
        for step in _train(network, examples, rate, tokenizer, chance):
            print(step, *(_measured(network, apart, tokenizer) for apart in (public_apart, own_apart)), flush=True)
    if given.write:
        adapter = network.adapter()
        if before is not None:
            # The mean forgets less of what was learned before (arXiv 2109.01903).
            adapter = {name: ((before[name] + one) / 2).astype(np.float16) for name, one in adapter.items()}
        np.savez(_WRITTEN, allow_pickle=False, **adapter)


def _parted(examples: Sequence[Example], every: int) -> tuple[list[Example], list[Example]]:
    """Return most examples, and one block of this many that is kept apart: neighbours share their document."""
    return [*examples[len(examples) // every :]], [*examples[: len(examples) // every]]


def _train(
    network: Network, examples: Sequence[Example], most: float, tokenizer: PairTokenizer, chance: random.Random
) -> Iterator[int]:
    """Train in steps of a few questions, and yield the number of the step now and then."""
    parameters = list(network.parameters.values())
    optimizer = torch.optim.AdamW(parameters, lr=most, weight_decay=_DECAY)
    steps = len(examples) // _QUESTIONS
    for step in range(steps):
        batch = examples[step * _QUESTIONS : (step + 1) * _QUESTIONS]
        rate = most * min(1.0, (step + 1) / _WARM_UP) * max(0.02, 1 - step / steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        _loss(network, batch, tokenizer, chance).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step % _OFTEN == _OFTEN - 1 or step == steps - 1:
            yield step + 1


def _loss(
    network: Network, examples: Sequence[Example], tokenizer: PairTokenizer, chance: random.Random
) -> torch.Tensor:
    """The mean over the questions of two losses.

    That of the right sentence among the others (softmax), where there is one, and half of that of each sentence alone
    (logistic).
    """
    weights = network.merged()
    rows: list[tuple[str, str, str]] = []
    starts = [0]
    for one in examples:
        question = one.question.rstrip("? ") if chance.random() < _WITHOUT_MARK else one.question
        right = [chance.choice(one.right)] if one.right else []
        others = [*one.wrong, *chance.sample(list(one.elsewhere), _ELSEWHERE)]
        wrong = chance.sample(others, min(len(others), _WRONG + 1 - len(right)))
        hides = chance.random() < _WITHOUT_CONTEXT
        rows += [(question, "" if hides else context, text) for context, text in (*right, *wrong)]
        starts.append(len(rows))
    # In two halves by length, to save padding.
    order = sorted(range(len(rows)), key=lambda row: sum(map(len, rows[row])))
    halves = [order[: len(order) // 2], order[len(order) // 2 :]]
    found = torch.zeros(len(rows))
    for half in halves:
        inputs = tokenizer.pairs([rows[row] for row in half])
        found = found.index_put((torch.tensor(half),), logits(weights, inputs, training=True))
    total = torch.zeros(())
    for one, start, end in zip(examples, starts, starts[1:], strict=False):
        own = found[start:end]
        target = torch.zeros_like(own)
        if one.right:
            target[0] = 1
            total = total - functional.log_softmax(own, 0)[0]
        alone = functional.binary_cross_entropy_with_logits(own, target, reduction="none")
        total = total + 0.5 * torch.where(target > 0, alone, alone / max(1, len(own) - 1)).sum()
    return total / len(examples)


def _measured(network: Network, apart: Sequence[Example], tokenizer: PairTokenizer) -> tuple[float, float, float]:
    right, wrong, first, elsewhere = [], [], [], []
    with torch.no_grad():
        weights = network.merged()
        for one in apart:
            pairs = [(one.question, *pair) for pair in (*one.right[:1], *one.wrong)]
            own = logits(weights, tokenizer.pairs(pairs)).numpy()
            if one.right:
                right.append(own[0])
                first.append(own.argmax() == 0)
            wrong.append(own[len(one.right[:1]) :].max())
            others = [(one.question, *pair) for pair in one.elsewhere[:_ELSEWHERE]]
            elsewhere.append(logits(weights, tokenizer.pairs(others)).numpy().max())
    above, above_elsewhere = (
        np.mean(np.array(right)[:, None] > np.array(highest)[None, :]) for highest in (wrong, elsewhere)
    )
    return round(float(np.mean(first)), 3), round(float(above), 3), round(float(above_elsewhere), 3)


if __name__ == "__main__":
    main()
