"""Average the weights of encoders, each trained further from an earlier one or from an average.

    python training/judge/average.py ENCODER.pt ENCODER.pt ENCODER.pt --out OUT/encoder.pt

Each training run forgets some of what its questions do not cover. On most sets of questions from
which they have not learned, the mean has a lower log loss than each (docs/experiments/judge.md).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

Weights = dict[str, torch.Tensor]


def average(encoders: list[Weights]) -> Weights:
    """The mean of each weight. The encoders have the same names and shapes."""
    return {
        name: torch.stack([one[name].float() for one in encoders]).mean(0) for name in encoders[0]
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(average([torch.load(path) for path in given.encoders]), given.out)


if __name__ == "__main__":
    main()
