"""The recipes on real engines, and infer-check on the same prompts.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_recipes_live.py

The prompts are from the suites under configs/. The lab's directory keeps the reports in results/recipes. The environment
variable INFER_CHECK is the path of infer-check; without it pytest skips that part. pytest skips all tests without the
lab. They are not part of ./check and take some forty minutes on two processors.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY  # noqa: E402
from lab_engine import Engine  # noqa: E402
from models import Weights  # noqa: E402
from places import Places  # noqa: E402
from services import call  # noqa: E402
from shadow import Proxy  # noqa: E402

SUITES = HERE.parents[1] / "configs" / "suites"
HOLD = "recipes-live"
PRECISIONS = ["f16", "q8_0", "q4_k_m", "q3_k_s", "q2_k"]
TOKENS = 24
LIMIT = 3600


@pytest.fixture(scope="module")
def work(weights):
    where = Places().results / f"recipes{weights.label}"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    return where


@pytest.fixture(scope="module")
def prompts(work):
    """Write the prompts in infer-check's format, which both programs read."""
    lines = []
    for suite in ("reasoning", "adversarial-numerics", "determinism", "quantisation-sensitive", "non-english"):
        with open(SUITES / f"{suite}.jsonl") as items:
            for item in [json.loads(line) for line in items][:96:32]:
                text = item["messages"][-1]["content"] if "messages" in item else item["prompt"]
                lines.append(json.dumps({"id": item["id"], "category": suite, "text": text, "max_tokens": TOKENS}, ensure_ascii=False))
    path = work / "prompts.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def ollama(weights):
    with Engine(HOLD, "ollama", weights, 11434) as engine:   # infer-check recognises Ollama by its port
        yield engine


@pytest.fixture(scope="module")
def vllm(weights):
    with Engine(HOLD, "vllm", weights, 8000) as engine:
        yield engine


def plumbline(work, *words):
    """Run a recipe; return its analysis. It writes its reports next to the capture."""
    name = words[0]
    done = subprocess.run([BINARY, *map(str, words), "--json", "--capture", work / name, "--out", work / f"{name}.html",
                           "--out", work / f"{name}.md"], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode in (0, 1, 4), (done.returncode, done.stderr[-2000:])
    said = json.loads(done.stdout)
    print(f"\n{name}: {said['verdict']['sentence']}")
    return said


def print_standings(said):
    for row in said["standings"]["rows"]:
        print(" ", json.dumps(row)[:1500])
    print("  cliff:", json.dumps(said["standings"]["cliff"]))
    for group in said["groups"]:
        print("  causes:", [(c["key"], c.get("share")) for c in group["causes"]])


def named(said, target):
    """Return the causes of the differences between this target and the base."""
    return [cause["key"] for group in said["groups"] if group["test"] == target for cause in group["causes"]]


def test_diff_over_three_engines(work, prompts, ollama, vllm, weights):
    with Engine(HOLD, "llama-cpp-python", weights) as llama:
        said = plumbline(work, "diff", prompts, ollama.target(), llama.target(), vllm.target(), "--no-chat", "--template", "plain")
    print_standings(said)
    assert [row["target"] for row in said["standings"]["rows"]] == ["llama-cpp-python", "vllm"]
    if weights.model.name != "gemma":
        assert not {"prompt_tokens", "bos_token", "chat_template"} & {*named(said, "vllm"), *named(said, "llama-cpp-python")}
        return
    # All three got the same text. Ollama's and llama.cpp's tokenizers add a BOS token and split a blank line into two
    # tokens; vLLM's does neither.
    assert named(said, "vllm") == ["prompt_tokens"]
    assert named(said, "llama-cpp-python") == ["bos_token"]


def test_sweep_over_five_precisions(work, prompts, weights):
    with contextlib.ExitStack() as held:
        engines = [held.enter_context(Engine(HOLD, "llama-cpp-python", Weights(weights.model, precision))) for precision in PRECISIONS]
        said = plumbline(work, "sweep", prompts, *[e.target(p) for e, p in zip(engines, PRECISIONS)], "--base", "f16", "--concurrency", 1)
    print_standings(said)
    assert [row["target"] for row in said["standings"]["rows"]] == PRECISIONS[1:]


def test_determinism(work, prompts, ollama):
    said = plumbline(work, "determinism", ollama.target(), prompts, "--runs", 20, "--limit", 6, "--concurrency", "1,4")
    print(" ", json.dumps(said["reruns"])[:3000])
    assert said["reruns"]


def test_compare_and_infer_check(work, prompts, ollama, vllm):
    said = plumbline(work, "compare", f"ollama:{ollama.model}", f"vllm-mlx:{vllm.model}", "--prompts", prompts)
    print("  causes:", named(said, f"vllm-mlx:{vllm.model}"))
    program = os.environ.get("INFER_CHECK") and os.path.abspath(os.environ["INFER_CHECK"])
    if not program:
        pytest.skip("INFER_CHECK does not name infer-check")
    done = subprocess.run([program, "compare", f"ollama:{ollama.model}", f"vllm-mlx:{vllm.model}", "--prompts", prompts,
                           "--output", work / "infer-check", "--no-report"], capture_output=True, text=True, timeout=LIMIT, cwd=work)   # its cache is in the working directory
    print(done.stdout[-4000:], done.stderr[-1000:])
    assert done.returncode == 0


def test_replay_captured_traffic_to_another_engine(work, prompts, ollama, vllm, weights, tmp_path):
    """The README's second example: replay recorded traffic of Ollama to vLLM, and compare the answers."""
    proxy = Proxy(BINARY, tmp_path, ollama, ollama)
    try:
        for line in prompts.read_text().splitlines():
            body = {"model": ollama.model, "temperature": 0, "max_tokens": TOKENS, "messages": [{"role": "user", "content": json.loads(line)["text"]}]}
            assert call(proxy.port, "POST", "/v1/chat/completions", body, 300)[0] == 200
        proxy.settle()
    finally:
        assert proxy.stop() == 0
    done = subprocess.run([BINARY, "replay", proxy.capture, "--to", vllm.url, "--model", vllm.model], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([BINARY, "analyze", proxy.capture, "--json"], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode in (0, 1, 4), done.stderr
    said = json.loads(done.stdout)
    print("\n" + said["verdict"]["sentence"])
    causes = {cause["key"] for group in said["groups"] for cause in group["causes"]}
    print("  causes:", causes)
    assert ("chat_template" in causes) == (weights.model.name == "gemma"), "Ollama has no template for Gemma's weights"
