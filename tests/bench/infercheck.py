"""Measures how fast infer-check compares the first N pairs of a file: python infercheck.py PAIRS.jsonl N

The Python that runs it needs infer-check. The time covers what infer-check's runner does with two answers in memory:
similarity, first differing token, KL of the lists, extraction, flip. It does not cover reading the file. Prints one
line of JSON: pairs, seconds of processor time, version.
"""
import importlib.metadata
import itertools
import json
import pathlib
import sys
import tempfile
import time

from infer_check.runner import TestRunner
from infer_check.types import InferenceResult


def side(name, number, answer):
    tops = answer["tops"]
    return InferenceResult(
        prompt_id=str(number), backend_name=name, model_id="m", tokens=answer["tokens"], logprobs=[row[0][1] for row in tops],
        distributions=[[lp for _, lp in row] for row in tops],
        distribution_metadata=[{f"id_{i}": token for i, (token, _) in enumerate(row)} for row in tops], text=answer["text"],
        latency_ms=1.0)


def main():
    with open(sys.argv[1]) as lines:
        pairs = [json.loads(line) for line in itertools.islice(lines, int(sys.argv[2]))]
    pairs = [(side("base", i, p["base"]), side("test", i, p["test"])) for i, p in enumerate(pairs)]
    runner = TestRunner(cache_dir=pathlib.Path(tempfile.mkdtemp(prefix="infer-check-")))
    began = time.process_time()
    for base, test in pairs:
        comparison = runner._compare(base, test)
        runner._annotate_flip_metadata(comparison, base.text, test.text, "general")
    print(json.dumps({"pairs": len(pairs), "seconds": time.process_time() - began, "version": importlib.metadata.version("infer-check")}))


main()
