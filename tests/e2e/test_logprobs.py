"""Injected logprobs reach the record and never the client: the client gets what the engine would have sent without
them."""
import concurrent.futures
import json
import re
import threading
import time

import pytest

from harness import PATIENCE, Raw, chat, chunk, completion, events, exported, post, request, respond, wait_for

PATHS = {"chat": "/v1/chat/completions", "completion": "/v1/completions"}


def said(endpoint, **more):
    return chat(**more) if endpoint == "chat" else completion(**more)


def plain(body):
    """Return the answer without members that always differ."""
    return re.sub(rb'"(id|created)": ?("[^"]*"|\d+)', b"", body)


@pytest.mark.parametrize("endpoint", PATHS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("unasked", ["null", "absent"])
@pytest.mark.parametrize("style", ["compact", "spaced"])
def test_what_was_injected_is_cut_byte_for_byte(start, endpoint, stream, unasked, style):
    engine = start.engine("--seed", "3", "--logprobs-unasked", unasked, "--json-style", style)
    reference = start.engine("--seed", "3")
    proxy = start.proxy(engine.url, reference=reference.url)
    for i in range(6):
        body = said(endpoint, stream=stream, n=1 + i % 2) | ({"max_tokens": 24} if i else {})
        straight = post(engine.port, PATHS[endpoint], body)
        through = post(proxy.port, PATHS[endpoint], body)
        assert plain(through[2]) == plain(straight[2]), i
        names = lambda a: {n.lower() for n, v in a[1]} - {"date"}
        assert names(through) == names(straight)
    proxy.settled(6)
    rows = exported(proxy.capture)
    legs = [leg for row in rows for leg in row["legs"]]
    assert len(legs) == 12
    # From the first answers the proxy learned the kind; after that both legs have logprobs and usage.
    for row in rows[2:]:
        for leg in row["legs"]:
            reading = leg["reading"]
            if leg["backend"] == "reference" or not stream or len(reading["choices"]) == 1:
                assert reading["usage"]["prompt_tokens"] > 0, leg["backend"]
            for choice in reading["choices"]:
                tokens = choice["columns"]
                assert tokens and len(tokens["lp"] if isinstance(tokens, dict) else tokens) > 0


def test_a_request_with_logprobs_is_unchanged(start):
    engine = start.engine("--seed", "3")
    proxy = start.proxy(engine.url)
    for stream in (False, True):
        for i in range(3):
            body = chat(stream=stream, logprobs=True, top_logprobs=2) | ({"stream_options": {"include_usage": True}} if stream else {})
            assert plain(post(proxy.port, PATHS["chat"], body)[2]) == plain(post(engine.port, PATHS["chat"], body)[2])


@pytest.mark.parametrize("field", [
    "Content-MD5: x", "Digest: sha-256=x", "content-digest: sha-256=:x:", "Repr-Digest: sha-256=:x:", "Signature: sig=:x:", "X-Signature: x",
    "x-amz-content-sha256: x", "Idempotency-Key: x", None])
def test_a_request_that_must_not_change_is_unchanged(start, field):
    def script(raw, seen):
        ok = b'"logprobs"' not in seen.body
        respond(raw, {"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop", **({} if ok else {"logprobs": None})}]})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, PATHS["chat"], chat())
    post(proxy.port, PATHS["chat"], chat())
    assert b'"logprobs"' in engine.seen[-1].body
    body = chat() if field else chat(store=True)
    post(proxy.port, PATHS["chat"], body, [tuple(field.split(": "))] if field else [])
    assert len(engine.seen) == 3 and engine.seen[-1].body == json.dumps(body).encode()


def test_an_unknown_kind_of_answer_is_first_requested_plain(start):
    engine = start.scripted(lambda raw, seen: respond(raw, {
        "id": "a", "choices": [{"index": 0, "message": {"content": "hi"}, "finish_reason": "stop",
                                **({"logprobs": {"content": []}} if b"logprobs" in seen.body else {})}]}))
    proxy = start.proxy(engine.url, workers="1")
    for i in range(3):
        answer = json.loads(post(proxy.port, PATHS["chat"], chat(f"{i}"))[2])
        assert "logprobs" not in answer["choices"][0]
    asked = [b'"logprobs"' in seen.body for seen in engine.seen]
    assert asked == [False, True, True]


def test_a_refused_injection_is_retried_without_it(start):
    def script(raw, seen):
        if b"logprobs" in seen.body:
            respond(raw, {"error": {"message": "unknown field logprobs"}}, "422 Unprocessable Entity")
        else:
            respond(raw, {"choices": [{"index": 0, "message": {"content": "fine"}, "logprobs": None, "finish_reason": "stop"}]})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for i in range(4):
        status, fields, body = post(proxy.port, PATHS["chat"], chat(f"{i}"))
        assert status == 200 and b"fine" in body
    asked = [b'"logprobs"' in seen.body for seen in engine.seen]
    assert asked == [False, True, False, False, False], "the refusal was not remembered"


def test_an_engine_that_refuses_stream_options_still_gives_logprobs(start):
    def script(raw, seen):
        if b"stream_options" in seen.body:
            respond(raw, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]}, "422 Unprocessable Entity")
            return
        logprobs = {"content": []} if b'"logprobs"' in seen.body else None
        events = [{"choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": logprobs, "finish_reason": reason}]}
                  for reason in (None, "stop")]
        respond(raw, b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n",
                content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = {post(proxy.port, PATHS["chat"], chat(f"{i}", stream=True))[2] for i in range(4)}
    assert len(answers) == 1
    asked = [(b'"logprobs"' in seen.body, b"stream_options" in seen.body) for seen in engine.seen]
    assert asked == [(False, False), (True, True), (False, False), (True, False), (True, False)]


def test_errors_in_streams_that_only_logprobs_cause_end_injection(start):
    def script(raw, seen):
        texts = ["", "a"]
        events = [{"choices": [{"index": 0, "delta": {"content": t}, "logprobs": None, "finish_reason": "stop" if t else None}]} for t in texts]
        if b'"logprobs"' in seen.body:
            events[1:] = [{"error": {"message": "Out of range float values are not JSON compliant", "code": 500}}]
        respond(raw, b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n",
                content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    failed = [b'"error"' in post(proxy.port, PATHS["chat"], chat(f"{i}", stream=True))[2] for i in range(20)]
    assert 1 < sum(failed) < 8 and not any(failed[-5:])
    assert ended(proxy, "errors") == 1


def test_errors_of_long_streams_do_not_end_injection(start):
    """The proxy does not examine the end of a long plain stream, so it cannot know whether logprobs cause the errors."""
    def script(raw, seen):
        texts = ["", "a" * (1100000 if b"long" in seen.body else 1)]
        events = [{"choices": [{"index": 0, "delta": {"content": t}, "logprobs": None, "finish_reason": None}]} for t in texts]
        events.append({"error": {"message": "out of time"}} if b"long" in seen.body else
                      {"choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]})
        respond(raw, b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n",
                content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for i in range(12):
        for text in ("long", "short"):
            post(proxy.port, PATHS["chat"], chat(f"{text} {i}", stream=True))
    assert sum(b'"logprobs"' in seen.body and b"long" in seen.body for seen in engine.seen) > 7
    assert ended(proxy, "errors") == 0


def test_an_invalid_request_gets_the_engines_own_answer(start):
    """The second try fails too: the client gets that answer, and the proxy remembers no refusal."""
    def script(raw, seen):
        if b"bad" in seen.body:
            respond(raw, {"error": {"message": "bad request", "own": b"logprobs" not in seen.body}}, "400 Bad Request")
        else:
            respond(raw, {"choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop",
                                       **({"logprobs": {"content": []}} if b"logprobs" in seen.body else {})}]})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, PATHS["chat"], chat("good"))
    status, fields, body = post(proxy.port, PATHS["chat"], chat("bad"))
    assert status == 400 and json.loads(body)["error"]["own"] is True
    post(proxy.port, PATHS["chat"], chat("good again"))
    assert b"logprobs" in engine.seen[-1].body


@pytest.mark.parametrize("status", ["401 Unauthorized", "408 Request Timeout", "429 Too Many Requests", "503 Service Unavailable"])
def test_other_refusals_are_relayed_at_once(start, status):
    def script(raw, seen):
        if b"again" in seen.body:
            respond(raw, {"error": {"message": "no"}}, status, [("Retry-After", "1")])
        else:
            respond(raw, {"choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop"}]})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, PATHS["chat"], chat("first"))
    got, fields, body = post(proxy.port, PATHS["chat"], chat("again"))
    assert str(got) == status[:3] and ("Retry-After", "1") in fields
    assert len(engine.seen) == 2


def test_injection_requests_identity_and_skips_encoded_bodies(start):
    import gzip
    whole = json.dumps({"choices": [{"index": 0, "message": {"content": "zipped"}, "finish_reason": "stop"}]}).encode()

    def script(raw, seen):
        if "gzip" in seen.low.get("accept-encoding", ""):
            respond(raw, gzip.compress(whole, mtime=0), fields=[("Content-Encoding", "gzip")])
        else:
            respond(raw, whole)
    engine = start.scripted(script)
    off = start.proxy(engine.url, "--inject", "off")
    status, fields, body = post(off.port, PATHS["chat"], chat(), [("Accept-Encoding", "gzip")])
    assert body == gzip.compress(whole, mtime=0) and ("Content-Encoding", "gzip") in fields
    off.settled(1)
    assert exported(off.capture)[0]["legs"][0]["reading"]["choices"][0]["text"] == "zipped"


def test_injection_can_be_switched_off_for_the_primary(start):
    engine, reference = start.engine("--seed", "3"), start.engine("--seed", "3")
    proxy = start.proxy(engine.url, "--inject", "references", reference=reference.url)
    for i in range(4):
        post(proxy.port, PATHS["chat"], chat(f"{i}"))
    proxy.settled(4)
    for row in exported(proxy.capture):
        legs = {leg["backend"]: leg["reading"]["choices"][0] for leg in row["legs"]}
        assert not legs["primary"].get("columns")
        assert legs["reference"].get("columns")


def test_injection_delays_no_event(start):
    """The engine sends each event only after the client has read the one before it. Only the last event may wait for what follows it."""
    arrived = threading.Semaphore(0)

    def script(raw, seen):
        asked = b'"logprobs"' in seen.body
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(8):
            lists = {"content": [{"token": f"w{i} ", "logprob": -0.5, "bytes": None, "top_logprobs": []}]} if asked else None
            event = {"id": "a", "choices": [{"index": 0, "delta": {"content": f"w{i} "}, "logprobs": lists, "finish_reason": "stop" if i == 7 else None}]}
            raw.send(chunk(b"data: %s\n\n" % json.dumps(event).encode()))
            if asked and i < 7 and not arrived.acquire(timeout=PATIENCE):
                return False
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        return None
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, PATHS["chat"], chat(stream=True))
    with Raw(proxy.port) as raw:
        raw.send(request("POST", PATHS["chat"], chat(stream=True)))
        for i in range(8):
            raw.until(b"w%d " % i)
            arrived.release()
        raw.until(b"[DONE]")
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True]


LLAMA = """primary: {{name: prod, url: '{primary}', dialect: {dialect}, poll: off}}
references: [{{name: ref, url: '{reference}', dialect: llama-cpp-python, poll: off}}]
logprobs: {{inject: {inject}}}
"""


@pytest.mark.parametrize("inject", ["both", "always", "references"])
def test_an_engine_harmed_by_logprobs_is_not_injected(start, inject):
    """llama-cpp-python: the proxy never injects streams, and a primary's requests only if the configuration says so."""
    primary, reference = (start.scripted(lambda raw, seen: respond(raw, {
        "choices": [{"index": 0, "message": {"content": "fine"}, "logprobs": None, "finish_reason": "stop"}]})) for _ in range(2))
    proxy = start.proxy(None, workers="1", config=LLAMA.format(primary=primary.url, reference=reference.url, dialect="llama-cpp-python", inject=inject))
    for stream in (False, False, False, True, True, True):
        post(proxy.port, PATHS["chat"], chat(stream=stream))
    proxy.settled(6)

    def asked(engine, stream):
        return [b'"logprobs"' in seen.body for seen in engine.seen if (b'"stream": true' in seen.body) == stream]
    assert asked(primary, False) == [False] + 2 * [inject == "always"]
    assert asked(primary, True) == 3 * [False]
    assert asked(reference, False) == 3 * [True] and asked(reference, True) == 3 * [False]
    said = "The proxy requests no logprobs of prod, because with them it takes 5 to 20 times as long" in proxy.log()
    assert said == (inject == "both")


@pytest.mark.slow
@pytest.mark.long
def test_copies_that_wait_for_minutes_are_logged_with_a_cause(start):
    def slowly(raw, seen):
        time.sleep(32)
        respond(raw, {"choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop"}]})
    engine, reference = start.engine("--seed", "3"), start.scripted(slowly)
    proxy = start.proxy(None, workers="1", config=LLAMA.format(primary=engine.url, reference=reference.url, dialect="plumbline", inject="both"))
    for i in range(4):
        post(proxy.port, PATHS["chat"], chat(f"{i}"))
    wait_for("the warning", lambda: "Copies to ref wait " in proxy.log(), patience=120)
    line = next(line for line in proxy.log().splitlines() if "Copies to ref wait " in line)
    assert "with logprobs it takes 5 to 20 times as long" in line and "logprobs.inject: off" in line
    assert json.loads(line)["max_concurrency"] == 1 and 32 <= json.loads(line)["copy_seconds"] < 64, "not the time of two copies"


def ended(proxy, reason):
    return proxy.metrics()[f'plumbline_injection_ended_total{{reason="{reason}"}}']


def speaks_in_pieces(engine, proxy, i):
    """Request a stream; return whether the engine splits some characters into several tokens."""
    body = chat(f"Tell me about emoji {i}", stream=True, max_tokens=60, temperature=1, seed=i)
    entries = [json.loads(e)["choices"][0].get("logprobs") for e in events(post(engine.port, PATHS["chat"], {**body, "logprobs": True})[2]) if e[:1] == b"{"]
    if not any("�" in t["token"] for entry in entries if entry for t in entry["content"]):
        return False
    post(proxy.port, PATHS["chat"], body)
    return True


@pytest.mark.parametrize("of", ["primary", "reference"])
def test_an_engine_that_loses_characters_is_not_injected_again(start, of):
    harmed, sound = start.engine("--seed", "3", "--fault", "lose-characters"), start.engine("--seed", "3")
    primary, reference = (harmed, sound) if of == "primary" else (sound, harmed)
    proxy = start.proxy(primary.url, reference=reference.url, workers="1")
    post(proxy.port, PATHS["chat"], chat(stream=True))
    assert any(speaks_in_pieces(harmed, proxy, i) for i in range(200))
    wait_for("the warning", lambda: f"no longer requests logprobs of {of}" in proxy.log())
    assert ended(proxy, "lost") == 1 and "loses characters" in proxy.log()
    proxy.settled(2)
    for i in range(3):
        post(proxy.port, PATHS["chat"], chat(f"{i}", stream=True))
    proxy.settled(5)
    for row in exported(proxy.capture)[2:]:
        for leg in row["legs"]:
            assert ("injected_logprobs" in leg["marks"]) == (leg["backend"] != of)
    assert ended(proxy, "lost") == 1


def ask_many(proxy, n):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: post(proxy.port, PATHS["chat"], chat(f"{i}", stream=True, max_tokens=12)), range(n)))


@pytest.mark.parametrize("slow", [True, False])
def test_an_engine_slowed_by_logprobs_is_not_injected_again(start, slow):
    """Logprobs make answers six times as long, or no longer. A busy machine brings these ratios closer to each other, but not to the limit, 2."""
    engine = start.engine("--seed", "3", "--itl", "3ms", *(["--fault", "slow-logprobs=10"] if slow else []))
    proxy = start.proxy(engine.url, "--max-slowdown", "1", workers="1", plain_share="30%")
    post(proxy.port, PATHS["chat"], chat(stream=True))
    for _ in range(8):
        ask_many(proxy, 50)
        if ended(proxy, "slow"):
            break
    assert ended(proxy, "slow") == slow, proxy.log()
    if slow:
        assert float(re.search(r"answers of primary take ([\d.]+) times as long", proxy.log())[1]) > 2
        assert "it takes longer than logprobs.max_slowdown allows" in proxy.log()
    injected = proxy.metrics()["plumbline_injected_total"]
    ask_many(proxy, 20)
    assert (proxy.metrics()["plumbline_injected_total"] == injected) == slow


def test_the_configuration_can_allow_slowness(start):
    engine = start.engine("--seed", "3", "--itl", "1ms", "--fault", "slow-logprobs=3")
    proxy = start.proxy(engine.url, "--max-slowdown", "off", workers="1", plain_share="50%")
    post(proxy.port, PATHS["chat"], chat(stream=True))
    ask_many(proxy, 200)
    assert ended(proxy, "slow") == 0
