"""Results files that look like real ones, with failure folders, for tests of what reads them."""

import json
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
from msgspec import to_builtins
from msgspec.structs import replace

from ir_models.asking.id_parts import split_id
from reports.results.case_folder.tensors import StoredTensor
from reports.results.case_folder.writing import CaseFiles, Inference
from reports.results.failures.folders import write
from reports.results.outcomes import Gate, Outcome
from reports.results.records import SCHEMA, CaseRecord, Header, Target, WorstElement

OPERATIONS = {
    "activation": ["Relu-1", "Gelu-7", "HSwish-4", "Mish-4", "SoftPlus-4", "Swish-4", "Selu-1"],
    "arithmetic": ["Add-1", "Divide-1", "Erf-1", "Exp-1", "Floor-1", "FloorMod-1", "Power-1"],
    "comparison": ["Equal-1", "Greater-1", "IsNaN-10", "LessEqual-1"],
    "convolution": ["Convolution-1", "DeformableConvolution-8", "GroupConvolution-1"],
    "detection": ["NonMaxSuppression-9", "MatrixNms-8", "ROIPooling-1"],
    "matrix": ["MatMul-1", "Einsum-7", "Inverse-14"],
    "movement": ["SpaceToDepth-1", "SpaceToBatch-2", "Gather-8", "Pad-12", "Roll-7", "Tile-1"],
    "normalization": ["LRN-1", "MVN-6", "GroupNormalization-12", "NormalizeL2-1"],
    "pooling": ["AvgPool-1", "MaxPool-8", "AdaptiveAvgPool-8"],
    "reduction": ["ReduceSum-1", "ReduceLogicalAnd-1", "ReduceL2-4"],
    "sequence": ["LSTMSequence-5", "GRUCell-3", "CTCLoss-4", "OneHot-1"],
    "sort": ["TopK-11", "Sort-16"],
    "type": ["Convert-1", "ConvertLike-1"],
}
PURPOSES = ["example", "type", "attribute-default", "rank", "special-values", "dynamic", "random"]
OUTCOMES = {  # outcome: (its share, the gate, what one reads)
    "PASS": (0.955, "pass", ""),
    "QUALITY": (0.012, "quality", "3 of 840 elements are outside the quality bound"),
    "REFUSED": (0.012, "known", "compiling: Unsupported precision i4 of input 0"),
    "FAIL": (0.012, "new", "12 of 840 elements are wrong, at [0, 3, 1] 2.5 for 1.5"),
    "FOLDED": (0.003, "new", "the device executed no layer of this type"),
    "ACCEPTED_INVALID": (0.002, "new", "block_size must divide every spatial dimension"),
    "CRASH": (0.002, "new", "signal 11 (SIGSEGV) while compiling"),
    "TIMEOUT": (0.001, "new", "no answer within 10 s"),
    "FLAKE": (0.0005, "new", "two answers in 10 inferences"),
    "ERROR": (0.0005, "new", "reference: rank 7 is not handled"),
}
CAUSES = [
    {"cause": name, "cause_class": kind, "reason": title, "since": since}
    for name, kind, title, since in (
        ("no-i4", "limit", "the CPU plugin has no i4 kernel", "2024.0"),
        ("f64", "defect", "f64 is computed in f32", "2025.1"),
        ("i64", "defect", "i64 is narrowed to i32", ""),
        ("nan", "open", "NaN of a maximum", "2024.0"),
        ("atomics", "stack", "atomic additions of OpenCL are not ordered", "2026.0"),
    )
]
TARGETS = [("CPU", "accuracy"), ("CPU", "performance"), ("GPU", "accuracy")]
HOSTILE = (
    "<script>alert(1)</script>\"'`&amp;</style>]]>\n\r\t\x1b[31m\u202e\u2028<img src=x onerror=a>"
)


def header(targets=TARGETS):
    return Header(
        schema=SCHEMA,
        suite="0.1.0",
        openvino="2026.4.1-22982-e213a147257-releases/2026/4",
        python="3.11.7",
        platform="Linux-6.1.0-x86_64",
        processor="Intel(R) Xeon(R) Platinum 8481C",
        started="2026-01-02T03:04:05+00:00",
        seed=0,
        random=10,
        targets=[
            Target(
                device=device,
                profile=profile,
                full_name=f"Intel(R) {device} of the synthetic kind",
                driver="32.0.101" if device == "GPU" else "",
                settings={"EXECUTION_MODE_HINT": profile.upper()},
            )
            for device, profile in targets
        ],
    )


def record(case="Relu-1/example/f32[2,3]", **changes):
    operation, purpose, _ = [*case.split("/", 2), "", ""][:3]
    facts = {
        "case": case,
        "operation": operation,
        "category": "activation",
        "opset": "opset1",
        "purpose": purpose,
        "device": "CPU",
        "profile": "accuracy",
        "outcome": "PASS",
        "detail": "",
        "seconds": 0.0012,
        "kernel": "jit_avx512_FP32",
        "precision": "f32",
        "pack_size": 97,
        "gate": "pass",
    }
    with suppress(ValueError):
        parts = split_id(case)
        facts |= {"how": parts.how, "inputs": list(parts.inputs), "parameters": parts.parameters}
    facts |= changes
    return CaseRecord(
        **{**facts, "outcome": Outcome(facts["outcome"]), "gate": Gate(facts["gate"])}
    )


def many(count, seed=0):
    """Yield `count` records over all operations, purposes and targets."""
    source = random.Random(seed)
    operations = [(c, name) for c, names in OPERATIONS.items() for name in names]
    outcomes = list(OUTCOMES)
    weights = [OUTCOMES[outcome][0] for outcome in outcomes]
    for number in range(count):
        category, operation = operations[number % len(operations)]
        device, profile = TARGETS[number // len(operations) % len(TARGETS)]
        purpose = source.choice(PURPOSES)
        element_type = source.choice(["f32", "f16", "bf16", "i32", "u8", "i64"])
        shape = ",".join(str(source.randint(1, 9)) for _ in range(source.randint(1, 5)))
        outcome = source.choices(outcomes, weights)[0]
        _, gate, detail = OUTCOMES[outcome]
        if outcome == "ACCEPTED_INVALID":
            purpose = "invalid-block-size"
        fraction = None
        if outcome in ("PASS", "QUALITY"):
            fraction = round(source.random() ** 3, 4)
        elif outcome == "FAIL":
            fraction = round(1 + 10 * source.random() ** 4 * 100, 3)
        kind = operation.rpartition("-")[0]
        yield record(
            f"{operation}/{purpose}/{element_type}[{shape}]/block_size={number},mode=blocks_first",
            category=category,
            opset=f"opset{operation.rpartition('-')[2]}",
            device=device,
            profile=profile,
            outcome=outcome,
            gate=gate,
            detail=detail,
            kernel=f"jit_{source.choice(['avx2', 'avx512', 'amx', 'gemm'])}_{element_type.upper()}",
            precision=element_type,
            fraction=fraction,
            wrong=12 if outcome == "FAIL" else None,
            elements=840 if outcome == "FAIL" else None,
            **(source.choice(CAUSES) if gate == "known" else {}),
            layer_xml="" if outcome == "PASS" else layer_xml(kind),
        )


def layer_xml(kind):
    return (
        f'<layer id="1" name="layer" type="{kind}" version="opset1"><data block_size="2"/></layer>'
    )


def model_xml(kind, shape):
    dims = "".join(f"<dim>{d}</dim>" for d in shape)
    return f"""<?xml version="1.0"?>
<net name="{kind}" version="11">
  <layers>
    <layer id="0" name="data" type="Parameter" version="opset1">
      <data shape="{",".join(map(str, shape))}" element_type="f32"/>
      <output><port id="0" precision="FP32">{dims}</port></output>
    </layer>
    <layer id="1" name="layer" type="{kind}" version="opset1">
      <data block_size="2" mode="blocks_first"/>
      <input><port id="0" precision="FP32">{dims}</port></input>
      <output><port id="1" precision="FP32">{dims}</port></output>
    </layer>
    <layer id="2" name="result" type="Result" version="opset1">
      <input><port id="0" precision="FP32">{dims}</port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
  </edges>
</net>
"""


def departure(root, case, expected, actual, allowed=None, **changes):
    """A FAIL with its failure folder below `root`, float32 in and out."""
    wrong = int((expected != actual).sum())
    kind = case.split("-")[0]
    one = record(
        case,
        outcome="FAIL",
        gate="new",
        detail=f"{wrong} of {expected.size} elements are wrong",
        wrong=wrong,
        elements=expected.size,
        layer_xml=layer_xml(kind),
        **changes,
    )
    expected, actual = (
        StoredTensor("output", "f32", a.shape, a.astype(np.float32)) for a in (expected, actual)
    )
    content = CaseFiles(
        case=case,
        model_xml=model_xml(kind, expected.shape).encode(),
        model_bin=b"",
        inferences=[
            Inference(inputs=[expected], expected=[expected], allowed=[allowed], actual=[actual])
        ],
        settings={"INFERENCE_PRECISION_HINT": "f32"},
    )
    folder = write(root, one, content)
    return replace(one, folder=folder)


def departures(root):
    """Departures of several kinds, with pictures worth looking at."""
    rng = np.random.default_rng(7)
    data = rng.normal(size=(2, 5, 12, 9)).astype(np.float32)
    rolled = data.copy()
    rolled[1, 2:, :, 6:] = np.roll(rolled[1, 2:, :, 6:], 1, axis=-1)
    yield departure(
        root,
        "SpaceToDepth-1/example/f32[2,5,12,9]/block_size=3,mode=depth_first",
        data,
        rolled,
        category="movement",
    )
    product = rng.normal(size=(96, 80)).astype(np.float32) * 10
    scale = np.abs(product) * 2.0**-18 + 1e-5
    noise = rng.normal(size=product.shape) * scale * 0.3
    noise[:, 64:] *= 9 * rng.random((96, 16))
    yield departure(
        root,
        "MatMul-1/random/f32[96,512],f32[512,80]/transpose_b=true",
        product,
        product + noise.astype(np.float32),
        scale,
        category="matrix",
        fraction=9.3,
        worst=WorstElement(
            output=0, index=(13, 71), expected="1.5", actual="2.5", low="1.49", high="1.51"
        ),
    )
    row = np.linspace(-4, 4, 200).astype(np.float32)
    broken = row.copy()
    broken[160:] = np.nan
    broken[::16] += 1e-3
    yield departure(
        root,
        "Mish-4/special-values/f32[200]",
        row,
        broken,
        np.full(200, 1e-4),
        category="activation",
        fraction=None,
    )


def save(path, records, targets=TARGETS):
    lines = [header(targets), *records]
    path.write_text("".join(json.dumps(to_builtins(one)) + "\n" for one in lines))
    return path


def realistic(folder: Path, count=2000):
    """A results file `run.jsonl` with `count` cases and the failure folders of some."""
    return save(folder / "run.jsonl", [*departures(folder / "run.failures"), *many(count)])
