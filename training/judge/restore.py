"""Make weights to train on from the judge that ships: what `export.py` wrote, the other way round.

    python training/judge/restore.py src/augury/matching/model ENCODER.pt --base MODEL

Weights come back as precise as int8 keeps them; the tables of words, places and parts are the base
model's, which training leaves as they are. Prints by how much the logits of a few pairs differ.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from augury.language import word_pieces

PAIRS = [
    ("Will the US enter a recession? | Nov 2026", "US recession in 2027? | closes Dec 31 2027"),
    ("are the ducks losing tonight | Oct 2025", "Will the Anaheim Ducks win? | closes Oct 9 2025"),
    ("Does Bitcoin stay below 100k? | Mar 2025", "Will Bitcoin reach $100,000 in 2025?"),
]


def restored(path: Path, prefix: str = "model.") -> dict[str, torch.Tensor]:
    """Parameters by the name that the framework gives them. `prefix`: what stands before these
    names in the file."""
    graph = onnx.load(path).graph
    kept = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found = {
        name.removeprefix(prefix): torch.tensor(values)
        for name, values in kept.items()
        if name.startswith(prefix)
        and values.dtype == np.float32
        and values.ndim == 1
        and not name.endswith("_scale")
    }
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        stem = node.input[1].removesuffix("_quantized")
        levels = kept[node.input[1]].astype(np.float32) - kept[f"{stem}_zero_point"]
        weight = torch.tensor(levels * kept[f"{stem}_scale"]).T
        place = node.name.removeprefix("/").rpartition("/")[0].replace("/", ".")
        found[f"{place.removeprefix(prefix)}.weight"] = weight.contiguous()
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    given = parser.parse_args()
    weights = restored(given.model / "encoder.onnx")
    model = AutoModelForSequenceClassification.from_pretrained(
        given.base, num_labels=len(weights["classifier.bias"])
    ).float()
    missing, unknown = model.load_state_dict(weights, strict=False)
    assert not unknown, unknown
    assert all("embeddings" in name for name in missing), missing
    model.eval()
    tokenizer = AutoTokenizer.from_pretrained(given.base)
    fed = tokenizer(*map(list, zip(*PAIRS, strict=True)), padding=True, return_tensors="pt")
    given_words = {name: value.numpy() for name, value in fed.items()}
    given_words["words"] = word_pieces.table().vectors(given_words.pop("input_ids"))
    exact = onnxruntime.InferenceSession(given.model / "encoder.onnx").run(None, given_words)[0]
    with torch.inference_mode():
        now = model(**fed).logits.numpy()
    print(
        f"{len(weights)} parameters; logits differ by {np.abs(now - exact).mean():.3f} on average"
    )
    given.out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), given.out)


if __name__ == "__main__":
    main()
