"""Faults of the simulated engine that depend on other requests: load, cache, cross-talk, poison."""
import concurrent.futures
import json

from harness import chat, post

PATH = "/v1/chat/completions"


def ask(engine, text, fault=None, **more):
    body = chat(text, temperature=0, max_tokens=24, logprobs=True, top_logprobs=2, **more)
    status, _, data = post(engine.port, PATH, body, [("x-plumbline-fault", fault)] if fault else [])
    return status, json.loads(data)


def said(answer):
    return answer[1]["choices"][0]["message"]["content"]


def logprobs(answer):
    return [entry["logprob"] for entry in answer[1]["choices"][0]["logprobs"]["content"]]


def together(engine, texts):
    with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(lambda text: ask(engine, text), texts))


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


def test_a_full_batch_changes_logprobs(start):
    engine = start.engine("--seed", "3", "--ttft", "40ms", "--itl", "1ms", "--fault", "load=0.3")
    alone = ask(engine, "the river")
    crowd = together(engine, ["the river"] * 8)
    assert any(logprobs(answer) != logprobs(alone) for answer in crowd)
    assert logprobs(ask(engine, "the river")) == logprobs(alone)


def test_cross_talk_puts_another_prompt_into_an_answer(start):
    engine = start.engine("--seed", "3", "--ttft", "60ms", "--itl", "2ms", "--fault", "crosstalk=1")
    alone = said(ask(engine, "the river"))
    crowd = together(engine, ["the nonce is 48151623", "the nonce is 90210777"])
    # The first request was alone when it started.
    heard = [other for own, other in ((0, "90210777"), (1, "48151623")) if other in said(crowd[own])]
    assert len(heard) == 1
    assert said(ask(engine, "the river")) == alone
