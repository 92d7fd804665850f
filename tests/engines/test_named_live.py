"""Two faults of configuration between real engines, named from what passed through the proxy.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_named_live.py

vLLM's tokenizer, made from the GGUF file, puts no BOS token before a prompt where Ollama's does; llama-cpp-python applies a repetition
penalty of 1.1 that was not requested. Skipped where the lab is not installed. No part of ./check: some ten minutes on two processors.
"""
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY  # noqa: E402
from services import call  # noqa: E402
from held import Engine  # noqa: E402
from shadow import Proxy  # noqa: E402
from workload import PROMPTS  # noqa: E402

HOLD = "named-live"
TOKENS = 24
CLIENT_LIMIT = 300


def shadowed(directory, primary, reference):
    """The causes named for completions that both answered at temperature 0. The client asks for logprobs, since the
    proxy does not ask llama-cpp-python for any where it is the primary."""
    proxy = Proxy(BINARY, directory, primary, reference)
    try:
        for prompt in PROMPTS:
            body = {"model": primary.model, "prompt": prompt, "temperature": 0, "max_tokens": TOKENS, "logprobs": 5}
            status, answer = call(proxy.port, "POST", "/v1/completions", body, CLIENT_LIMIT)
            assert status == 200, answer
            proxy.settle()
    finally:
        assert proxy.stop() == 0
    done = subprocess.run([BINARY, "analyze", proxy.capture, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 4), done.stderr
    analysis = json.loads(done.stdout)
    print("\n" + analysis["verdict"]["sentence"])
    causes = [cause for group in analysis["groups"] for cause in group["causes"]]
    for cause in causes:
        print(" ", json.dumps(cause)[:600])
    return [cause["key"] for cause in causes]


@pytest.fixture(scope="module")
def ollama(weights):
    with Engine(HOLD, "ollama", weights) as engine:
        yield engine


def test_the_bos_token_that_one_of_them_misses_is_named(tmp_path, ollama, weights):
    with Engine(HOLD, "vllm", weights) as vllm:
        causes = shadowed(tmp_path, vllm, ollama)
    if weights.model.name == "gemma":
        assert causes[0] == "bos_token"
    else:
        assert "bos_token" not in causes, "Qwen's prompts have none"


def test_the_penalty_that_nobody_asked_for_is_named(tmp_path, ollama, weights):
    with Engine(HOLD, "llama-cpp-python", weights) as llama:
        causes = shadowed(tmp_path, llama, ollama)
    assert "repetition_penalty" in causes
