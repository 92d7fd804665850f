"""`plumbline score` on real engines gives the logprobs that truth.py computes from the full logits of the same tokens.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_score_live.py

Each engine answers a few requests through the proxy, then scores its own answers and those of the other engine. pytest
skips the tests without the lab or an engine. They are not part of ./check.
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

from harness import BINARY, Proxy  # noqa: E402
import lab_engine  # noqa: E402
from places import Places  # noqa: E402
from services import Services, call, processor_seconds  # noqa: E402

LIMIT = 1e-3
ANSWER = 200   # tokens of the answers whose cost is measured
PROMPTS = ["The capital of France is", "Deux et deux font", "日本の首都は", "def add(a, b):\n    return"]
CHATS = ["Name three prime numbers.", "Say 😀 twice."]
TRUTH = {"llama-cpp-python": ("llama", "llama", lambda p, w: p.gguf(w)), "vllm": ("vllm", "hf", lambda p, w: p.hf(w))}


class Engine(lab_engine.Engine):
    """An engine whose full logits truth.py can compute."""

    def truth(self, questions):
        places = Places()
        environment, kind, file_of = TRUTH[self.name]
        done = subprocess.run([places.python(environment), HERE / "truth.py", kind, file_of(places, self.weights)],
                              input=json.dumps(questions), capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-4000:]
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def engines(weights):
    started = {}
    with contextlib.ExitStack() as stack:
        def get(name):
            if name not in started:
                started[name] = stack.enter_context(Engine("score-live", name, weights))
            return started[name]
        yield get


def run(*args, codes=(0,)):
    done = subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=900)
    assert done.returncode in codes, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def record(directory, engine, extra):
    """Record answers of the engine with logprobs, some greedy and some sampled."""
    proxy = Proxy(directory, engine.url)
    try:
        for i, text in enumerate(PROMPTS + CHATS):
            body = {"model": engine.model, "max_tokens": 12, "temperature": 1.0 if i % 2 else 0, "seed": 7, **extra}
            if text in CHATS:
                path, more = "/v1/chat/completions", {"messages": [{"role": "user", "content": text}], "logprobs": True, "top_logprobs": 2}
            else:
                path, more = "/v1/completions", {"prompt": text, "logprobs": 2}
            status, answer = call(proxy.port, "POST", path, {**body, **more}, 300)
            assert status == 200, answer
        proxy.settled(len(PROMPTS + CHATS))
    finally:
        assert proxy.stop() == 0
    return proxy.capture


def scored_legs(capture, backend):
    """Yield (request, columns of the scored tokens from score_at on, whole reading) of each leg."""
    for line in run("capture", "export", "--jsonl", capture).splitlines():
        for leg in json.loads(line)["legs"]:
            if leg["backend"] == backend and "scored" in leg["marks"]:
                choice = leg["reading"]["choices"][0]
                yield json.loads(leg["edits"][0]["inserted"]), leg, choice


def worst(capture, backend, scorer):
    """Return the largest difference between a recorded score and the exact one, and the number of tokens."""
    legs = sorted(scored_legs(capture, backend), key=lambda found: found[1]["start_ns"])
    assert legs
    prompts = [sent["prompt"] for sent, _, _ in legs]
    truths = scorer.truth([{"text": p} if isinstance(p, str) else {"ids": p} for p in prompts])
    largest, n = 0.0, 0
    for (sent, leg, choice), truth in zip(legs, truths):
        echoes = choice["prompt"] is None
        columns = choice["columns"] if echoes else choice["prompt"]
        end = len(columns["tokens"]) - (1 if echoes and choice["finish"] == "length" else 0)
        # Backwards from the end, because the exact logprobs have a BOS token and an echo has none.
        count = end - leg["score_at"]
        assert count > 0
        scores = zip(columns["tokens"][:end][-count:], columns["lp"][:end][-count:])
        for (token, lp), true, piece in zip(scores, truth["logprobs"][-count:], truth["pieces"][-count:]):
            assert token in (piece, "") or "\ufffd" in token + piece, (token, piece)
            largest = max(largest, abs(lp - true))
            n += 1
    return largest, n


def check(tmp_path, primary, scorer, extra=(), flags=()):
    capture = record(tmp_path, primary, dict(extra))
    # One request at a time, because llama-cpp-python's logits depend on the request before.
    concurrency = 1 if scorer.name == "llama-cpp-python" else 2
    said = json.loads(run("score", capture, "--backend", "judge", "--url", scorer.url, "--concurrency", concurrency, "--json", *flags))
    print(f"\n{scorer.name} scores {primary.name}: {said['scored']} answers, {said['tokens']} tokens; unable {said['unable']}")
    assert not said["failed"]
    again = json.loads(run("score", capture, "--backend", "judge", "--url", scorer.url, "--json", *flags))
    assert again["scored"] == 0 and again["already"] == said["scored"]
    largest, n = worst(capture, "judge", scorer)
    print(f"largest difference from full logits over {n} tokens: {largest:.2e}")
    assert largest < LIMIT
    report = json.loads(run("analyze", capture, "--json", codes=(4,)))["teacher_forced"][0]["all"]
    print({k: report[k] for k in ("answers", "perplexity", "scorer_perplexity")}, report["positions"], report["same_top"], report["logprob"])
    return said, report


def test_llama_cpp_python_scores_its_own_answers(tmp_path, engines, weights):
    """Generating, one token at a time, uses other kernels than scoring: only the first tokens agree closely."""
    if weights.model.name != "gemma":
        pytest.skip("its echo is one token late: the model has no BOS token")
    engine = engines("llama-cpp-python")
    said, report = check(tmp_path, engine, engine, flags=["--template", "gemma"])
    assert said["scored"] == len(PROMPTS + CHATS)
    assert report["positions"]["rate"] == 1 and report["logprob"]["rms"] < 0.3


def test_llama_cpp_python_says_which_answers_it_cannot_score(tmp_path, engines, weights):
    engine = engines("llama-cpp-python")
    if weights.model.name == "gemma":
        said, _ = check(tmp_path, engine, engine)
        assert said["scored"] == len(PROMPTS)
        assert [(r["n"], "template" in r["why"]) for r in said["unable"]] == [(len(CHATS), True)]
        return
    capture = record(tmp_path, engine, {})
    said = json.loads(run("score", capture, "--backend", "judge", "--url", engine.url, "--template", "chatml", "--json", codes=(0, 1, 4)))
    assert said["scored"] == 0
    assert [(r["n"], "one token late" in r["why"]) for r in said["unable"]] == [(len(PROMPTS + CHATS), True)], said


def test_vllm_scores_its_own_answers_by_ids(tmp_path, engines):
    engine = engines("vllm")
    said, report = check(tmp_path, engine, engine, extra={"return_token_ids": True})
    assert said["scored"] == len(PROMPTS + CHATS)
    assert report["logprob"]["rms"] < LIMIT
    assert report["positions"]["rate"] == 1


def test_vllm_scores_its_own_answers_by_text(tmp_path, engines):
    """An empty answer has no text, and the tokenizer turns two generated tokens \\n \\n into one token \\n\\n."""
    engine = engines("vllm")
    said, report = check(tmp_path, engine, engine)
    assert said["scored"] + sum(r["n"] for r in said["unable"] if "empty" in r["why"]) == len(PROMPTS + CHATS)
    assert report["positions"]["rate"] > 0.8


def test_vllm_scores_the_answers_of_llama_cpp_python(tmp_path, engines):
    said, report = check(tmp_path, engines("llama-cpp-python"), engines("vllm"))
    assert said["scored"] == len(PROMPTS + CHATS)
    assert report["positions"]["rate"] > 0.9


def test_scoring_costs_vllm_a_fifth_of_generating(tmp_path, engines):
    engine = engines("vllm")
    group = next(s.pid for s in Services(Places()).all() if s.url == engine.url)

    def cost(work):
        start, before = time.monotonic(), processor_seconds(group)
        result = work()
        return result, processor_seconds(group) - before, time.monotonic() - start

    def generate():
        proxy = Proxy(tmp_path, engine.url)
        try:
            for text in PROMPTS:
                body = {"model": engine.model, "max_tokens": ANSWER, "ignore_eos": True, "return_token_ids": True, "prompt": text, "logprobs": 2}
                status, answer = call(proxy.port, "POST", "/v1/completions", body, 300)
                assert status == 200 and json.loads(answer)["usage"]["completion_tokens"] == ANSWER, answer
            proxy.settled(len(PROMPTS))
        finally:
            assert proxy.stop() == 0
        return proxy.capture

    capture, generating, generating_time = cost(generate)
    said, scoring, scoring_time = cost(lambda: json.loads(run("score", capture, "--backend", "judge", "--url", engine.url, "--concurrency", "1", "--json")))
    assert said["scored"] == len(PROMPTS) and said["tokens"] == ANSWER * len(PROMPTS), said
    print(f"\n{len(PROMPTS)} answers of {ANSWER} tokens: generating {generating:.1f} processor seconds in {generating_time:.1f} s, "
          f"scoring {scoring:.1f} in {scoring_time:.1f} s: {scoring / generating:.3f}")
    assert scoring < generating / 5
