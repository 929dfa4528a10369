"""LightGBM's trees as an ONNX model: (n, columns) float32 to the raw score of each class, as the
mean of several models."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
from onnx import TensorProto, helper


def content(models: list[lightgbm.Booster]) -> bytes:
    """The file's content."""
    dumped = [model.dump_model() for model in models]
    classes, columns = dumped[0]["num_class"], len(dumped[0]["feature_names"])
    nodes: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in (
            "treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids",
            "hitrates", "missing_value_tracks_true",
        )
    }  # fmt: skip
    leaves: dict[str, list[Any]] = {
        f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")
    }

    def add(tree: int, node: dict[str, Any], number: int) -> int:
        """Number of the next node after this one and all below."""
        inner = "split_feature" in node
        row = {
            "treeids": tree, "nodeids": number, "featureids": node.get("split_feature", 0),
            "modes": "BRANCH_LEQ" if inner else "LEAF",
            "values": _rounded_down(node["threshold"]) if inner else 0.0,
            "truenodeids": number + 1 if inner else 0, "falsenodeids": 0, "hitrates": 1.0,
            "missing_value_tracks_true": 0,
        }  # fmt: skip
        for name, value in row.items():
            nodes[f"nodes_{name}"].append(value)
        if not inner:
            told = (tree, number, tree % classes, float(node["leaf_value"]) / len(models))
            for name, value in zip(("treeids", "nodeids", "ids", "weights"), told, strict=True):
                leaves[f"target_{name}"].append(value)
            return number + 1
        at = len(nodes["nodes_falsenodeids"]) - 1
        after = add(tree, node["left_child"], number + 1)
        nodes["nodes_falsenodeids"][at] = after
        return add(tree, node["right_child"], after)

    structures = [told["tree_structure"] for one in dumped for told in one["tree_info"]]
    for tree, structure in enumerate(structures):
        add(tree, structure, 0)
    ensemble = helper.make_node(
        "TreeEnsembleRegressor", ["rows"], ["scores"], domain="ai.onnx.ml",
        n_targets=classes, aggregate_function="SUM", post_transform="NONE", **nodes, **leaves,
    )  # fmt: skip
    graph = helper.make_graph(
        [ensemble], "relations",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, classes])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return bytes(made.SerializeToString())


def _rounded_down(threshold: float) -> float:
    """The largest float32 not above it: a float32 is at most the one where it is the other."""
    near = np.float32(threshold)
    return float(np.nextafter(near, np.float32(-np.inf)) if float(near) > threshold else near)
