"""analyze names how real engines sample, from traffic without temperature and seed, as SDKs send it.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_sampled_live.py

Three engines sample with settings that no client requests: vLLM from a generation_config.json, Ollama from its
Modelfile, and llama-cpp-python with a repetition penalty of 1.1. For an engine compared with itself, analyze must name
nothing. pytest skips the tests without the lab. They are not part of ./check: -k llama takes a minute, -k ollama five,
-k vllm 40 minutes on two processors.
"""
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY, Proxy  # noqa: E402
from lab_engine import Engine  # noqa: E402
from models import weights_of  # noqa: E402
from services import call  # noqa: E402
from workload import PROMPTS, QUESTIONS  # noqa: E402

HOLD = "sampled-live"
TOKENS = 64
TOP = 20           # the longest lists that these engines return
CLIENT_LIMIT = 600
# Causes that are true of this traffic between equal engines.
HARMLESS = {"tie", "sampled", "temperature_unset"}


@pytest.fixture(scope="module")
def weights():
    """One model is enough."""
    return weights_of("qwen")


def chat(model, text):
    """A request as OpenAI's SDK sends it."""
    return "/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": TOKENS,
                                    "logprobs": True, "top_logprobs": TOP}


def native_chat(model, text):
    """A request as Ollama's SDK sends it."""
    return "/api/chat", {"model": model, "messages": [{"role": "user", "content": text}], "stream": False, "options": {"num_predict": TOKENS},
                         "logprobs": True, "top_logprobs": TOP}


def captured(directory, engine, exchanges, form=chat, reference=()):
    proxy = Proxy(directory, engine.url, reference=reference, poll=None)
    texts = [t if turn == 0 else f"{turn + 1}. {t}" for turn in range(1 + exchanges // 30) for t in QUESTIONS + PROMPTS]
    try:
        for text in texts[:exchanges]:
            path, body = form(engine.model, text)
            status, answer = call(proxy.port, "POST", path, body, CLIENT_LIMIT)
            assert status == 200, answer
            if reference:
                proxy.settled(1, "reference")
    finally:
        assert proxy.stop() == 0
    return proxy.capture


def analysis(*captures):
    done = subprocess.run([BINARY, "analyze", *captures, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 4), done.stderr
    document = json.loads(done.stdout)
    print("\n" + document["verdict"]["sentence"])
    return document


def named(directory, engine, exchanges, form=chat):
    """Return the findings about the engine's own sampling."""
    document = analysis(captured(directory, engine, exchanges, form))
    side = max(document["sampling"], key=lambda s: s["tokens"])   # answers before the first poll have no stack
    print(f"{engine.name}: {side['tokens']} tokens of {side['answers']} answers, lists {side['lists']}; left out: {side['excluded']}")
    print("  temperature", side["temperature"], "\n  truncation", side["truncation"], "\n  penalty", side["penalty"])
    for finding in side["findings"]:
        print(" ", finding)
    return {f["cause"] for f in side["findings"]}


def test_ollamas_modelfile_sampling_is_named(tmp_path, weights):
    with Engine(HOLD, "ollama-unasked", weights) as engine:
        # Its OpenAI routes set a temperature of 1 themselves.
        assert {"top_k", "penalty"} == named(tmp_path, engine, 60)
        # Its own routes use the Modelfile's 0.6, and 0.8 without it: the penalty hides the difference.
        assert {"top_k", "penalty"} == named(tmp_path, engine, 60, native_chat)


def test_vllms_generation_config_sampling_is_named(tmp_path, weights):
    with Engine(HOLD, "vllm-unasked", weights) as engine:
        # So many answers, because only one draw in 300 would be beyond the first ten tokens.
        assert {"temperature", "penalty", "top_k"} <= named(tmp_path, engine, 150)


def test_the_penalty_of_llama_cpp_python_is_named(tmp_path, weights):
    with Engine(HOLD, "llama-cpp-python", weights) as engine:
        assert "penalty" in named(tmp_path, engine, 60)


# Settings that an engine applies by default and no client requests: findings on its sampling, and causes.
DEFAULTS = {
    "llama-cpp-python": ({"temperature", "penalty"}, {"temperature", "repetition_penalty"}),  # 0.8 and 1.1
    "ollama": ({"penalty"}, {"repetition_penalty"}),  # 1.1 in Ollama 0.17
    "vllm": (set(), set()),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_an_engine_compared_with_itself_has_no_finding(tmp_path, weights, name):
    own, causes = DEFAULTS[name]
    with Engine(HOLD, name, weights) as engine:
        document = analysis(captured(tmp_path, engine, 30, reference=engine.url))
        assert document["verdict"]["word"] in ("SAME", "UNCLEAR")
        assert {f["cause"] for side in document["sampling"] for f in side["findings"]} <= own
        assert {c["key"] for g in document["groups"] for c in g["causes"]} <= HARMLESS | causes
