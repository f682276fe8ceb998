#!/usr/bin/env python3
"""Answers as ``devices/targets/npu_compiler/compile.c`` does, without a compiler.

Layers with mode="depth_first" have the fault that the setting FAKE names.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import xml.etree.ElementTree as ET


def answer(*words: object) -> None:
    print(*words, sep="\t", flush=True)


def log(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def ports(xml: bytes) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Element type and shape of the inputs and of the outputs. The type of those with a fault has a mark."""
    net = ET.fromstring(xml)
    layers = {layer.get("id"): layer for layer in net.iter("layer")}
    edges = {edge.get("to-layer"): edge for edge in net.iter("edge")}

    def of(layer: str | None, port: str | None) -> tuple[str, str]:
        found = next(p for p in layers[layer].iter("port") if p.get("id") == port)
        dims = ",".join(dim.text or "" for dim in found.iter("dim"))
        data = layers[layer].find("data")
        mark = "!" if data is not None and data.get("mode") == "depth_first" else ""
        return (found.get("precision") or "").lower().replace("fp", "f") + mark, f"[{dims}]"

    inputs = [of(i, "0") for i, layer in layers.items() if layer.get("type") == "Parameter"]
    results = [edges[i] for i, layer in layers.items() if layer.get("type") == "Result"]
    return inputs, [of(edge.get("from-layer"), edge.get("from-port")) for edge in results]


def compiled(fault: str, inputs: list[tuple[str, str]], outputs: list[tuple[str, str]]) -> None:
    if fault == "type":
        outputs = [("f16" if "!" in name else name, shape) for name, shape in outputs]
    if fault == "shape":
        outputs = [(name, "[1,2,3]" if "!" in name else shape) for name, shape in outputs]
    if fault == "input":
        inputs = [("f16", shape) for _, shape in inputs]
    if fault == "lost":
        outputs = outputs[1:]
    for side, each in (("input", inputs), ("output", outputs)):
        for name, shape in each:
            answer("port", "compiled", side, name.rstrip("!"), shape, "")


def end(fault: str) -> None:
    # Python itself cannot end in order while the other thread reads standard input.
    if fault == "llvm":
        log("[ERROR] 10:00:00.000 [vpux-compiler] 'VPU.X' op requires attribute 'a'")
        log("LLVM ERROR: Failed to infer result type(s):", '"VPU.X"(...) {} : () -> ( ??? )')
        os._exit(3)
    if fault == "zero":
        log("", "division by zero (0xC0000094) in compiler.dll+0x1f")
        os._exit(0x94)
    if fault == "hang":
        time.sleep(1000)


def receive(questions: queue.SimpleQueue[bytes]) -> None:
    """Take questions until standard input is closed, and then end the process, whatever it does."""
    while line := sys.stdin.buffer.readline():
        _, size, weights = line.split()
        questions.put(sys.stdin.buffer.read(int(size)))
        sys.stdin.buffer.read(int(weights))
    os._exit(0)


def main() -> None:
    settings = dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
    for key, value in settings.items():
        answer("setting", key, value)
        if (key, value) == ("FAKE", "setting"):
            log("", "access violation (0xC0000005) in openvino.dll+0x1f")
            os._exit(5)
    fault = settings.get("FAKE", "")
    if fault == "closed":
        answer("failed", "there is no such platform")
        sys.exit(1)
    answer("opened", "2026.4.1-fake", "")
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(questions,), daemon=True).start()
    while True:
        xml = questions.get()
        own = fault if b'mode="depth_first"' in xml else ""
        answer("stage", "read")
        inputs, outputs = ports(xml)
        for side, each in (("input", inputs), ("output", outputs)):
            for name, shape in each:
                answer("port", "model", side, name.rstrip("!"), shape, "")
        for number in range(2):
            answer("stage", "compile")
            end(own)
            if own == "refuse":
                log("[ERROR] 10:00:00.000 [vpux-compiler] Fuse failed : no pattern")
                log(
                    '[ERROR] 10:00:00.000 [vpux-compiler] Failed Pass Fuse on Operation loc("main")'
                )
                log("--- refused")
                general = "Compilation failed. vclCreate result: 0x78000004 - [NPU_VCL] Compiler"
                answer("refused", "compile", f"{general} returned msg:\vCompilation failed")
                break
            if not number:
                compiled(own, inputs, outputs)
            answer("stage", "export")
            answer("blob", 100, f"{number if own == 'blob' else 0:016x}")
        answer("done", "read=0.001", "compile=0.25")


if __name__ == "__main__":
    main()
