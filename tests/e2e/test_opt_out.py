"""A client's header, or a rule on the model, keeps a request out of the capture and away from references."""
import json

import pytest

from harness import Raw, balances, chat, exported, post, request, respond

CHAT = "/v1/chat/completions"


ANSWER = {"id": "x", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "finish_reason": "stop",
          "message": {"role": "assistant", "content": "Yes."}}]}


def answer(raw, seen):
    respond(raw, ANSWER)


def everything_in(capture):
    return b"".join(f.read_bytes() for f in capture.rglob("*") if f.is_file())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("value", ["off", "OFF", "false", "no", "metadata", ""])
def test_a_header_of_the_client_keeps_one_request_out(start, value, stream):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url)
    assert post(proxy.port, CHAT, chat("kept"))[0] == 200
    assert post(proxy.port, CHAT, chat("nothing of this", stream=stream), [("X-Plumbline-Record", value)])[0] == 200
    books = proxy.settled(2)
    for book in ("exchanges", "reference"):
        assert books[book]["recorded"] == 1 and books[book]["excluded"]["opted_out"] == 1, books[book]
        assert balances(books[book])
    assert len(reference.seen) == 1, "the reference got a copy"
    assert len(exported(proxy.capture)) == 1
    hidden = [r for r in primary.seen if b"nothing of this" in r.body][0]
    assert "x-plumbline-record" not in hidden.low, "the header was passed on"
    assert json.loads(hidden.body) == chat("nothing of this", stream=stream), "the request was edited"


def test_the_value_on_is_no_opt_out_and_is_not_forwarded(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url)
    assert post(proxy.port, CHAT, chat("kept"), [("X-Plumbline-Record", "on")])[0] == 200
    assert proxy.settled(1)["reference"]["recorded"] == 1
    for engine in primary, reference:
        assert engine.seen and all("x-plumbline-record" not in r.low for r in engine.seen)


def test_a_model_rule_keeps_requests_out(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url, config="opt_out:\n  models: [medical, hr-*]\n")
    for model in ("medical", "medical-2", "hr-", "hr-large", "hr"):
        assert post(proxy.port, CHAT, {**chat("ask"), "model": model})[0] == 200
    books = proxy.settled(5)
    for book in ("exchanges", "reference"):
        assert books[book]["recorded"] == 2 and books[book]["excluded"]["opted_out"] == 3, books[book]
    assert sorted(e["model"] for e in exported(proxy.capture)) == ["hr", "medical-2"]


def test_a_model_rule_ignores_case_and_spaces(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url, config="opt_out:\n  models: [' GPT-4 ', HR-*]\n")
    hidden = ("gpt-4", "Gpt-4", " GPT-4", "gpt-4\n", "\t gpt-4 ", "hr-large", " Hr-Large", "hR-", " ", "\n")   # blank: the engine chooses the model
    kept = ("gpt- 4", "gpt-4o", "xgpt-4", "hr", "x hr-large")
    for model in hidden + kept:
        assert post(proxy.port, CHAT, {**chat("ask"), "model": model})[0] == 200
    books = proxy.settled(len(hidden + kept))
    for book in ("exchanges", "reference"):
        assert books[book]["recorded"] == len(kept) and books[book]["excluded"]["opted_out"] == len(hidden), books[book]
    assert [e["model"] for e in exported(proxy.capture)] == list(kept)


def test_an_unreadable_model_matches_every_rule(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url, config="opt_out:\n  models: [medical]\nlogprobs:\n  limit: 4KiB\n")
    large = {**chat("x" * 300000), "model": "medical"}
    assert post(proxy.port, CHAT, large)[0] == 200
    assert post(proxy.port, "/v1/audio/transcriptions", {"model": "medical"})[0] == 200
    with Raw(proxy.port) as raw:
        raw.send(request("POST", CHAT, b'{"model": "medi', [("Content-Type", "application/json")]))
        assert raw.answer()[0] == 200
    with Raw(proxy.port) as raw:
        raw.send(request("POST", CHAT, b'{"model": "plain"', [("Content-Type", "application/json")])[:-5])
    books = proxy.settled(4)
    assert books["exchanges"]["excluded"]["opted_out"] == 4 and books["exchanges"]["recorded"] == 0, books
    assert b"medi" not in everything_in(proxy.capture).replace(b'\\"medical\\"', b"").replace(b'"medical"', b"")


@pytest.mark.parametrize("rule", ["secret*", "s" * 300])
def test_a_missing_model_matches_every_rule(start, rule):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url, config=f"opt_out:\n  models: ['{rule}']\n")
    asked = {key: value for key, value in chat("nobody's business").items() if key != "model"}
    for more in ({}, {"model": None}, {"model": ""}, {"model": ["secret-1"]}, {"model": {"secret": 1}}, {"model": "s" * 300}):
        assert post(proxy.port, CHAT, {**asked, **more})[0] == 200
    assert post(proxy.port, CHAT, json.dumps({**asked, "model": "secret-1"})[:-1].encode() + b', "model": "plain"}')[0] == 200
    assert post(proxy.port, CHAT, {**chat("kept"), "model": "plain"})[0] == 200
    books = proxy.settled(8)
    for book in ("exchanges", "reference"):
        assert books[book]["recorded"] == 1 and books[book]["excluded"]["opted_out"] == 7, books[book]
    assert len(reference.seen) == 1, "the reference got a copy"
    assert b"business" not in everything_in(proxy.capture)
