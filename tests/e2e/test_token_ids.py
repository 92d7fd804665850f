"""Injected token ids reach the record and never the client, like logprobs."""
import json

import pytest

from harness import chat, completion, exported, post, respond
from test_logprobs import PATHS, plain, said

LOGPROBS = {"content": [{"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}]}


def settings(engine, dialect, **logprobs):
    return f"primary: {{name: prod, url: '{engine.url}', dialect: {dialect}}}\nlogprobs: {json.dumps(logprobs)}\n"


def asked(engine):
    return [b'"return_token_ids"' in seen.body for seen in engine.seen]


def marks(capture):
    return [leg["marks"] for row in exported(capture) for leg in row["legs"]]


@pytest.mark.parametrize("endpoint", PATHS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("style", ["compact", "spaced"])
def test_ids_are_recorded_and_cut_byte_for_byte(start, endpoint, stream, style):
    engine = start.engine("--seed", "3", "--json-style", style)
    proxy = start.proxy(None, config=settings(engine, "plumbline"))
    for i in range(6):
        body = said(endpoint, stream=stream, n=1 + i % 2)
        assert plain(post(proxy.port, PATHS[endpoint], body)[2]) == plain(post(engine.port, PATHS[endpoint], body)[2])
    proxy.settled(6)
    found = marks(proxy.capture)
    assert sum("injected_token_ids" in m for m in found) == sum("injected_logprobs" in m for m in found) == 5
    assert proxy.metrics()["plumbline_uncut_total"] == 0
    for row in exported(proxy.capture):
        leg = row["legs"][0]
        assert (b"token_ids" in json.dumps(leg).encode()) or "injected_token_ids" not in leg["marks"]


def vllm(seen, null, stream):
    """Answer like vLLM (null without request) or SGLang (absent without request)."""
    body = json.loads(seen.body)
    lp, ids = bool(body.get("logprobs")), bool(body.get("return_token_ids"))

    def value(name, on, what):
        return {name: what} if on else {name: None} if null else {}

    def event(choices, **more):
        return b"data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", "choices": choices, **more}).encode() + b"\n\n"

    if not stream:
        return json.dumps({"id": "x", "choices": [{
            "index": 0, "message": {"role": "assistant", "content": "a"}, **value("logprobs", lp, LOGPROBS), "finish_reason": "stop",
            **value("token_ids", ids, [7])}], **value("prompt_token_ids", ids, [1, 2, 3])}).encode()
    out = event([{"index": 0, "delta": {"role": "assistant", "content": ""}, **({"logprobs": None} if null else {})}],
                **value("prompt_token_ids", ids, [1, 2, 3]))
    if ids:     # a step without text, which the engine sends only for its ids
        out += event([{"index": 0, "delta": {}, **value("logprobs", lp, LOGPROBS), "token_ids": [5]}])
    out += event([{"index": 0, "delta": {"content": "a"}, **value("logprobs", lp, LOGPROBS), **value("token_ids", ids, [7])}])
    out += event([{"index": 0, "delta": {}, **({"logprobs": None} if null else {}), "finish_reason": "stop", **value("token_ids", ids, [])}])
    return out + b"data: [DONE]\n\n"


class Bare:
    body = b"{}"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("null", [True, False])
def test_null_and_absent_members_are_restored(start, null, stream):
    kind = "text/event-stream" if stream else "application/json"
    engine = start.scripted(lambda raw, seen: respond(raw, vllm(seen, null, stream), content_type=kind))
    proxy = start.proxy(None, config=settings(engine, "vllm"), workers="1")
    for _ in range(4):
        assert post(proxy.port, PATHS["chat"], chat(stream=stream))[2] == vllm(Bare, null, stream)
    assert asked(engine) == [False, True, True, True]
    assert proxy.metrics()["plumbline_uncut_total"] == 0


def test_an_engine_with_another_form_gets_a_second_request(start):
    """The form changes to one that no plain answer has shown: its ids must not become null."""
    def script(raw, seen):
        body = json.loads(vllm(seen, len(engine.seen) < 3, False))
        respond(raw, body if len(engine.seen) < 3 else {"of": "another", **body})
    engine = start.scripted(script)
    proxy = start.proxy(None, config=settings(engine, "vllm"), workers="1")
    answers = [post(proxy.port, PATHS["chat"], chat())[2] for _ in range(3)]
    assert b"null" in answers[1] and b"token_ids" not in answers[2] and b"logprobs" not in answers[2]
    assert asked(engine) == [False, True, True, False]
    assert proxy.metrics()["plumbline_asked_again_total"] == 1


def test_an_engine_that_refuses_ids_still_gives_logprobs(start):
    def script(raw, seen):
        if b"return_token_ids" in seen.body:
            return respond(raw, {"error": {"message": "return_token_ids: extra fields not permitted"}}, "400 Bad Request")
        respond(raw, vllm(seen, True, False))
    engine = start.scripted(script)
    proxy = start.proxy(None, config=settings(engine, "vllm"), workers="1")
    for _ in range(4):
        assert post(proxy.port, PATHS["chat"], chat())[2] == vllm(Bare, True, False)
    assert asked(engine) == [False, True, False, False, False]
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True, False, True, True]
    assert "refuses to give token ids" in proxy.log()


@pytest.mark.parametrize("dialect, more, config", [
    ("ollama", {}, {}), ("lmdeploy", {}, {}), ("vllm", {}, {"token_ids": False}), ("vllm", {"logprobs": True}, {}),
    ("vllm", {"return_token_ids": False, "return_prompt_token_ids": True}, {})])
def test_token_ids_are_not_requested_needlessly(start, dialect, more, config):
    """Ids cannot be requested or cut, the configuration forbids them, or the client requests them itself."""
    engine = start.scripted(lambda raw, seen: respond(raw, vllm(seen, True, False)))
    proxy = start.proxy(None, config=settings(engine, dialect, **config), workers="1")
    for _ in range(3):
        post(proxy.port, PATHS["chat"], chat(**more))
    assert not any(json.loads(seen.body).get("return_token_ids") for seen in engine.seen)


def test_with_ids_of_the_primary_every_token_of_its_answers_is_scored(start):
    """Tokens that share a character have no own text: without ids the scorer cannot place them."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7")
    config = settings(primary, "plumbline") + f"references: [{{name: trusted, url: '{reference.url}', dialect: plumbline, mode: score, score: {{prompt: primary}}}}]\n"
    proxy = start.proxy(None, config=config)
    for i in range(8):
        post(proxy.port, PATHS["completion"], completion(f"Tell me of 日本 {i}", temperature=1, seed=i, max_tokens=12))
    proxy.settled(8, "trusted")
    assert proxy.stop() == 0
    legs = [leg for row in exported(proxy.capture) for leg in row["legs"] if "scored" in leg["marks"]]
    assert sum("given_prompt" in leg["marks"] for leg in legs) == 7     # the first answer taught the form
