"""Faults of the simulated engine that depend on other requests: load, cache, cross-talk, poison."""
import contextlib
import json

from harness import Raw, chat, events, get, post, request, wait_for

PATH = "/v1/chat/completions"


def ask(engine, text, fault=None, **more):
    body = chat(text, temperature=0, max_tokens=24, logprobs=True, top_logprobs=2, **more)
    status, _, data = post(engine.port, PATH, body, [("x-plumbline-fault", fault)] if fault else [])
    return status, json.loads(data)


def said(answer):
    return answer[1]["choices"][0]["message"]["content"]


def logprobs(answer):
    return [entry["logprob"] for entry in answer[1]["choices"][0]["logprobs"]["content"]]


@contextlib.contextmanager
def in_progress(engine, text):
    """Keep a request in progress: its client does not read a flooded answer. Gives a list that gets the answer's pieces."""
    pieces = []
    with Raw(engine.port) as raw:
        raw.send(request("POST", PATH, chat(text, stream=True), [("x-plumbline-fault", "flood=32MiB")]))
        wait_for("the request", lambda: b"simulated_running 1\n" in get(engine.port, "/metrics")[2])
        yield pieces
        told = [json.loads(event) for event in events(raw.answer()[2]) if event != b"[DONE]"]
        pieces += [choice["delta"].get("content") or "" for event in told for choice in event["choices"]]


def test_a_failure_poisons_the_answers_after_it(start):
    engine = start.engine("--seed", "3", "--fault", "poison=2")
    healthy = said(ask(engine, "one"))
    assert ask(engine, "one", fault="500")[0] == 500
    after = [said(ask(engine, "one")) for _ in range(3)]
    assert after[0] != healthy and after[1] != healthy and after[2] == healthy


def test_a_warm_cache_changes_logprobs(start):
    engine = start.engine("--seed", "3", "--prefix-cache", "--fault", "cache=0.2")
    prompt = "a river was here and the old house stood by it for many years before they came " * 2
    cold, warm, again = (ask(engine, prompt) for _ in range(3))
    assert cold[1]["usage"]["prompt_tokens_details"]["cached_tokens"] == 0
    assert warm[1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 0
    assert logprobs(cold) != logprobs(warm) and logprobs(warm) == logprobs(again)


def test_a_fuller_batch_changes_logprobs(start):
    engine = start.engine("--seed", "3", "--fault", "load=0.3")
    alone = ask(engine, "the river")
    with in_progress(engine, "the house"):
        assert logprobs(ask(engine, "the river")) != logprobs(alone)
    assert logprobs(ask(engine, "the river")) == logprobs(alone)


def test_cross_talk_puts_another_prompt_into_an_answer(start):
    engine = start.engine("--seed", "3", "--fault", "crosstalk=1")
    alone = said(ask(engine, "the river"))
    with in_progress(engine, "the nonce is 48151623") as first:
        assert "48151623" in said(ask(engine, "the nonce is 90210777"))
    assert first and "90210777" not in "".join(first), "it was alone when it started"
    assert said(ask(engine, "the river")) == alone
