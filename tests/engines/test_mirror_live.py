"""The scoring mirror on real engines: `mode: score` in front of sampled traffic.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_mirror_live.py

vLLM scores the sampled answers of llama-cpp-python, whose model is quantised: k3 must be the divergence that truth.py's
distributions over the whole vocabulary have. vLLM and llama-cpp-python score their own answers: nothing may be found.
pytest skips the tests without the lab. They are not part of ./check.
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY, Proxy  # noqa: E402
from lab_engine import Engine  # noqa: E402
from models import Weights, weights_of  # noqa: E402
from places import Places  # noqa: E402
from services import call  # noqa: E402
from workload import PROMPTS, QUESTIONS  # noqa: E402

HOLD = "mirror-live"
QUANTISED = "q3_k_s"
ANSWERS = int(os.environ.get("PLUMBLINE_MIRROR_ANSWERS", 24))
TOKENS = 24
# Tokens that are parts of a character have no text, so that their positions are not compared.
ASCII = [text for text in PROMPTS + QUESTIONS if text.isascii()]
CLIENT_LIMIT = 600
CONFIG = """
primary: {{name: prod, url: {primary.url}}}
references:
  - {{name: trusted, url: {scorer.url}, mode: score, models: {{{primary.model}: {scorer.model}}}}}
"""
# llama-cpp-python's defaults are others. At these values the engine draws from the distribution that it states.
PLAIN = {"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1}


def mirrored(directory, primary, scorer, more):
    """Return the capture of sampled completions, and {prompt: text}."""
    proxy = Proxy(directory, None, config=CONFIG.format(primary=primary, scorer=scorer), poll=None)
    texts = {}
    try:
        for i, prompt in enumerate(ASCII[:ANSWERS]):
            body = {"model": primary.model, "prompt": prompt, "max_tokens": TOKENS, "seed": i, "logprobs": 5, **more}
            status, answer = call(proxy.port, "POST", "/v1/completions", body, CLIENT_LIMIT)
            assert status == 200, answer
            texts[prompt] = json.loads(answer)["choices"][0]["text"]
            proxy.settled(i + 1, "trusted", patience=CLIENT_LIMIT)
    finally:
        assert proxy.stop() == 0
    return proxy.capture, texts


def analysis(capture):
    done = subprocess.run([BINARY, "analyze", capture, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 4), done.stderr
    document = json.loads(done.stdout)
    print("\n" + document["verdict"]["sentence"])
    return document


def distributions(directory, environment, kind, path, questions):
    directory.mkdir()
    done = subprocess.run([Places().python(environment), HERE / "truth.py", kind, path, directory],
                          input=json.dumps(questions), capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def exact_divergence(directory, weights, texts):
    """Return KL(llama-cpp-python || vLLM) in nats of each token of the answers, over the whole vocabulary."""
    places = Places()
    whole = distributions(directory / "scorer", "vllm", "hf", places.hf(weights_of(weights.model.name)),
                          [{"text": prompt + text, "last": 1} for prompt, text in texts.items()])
    prompts = distributions(directory / "prompts", "vllm", "hf", places.hf(weights_of(weights.model.name)),
                            [{"text": prompt, "last": 1} for prompt in texts])
    questions = [{"ids": w["ids"], "last": len(w["ids"]) - len(p["ids"])} for w, p in zip(whole, prompts)]
    questions = [q for q in questions if q["last"] > 0]
    distributions(directory / "q", "vllm", "hf", places.hf(weights_of(weights.model.name)), questions)
    distributions(directory / "p", "llama", "llama", places.gguf(weights), questions)
    found = []
    for i in range(len(questions)):
        p, q = (numpy.load(directory / side / f"{i}.npy").astype(numpy.float64) for side in "pq")
        found += (numpy.exp(p) * (p - q)).sum(axis=1).tolist()
    return found


def test_k3_is_the_divergence_over_the_whole_vocabulary(tmp_path, weights):
    quantised = Weights(weights.model, QUANTISED)
    with Engine(HOLD, "llama-cpp-python", quantised) as primary, Engine(HOLD, "vllm", weights) as scorer:
        capture, texts = mirrored(tmp_path, primary, scorer, PLAIN)
    document = analysis(capture)
    figure = document["teacher_forced"][0]["all"]["k3_score"]
    exact = exact_divergence(tmp_path, quantised, texts)
    low, high = figure["ci95"]
    print(f"k3 {figure['mean']:.4f} [{low:.4f} to {high:.4f}] of {figure['n']} tokens; "
          f"exact divergence {numpy.mean(exact):.4f} of {len(exact)} tokens")
    assert figure["n"] > 0.9 * len(exact)
    assert abs(figure["mean"] - numpy.mean(exact)) < high - low


@pytest.mark.parametrize("name, more", [("vllm", {}), ("llama-cpp-python", PLAIN)])
def test_an_engine_that_scores_itself_shows_no_difference(tmp_path, weights, name, more):
    if (name, weights.model.name) == ("llama-cpp-python", "qwen"):
        pytest.skip("the model has no BOS token, so the engine's scores are one token late")
    with Engine(HOLD, name, weights) as engine:
        capture, _ = mirrored(tmp_path, engine, engine, more)
    document = analysis(capture)
    print(document["teacher_forced"][0]["all"]["k3_score"], document["cause"])
    assert document["verdict"]["word"] in ("SAME", "UNCLEAR"), document["verdict"]
    assert document["cause"] is None, document["cause"]
