#!/usr/bin/env python3
"""Makes result files of infer-check with its own runner and types, and backends that answer from a table.

usage: make_infer_check.py DIR      needs infer-check (PyPI); made the files under infer-check-VERSION/
"""
import asyncio
import datetime
import importlib.metadata
import json
import math
import pathlib
import shutil
import sys

from infer_check import runner, types

PROMPTS = [("What is 17 + 25?", "arithmetic"), ("Is 0.1 + 0.2 equal to 0.3?", "edge_case"), ("Name the capital of Norway.", "general"),
           ("What is 17 + 25?", "word_problem"), ("Say \"π\" twice.", "general")]
ANSWERS = {"bf16": ["17 + 25 = 42", "No, because of rounding.", "Oslo", "42", "π π"],
           "q8": ["17 + 25 = 42", "No, because of rounding.", "Oslo.", "42", "π π"],
           "q2": ["17 + 25 = 41", "Yes", "Oslo", "The sum is 42.", "pi pi"]}


class Table:
    """A backend with a table of answers. In the second pass the baseline's last answer differs."""

    def __init__(self, name, label, quantization=None, logprobs="text"):
        self.name, self.label, self.quantization, self.logprobs, self.asked = name, label, quantization, logprobs, 0

    async def generate(self, prompt):
        n = self.asked
        self.asked += 1
        text = ANSWERS[self.label][[p for p, _ in PROMPTS].index(prompt.text) if prompt.category != "word_problem" else 3]
        if self.label == "bf16" and n == 2 * len(PROMPTS) - 1:
            text = "π  π"
        tokens = text.split()
        logprobs = lists = names = None
        if self.logprobs:
            tokens = [piece if i == 0 else " " + piece for i, piece in enumerate(text.split(" "))]
            first = -0.125 if self.label == "bf16" else -0.25
            logprobs = [first if i else -9999.0 for i in range(len(tokens))]
            lists = [[first, -2.5] if self.logprobs == "text" else [math.exp(first), math.exp(-2.5)] for _ in tokens]
            names = [{"id_0": t, "id_1": "?"} if self.logprobs == "text" else {"id_0": 7, "id_1": 9} for t in tokens]
        return types.InferenceResult(prompt_id=prompt.id, backend_name=self.name, model_id="org/model", quantization=self.quantization,
                                     tokens=tokens, logprobs=logprobs, distributions=lists, distribution_metadata=names, text=text,
                                     latency_ms=100.0 + n, tokens_per_second=10.0,
                                     timestamp=datetime.datetime(2026, 4, 19, 12, 0, n, tzinfo=datetime.UTC))

    async def cleanup(self):
        pass


def prompts():
    return [types.Prompt(id=f"prompt-{i}", text=text, category=category) for i, (text, category) in enumerate(PROMPTS)]


def main():
    to = pathlib.Path(sys.argv[1]) / f"infer-check-{importlib.metadata.version('infer-check')}"
    to.mkdir(parents=True, exist_ok=True)
    run = runner.TestRunner(cache_dir=to / "cache")
    sweep = asyncio.run(run.sweep({label: Table("openai-compat", label) for label in ANSWERS}, prompts(), list(ANSWERS), "org/model", "bf16"))
    sweep.save(to / "sweep.json")
    asyncio.run(run.compare(Table("llama-cpp", "bf16", logprobs="ids"), Table("openai-compat", "q2", logprobs=None), prompts(),
                            "bf16", "q2")).save(to / "compare.json")
    lists = {"diff": asyncio.run(run.diff(Table("vllm", "bf16"), [Table("ollama", "q8"), Table("llama-cpp", "q2")], prompts())),
             "stress": asyncio.run(run.stress(Table("vllm", "bf16"), prompts(), [1, 4])),
             "determinism": asyncio.run(run.determinism(Table("vllm", "bf16"), prompts(), 3))}
    for name, results in lists.items():  # as infer-check's command line writes them
        (to / f"{name}.json").write_text(json.dumps([r.model_dump(mode="json") for r in results], indent=2), encoding="utf-8")
    shutil.rmtree(to / "cache")


if __name__ == "__main__":
    main()
