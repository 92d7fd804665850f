"""How real engines sample, named from traffic that leaves temperature and seed to them, as SDKs do.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_sampled_live.py

Two engines sample by settings that no client asks for: vLLM by a generation_config.json, Ollama by its Modelfile. llama-cpp-python
applies a repetition penalty of 1.1. Engines against themselves must be named for nothing. Skipped where the lab is not installed. No part
of ./check: -k llama takes a minute, -k ollama five, -k vllm half an hour on two processors.
"""
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY, Proxy  # noqa: E402
from held import Engine  # noqa: E402
from models import weights_of  # noqa: E402
from services import call  # noqa: E402
from workload import PROMPTS, QUESTIONS  # noqa: E402

HOLD = "sampled-live"
TOKENS = 64
TOP = 20           # as long as lists of these engines can be
CLIENT_LIMIT = 600
# What traffic alone may name between two engines that are the same, since it is so.
HARMLESS = {"tie", "sampled", "temperature_unset"}


@pytest.fixture(scope="module")
def weights():
    """One model will do."""
    return weights_of("qwen")


def chat(model, text):
    """As OpenAI's SDK sends it."""
    return "/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": TOKENS,
                                    "logprobs": True, "top_logprobs": TOP}


def native_chat(model, text):
    """As Ollama's SDK sends it."""
    return "/api/chat", {"model": model, "messages": [{"role": "user", "content": text}], "stream": False, "options": {"num_predict": TOKENS},
                         "logprobs": True, "top_logprobs": TOP}


def captured(directory, engine, exchanges, form=chat, reference=()):
    proxy = Proxy(directory, engine.url, reference=reference)
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
    """What is named of the engine's own sampling."""
    document = analysis(captured(directory, engine, exchanges, form))
    (side,) = document["sampling"]
    print(f"{engine.name}: {side['tokens']} tokens of {side['answers']} answers, lists {side['lists']}; left out: {side['excluded']}")
    print("  temperature", side["temperature"], "\n  truncation", side["truncation"], "\n  penalty", side["penalty"])
    for finding in side["findings"]:
        print(" ", finding)
    return {f["cause"] for f in side["findings"]}


def test_what_ollamas_modelfile_sets_is_named(tmp_path, weights):
    with Engine(HOLD, "ollama-unasked", weights) as engine:
        assert "top_k" in named(tmp_path, engine, 60)
        assert {"temperature", "top_k"} <= named(tmp_path, engine, 60, native_chat)


def test_what_vllms_generation_config_sets_is_named(tmp_path, weights):
    with Engine(HOLD, "vllm-unasked", weights) as engine:
        assert {"temperature", "penalty"} <= named(tmp_path, engine, 60)


def test_the_penalty_of_llama_cpp_python_is_named(tmp_path, weights):
    with Engine(HOLD, "llama-cpp-python", weights) as engine:
        assert "penalty" in named(tmp_path, engine, 60)


@pytest.mark.parametrize("name", ["ollama", "vllm"])
def test_an_engine_beside_itself_is_named_for_nothing(tmp_path, weights, name):
    with Engine(HOLD, name, weights) as engine:
        document = analysis(captured(tmp_path, engine, 30, reference=engine.url))
        assert document["verdict"]["word"] in ("SAME", "UNCLEAR")
        assert not [f for side in document["sampling"] for f in side["findings"]]
        assert not {c["key"] for g in document["groups"] for c in g["causes"]} - HARMLESS
