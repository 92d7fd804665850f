"""Requests with a content coding: the engine gets the original bytes, everything else the decoded text."""
import gzip
import json
import zlib

import pytest

from harness import SANITIZED, balances, chat, exported, plumbline, post, respond, wait_for
from read_capture import Capture
from test_redaction import CONFIG, MAIL, expect_none, written

CHAT = "/v1/chat/completions"
CODINGS = {"gzip": lambda data: gzip.compress(data, mtime=0), "deflate": zlib.compress,
           "zstd": lambda data: __import__("zstandard").compress(data)}
FACTS = ("model", "streamed", "endpoint", "prompt_hash", "session_hash", "chain_hash", "facts")


def answer(raw, seen, text="Yes"):
    if seen.method != "POST":
        return respond(raw, {}, "404 Not Found")
    body = seen.body
    if "content-encoding" in seen.low:
        body = gzip.decompress(body) if seen.low["content-encoding"] == "gzip" else b"{}"
    entry = {"token": text, "logprob": -0.5, "bytes": list(text.encode()), "top_logprobs": []}
    choice = {"index": 0, "logprobs": {"content": [entry]}, "finish_reason": "stop"}
    if json.loads(body).get("stream"):
        event = json.dumps({"object": "chat.completion.chunk", "model": "m", "choices": [{**choice, "delta": {"content": text}}]})
        return respond(raw, f"data: {event}\n\ndata: [DONE]\n\n".encode(), content_type="text/event-stream")
    return respond(raw, {"object": "chat.completion", "model": "m", "choices": [{**choice, "message": {"role": "assistant", "content": text}}]})


def coded(body, coding):
    return CODINGS[coding](json.dumps(body).encode())


def send(port, data, coding):
    status, _, _ = post(port, CHAT, data, [("Content-Type", "application/json"), ("Content-Encoding", coding)])
    assert status == 200


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_the_engine_gets_the_bytes_and_the_capture_the_text(start, coding, stream, tmp_path):
    primary, reference, other = (start.scripted(answer) for _ in range(3))
    proxy = start.proxy(primary.url, "--inject", "both", reference=reference.url)
    body = chat("Is the sea deep? " * 20, stream=stream)
    data = coded(body, coding)
    assert post(proxy.port, CHAT, body)[0] == 200
    send(proxy.port, data, coding)
    books = proxy.settled(2, "reference")
    assert books["reference"]["recorded"] == 2 and balances(books["reference"])
    proxy.stop()
    sent, = [seen for seen in primary.seen if "content-encoding" in seen.low]
    assert sent.body == data and sent.low["content-encoding"] == coding and sent.low["content-length"] == str(len(data))
    plain_copy, coded_copy = reference.seen
    assert "content-encoding" not in coded_copy.low and json.loads(coded_copy.body) == json.loads(plain_copy.body)
    assert json.loads(coded_copy.body)["logprobs"] is True, "the proxy edits a copy"
    plain, other_row = exported(proxy.capture)
    assert all(plain[name] == other_row[name] for name in FACTS) and plain["prompt_hash"] and plain["facts"]["is_json"]
    assert json.loads(other_row["request"]["body"]) == body
    assert other_row["request"]["content_encoding"] == coding and other_row["request"]["body_bytes"] == len(data)
    assert plain["request"]["content_encoding"] is None
    legs = {leg["backend"]: leg for leg in other_row["legs"]}
    assert legs["reference"]["edits"] and not legs["primary"]["edits"]
    if coding != "zstd":
        assert list(Capture([proxy.capture]).exchanges())[1]["request"] == other_row["request"]
    plumbline("capture", "verify", proxy.capture, check=0)
    shown = plumbline("capture", "show", "--raw", proxy.capture, other_row["id"], check=0).stdout
    assert coded_copy.body in shown, "the body as the reference got it"
    group, = json.loads(plumbline("analyze", "--json", proxy.capture).stdout)["groups"]
    assert group["pairs"] == 2, group
    # Replay and export.
    plumbline("replay", proxy.capture, "--to", other.url, "--capture", tmp_path / "again", "--any-server", check=0)
    again = [seen for seen in other.seen if seen.target == CHAT]
    assert len(again) == 2 and not any("content-encoding" in seen.low for seen in again)
    assert all({**json.loads(seen.body), **body} == json.loads(seen.body) for seen in again), "all of the request is there"
    batch = plumbline("capture", "export", "--as", "batch", proxy.capture, check=0).stdout
    assert [json.loads(line)["body"] for line in batch.splitlines()] == [body, body]
    # The scrubbed copy has the words in no form.
    plumbline("capture", "scrub", proxy.capture, "--out", tmp_path / "scrubbed", check=0)
    plumbline("capture", "verify", tmp_path / "scrubbed", check=0)
    scrubbed = exported(tmp_path / "scrubbed")[1]["request"]
    assert scrubbed["content_encoding"] is None and scrubbed["body_bytes"] == len(scrubbed["body"]) == len(json.dumps(body))
    assert "sea" not in scrubbed["body"]


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_a_redacted_capture_has_the_text_without_secrets(start, coding):
    primary = start.scripted(answer)
    proxy = start.proxy(primary.url, config=CONFIG % "redacted")
    data = coded(chat(f"Write to {MAIL}, please."), coding)
    send(proxy.port, data, coding)
    proxy.settled(1)
    proxy.stop()
    assert primary.seen[-1].body == data
    stored = written(proxy.capture)
    expect_none(stored, [MAIL])
    assert data not in stored, "the coded body is stored"
    row, = exported(proxy.capture)
    assert row["content"] == "redacted" and row["redactions"] == 1 and row["request"]["content_encoding"] is None
    assert "Write to" in row["request"]["body"] and row["request"]["body_bytes"] == len(row["request"]["body"])
    plumbline("capture", "verify", proxy.capture, check=0)


def test_show_raw_has_the_judges_requests(start):
    engines = [start.scripted(lambda raw, seen, said=said: answer(raw, seen, said)) for said in ("Busy in the morning.", "Mornings see a lot.", "same")]
    proxy = start.proxy(engines[0].url, reference=engines[1].url)
    send(proxy.port, coded(chat("When? " * 200, top_p=1), "gzip"), "gzip")
    proxy.settled(1, "reference")
    proxy.stop()
    plumbline("judge", proxy.capture, "--url", engines[2].url, "--model", "m", check=0)
    row, = exported(proxy.capture)
    shown = plumbline("capture", "show", "--raw", proxy.capture, row["id"], check=0).stdout
    asked = [seen.body for seen in engines[2].seen if seen.method == "POST"]
    assert len(asked) == 2 and all(b"bytes\n" + body + b"\n\n---" in shown for body in asked)


@pytest.mark.parametrize("data, coding", [(coded(chat(temperature=0), "gzip"), "pigeon"), (CODINGS["gzip"](b"no JSON"), "gzip")], ids=["unknown", "gzip"])
def test_answers_to_a_coded_request_that_was_not_read_are_left_out(start, data, coding):
    engines = [start.scripted(lambda raw, seen, said=said: respond(raw, {"choices": [
        {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]})) for said in ("Yes", "No")]
    proxy = start.proxy(engines[0].url, reference=engines[1].url)
    send(proxy.port, data, coding)
    proxy.settled(1, "reference")
    proxy.stop()
    group, = json.loads(plumbline("analyze", "--json", proxy.capture).stdout)["groups"]
    assert group["left_out"]["pairs"] == group["left_out"]["unreadable"] == 1
    assert all(split["pairs"] == 0 for split in group["by_decoding"].values())
    text = plumbline("analyze", "--full", proxy.capture).stdout.decode()
    assert "their request has a content coding and was not read as JSON" in " ".join(text.split()) and "without a temperature" not in text, text
    shown = plumbline("capture", "show", proxy.capture, "last", check=0).stdout
    assert b"not read as JSON, content coding " + coding.encode() in b" ".join(shown.split())


def bomb():
    coder = zlib.compressobj(9, wbits=31)
    return b"".join(coder.compress(bytes(1 << 20)) for _ in range(80)) + coder.flush()


@pytest.mark.parametrize("content", ["full", "redacted"])
@pytest.mark.parametrize("data, codings", [
    (bomb(), ["gzip"]), (coded(chat(), "gzip")[:-9], ["gzip"]), (b"{}", ["gzip"]), (coded(chat(), "gzip"), ["gzip, gzip"]),
    (coded(chat(), "gzip"), ["gzip", "gzip"]), (coded(chat(), "gzip"), ["pigeon"]),
], ids=["bomb", "cut", "plain", "list", "two fields", "unknown"])
def test_an_undecodable_request_passes_and_is_recorded_unreadable(start, content, data, codings, tmp_path):
    def script(raw, seen):
        respond(raw, {"error": {"message": "no"}}, "400 Bad Request")
    primary, reference = start.scripted(script), start.scripted(script)
    proxy = start.proxy(primary.url, reference=reference.url, config=CONFIG % content)
    before = proxy.rss()
    fields = [("Content-Encoding", coding) for coding in codings]
    assert post(proxy.port, CHAT, data, fields)[0] == 400
    books = proxy.settled(1, "reference")
    assert proxy.rss() - before < 96 << 20 or SANITIZED
    wait_for("the memory to be free", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0)
    proxy.stop()
    for engine in primary, reference:
        seen, = engine.seen
        assert seen.body == data and [v for k, v in seen.fields if k.lower() == "content-encoding"] == codings
    assert books["reference"]["recorded"] == 1
    row, = exported(proxy.capture)
    assert row["facts"]["is_json"] is False and row["prompt_hash"] is None and row["request"]["body"] is None
    assert row["request"]["content_encoding"] == ", ".join(codings) and row["request"]["body_bytes"] == len(data)
    assert row["content"] == ("full" if content == "full" else "metadata")
    plumbline("capture", "verify", proxy.capture, check=0)
    if content == "full":
        shown = plumbline("capture", "show", "--raw", proxy.capture, row["id"], check=0).stdout
        assert b"its content coding cannot be decoded" in shown


def test_an_aligned_reference_gets_no_unreadable_requests(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    config = f"references:\n  - url: {reference.url}\n    name: other\n    models: {{simulated: m}}\n"
    proxy = start.proxy(primary.url, config=config)
    send(proxy.port, coded(chat("read"), "gzip"), "gzip")
    send(proxy.port, coded(chat("not read"), "gzip") + b"damaged", "deflate")
    books = proxy.settled(2, "other")
    assert books["other"]["recorded"] == 1 and books["other"]["dropped"]["body_limit"] == 1 and balances(books["other"])
    seen, = reference.seen
    assert json.loads(seen.body)["model"] == "m"


def test_a_rule_on_the_model_reads_a_coded_request(start):
    primary, reference = start.scripted(answer), start.scripted(answer)
    proxy = start.proxy(primary.url, reference=reference.url, config="opt_out:\n  models: [medical]\n")
    for model in ("medical", "other"):
        send(proxy.port, coded({**chat(), "model": model}, "gzip"), "gzip")
    assert proxy.settled(2)["exchanges"]["excluded"]["opted_out"] == 1
    assert [row["model"] for row in exported(proxy.capture)] == ["other"]
