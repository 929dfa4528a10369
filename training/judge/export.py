"""Write the encoder as an int8 ONNX model, without its word table.

    python training/judge/export.py ENCODER.pt [ENCODER.pt ...] OUT --base MODEL \\
        [--table src/augury/language/word_pieces]

Of several runs the mean of their weights is taken, as precise as they are. Weights are quantized
per channel; activations at run time. The word table, which training leaves as the base model has
it, is quantized per tensor; `--table` writes it and the tokenizer, which all transformers share, to
a folder. Prints the size and the time of 12 pairs.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from labels import CLASSES
from onnx import TensorProto, helper
from onnx.numpy_helper import to_array
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import AutoModelForSequenceClassification

from augury.language import word_pieces
from augury.language.word_pieces import WordTable

WORDS = "word_embeddings.weight"
"""Part of the names of what a model holds of its word table."""


class Logits(torch.nn.Module):
    """The model's logits alone, as the exporter wants them."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """Shape (pairs, classes)."""
        return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits


def apart(path: Path) -> WordTable:
    """Take the word table out of an ONNX model and return it. The model then reads the vectors of
    word pieces instead of their ids."""
    model = onnx.load(path)
    graph = model.graph
    kept = {one.name: one for one in graph.initializer if WORDS in one.name}
    looked_up, exact = (
        next(
            node for node in graph.node if set(kept).intersection(node.input) and node.op_type == op
        )
        for op in ("Gather", "DequantizeLinear")
    )
    for one in (looked_up, exact):
        graph.node.remove(one)
    for one in kept.values():
        graph.initializer.remove(one)
    for node in graph.node:
        for n, name in enumerate(node.input):
            if name == exact.output[0]:
                node.input[n] = "words"
            elif name == "input_ids":  # only its shape is asked for
                node.input[n] = "attention_mask"
    levels, scale, zero = (
        to_array(next(one for name, one in kept.items() if name.endswith(end)))
        for end in ("quantized", "scale", "zero_point")
    )
    graph.input.remove(next(one for one in graph.input if one.name == "input_ids"))
    shape = ["pairs", "tokens", levels.shape[1]]
    graph.input.insert(0, helper.make_tensor_value_info("words", TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return WordTable(levels, (np.arange(256) - int(zero)).astype(np.float32) * scale)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    model = AutoModelForSequenceClassification.from_pretrained(
        given.base, num_labels=len(CLASSES), attn_implementation="eager"
    )
    runs = [torch.load(path) for path in given.weights]
    mean = {k: sum(run[k].float() for run in runs) / len(runs) for k in runs[0]}
    model.load_state_dict({k: v.to(runs[0][k].dtype).float() for k, v in mean.items()})
    model.eval()
    given.out.mkdir(parents=True, exist_ok=True)
    ids = torch.randint(1000, 20000, (12, 60))
    mask = torch.ones_like(ids)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            Logits(model), (ids, mask, torch.zeros_like(ids)), str(plain), input_names=names,
            output_names=["logits"], opset_version=17, dynamo=False,
            dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in names},
        )  # fmt: skip
        target = given.out / "encoder.onnx"
        quantize_dynamic(plain, target, weight_type=QuantType.QInt8, per_channel=True)
        table = apart(target)
        fed = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(),
               "token_type_ids": np.zeros_like(ids.numpy())}  # fmt: skip
        exact = onnxruntime.InferenceSession(str(plain)).run(None, fed)[0]
        session = onnxruntime.InferenceSession(str(target))
        fed["words"] = table.vectors(fed.pop("input_ids"))
        took = []
        for _ in range(20):
            began = time.perf_counter()
            small = session.run(None, fed)[0]
            took.append(time.perf_counter() - began)
    if given.table:
        np.savez(given.table / "table.npz", **table._asdict())
        shutil.copy(given.base / "tokenizer.json", given.table / "tokenizer.json")
    elif not all(map(np.array_equal, table, word_pieces.table())):
        raise SystemExit("The word table differs from the shipped one. Replace that with --table.")
    print(f"{target.stat().st_size / 1e6:.1f} MB, 12 pairs in {1000 * sorted(took)[10]:.1f} ms;"
          f" logits differ by {np.abs(exact - small).mean():.3f} on average")  # fmt: skip


if __name__ == "__main__":
    main()
