"""analyze names two configuration faults of real engines from traffic through the proxy.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_named_live.py

Ollama puts a BOS token before a prompt, but vLLM's tokenizer, which is made from the GGUF file, does not.
llama-cpp-python applies a repetition penalty of 1.1 that no client requests. pytest skips the tests without the lab.
They are not part of ./check and take some ten minutes on two processors.
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
from lab_engine import Engine  # noqa: E402
from shadow import Proxy  # noqa: E402
from workload import PROMPTS  # noqa: E402

HOLD = "named-live"
TOKENS = 24
CLIENT_LIMIT = 300


def shadowed(directory, primary, reference):
    """Return the causes that analyze names for completions at temperature 0.

    The client requests logprobs, because the proxy adds none to requests for a primary of llama-cpp-python.
    """
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


def test_a_missing_bos_token_is_named(tmp_path, ollama, weights):
    with Engine(HOLD, "vllm", weights) as vllm:
        causes = shadowed(tmp_path, vllm, ollama)
    if weights.model.name == "gemma":
        assert causes[0] == "bos_token"
    else:
        assert "bos_token" not in causes, "Qwen's prompts have no BOS token"


def test_a_default_repetition_penalty_is_named(tmp_path, ollama, weights):
    with Engine(HOLD, "llama-cpp-python", weights) as llama:
        causes = shadowed(tmp_path, llama, ollama)
    assert "repetition_penalty" in causes
