"""Whatever a reference does, the client sees only the primary."""
import contextlib
import json
import re
import threading
import time

import pytest

from harness import (PATIENCE, SANITIZED, Raw, balances, chat, chunk, completion, exported, free_port, post, request, respond,
                     wait_for)


def answer(text):
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}


def primary(raw, seen):
    respond(raw, answer("primary"))


def hang(raw, seen):
    time.sleep(30)


def flood(raw, seen):
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        raw.send(chunk(b"data: {}\n\n" * 6000))


def reset(raw, seen):
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbeg")
    raw.reset()
    return False


def slow(raw, seen):
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok":
        raw.send(bytes([byte]))
        time.sleep(0.02)


def refuse_all(raw, seen):
    respond(raw, {"error": {"message": "no"}}, "500 Internal Server Error")


def garbage(raw, seen):
    raw.send(b"\x00\xff garbage \r\n\r\n")
    return False


SICK = {"hangs": hang, "floods": flood, "resets": reset, "crawls": slow, "fails": refuse_all, "babbles": garbage, "is not there": None}


@pytest.mark.slow
@pytest.mark.parametrize("how", SICK)
def test_a_reference_that(start, how):
    """A faulty reference changes no byte and no status, and every copy is counted."""
    engine = start.scripted(primary)
    reference = start.scripted(SICK[how]).url if SICK[how] else f"http://127.0.0.1:{free_port()}"
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references:
  - {{name: sick, url: '{reference}', max_concurrency: 4, queue_limit: 64KiB, answer_limit: 1MiB, idle_timeout: 1s, timeout: 2s}}
""")
    expected = json.dumps(answer("primary"), separators=(",", ":")).encode()
    took = []
    with Raw(proxy.port) as raw:      # one kept connection: the next request must not wait for the copy
        for i in range(40):
            begun = time.monotonic()
            raw.send(request("POST", "/v1/chat/completions", chat(f"number {i}")))
            status, fields, body = raw.answer()
            took.append(time.monotonic() - begun)
            assert (status, body) == (200, expected)
    took.sort()
    assert took[len(took) // 2] < 0.5, took       # waiting for the copy would take a second or two
    books = proxy.settled(40, "sick")
    for book in books.values():
        assert balances(book), books
    assert books["exchanges"]["recorded"] == 40
    assert books["sick"]["completed"] == 40


def test_the_copy_is_equal_but_for_credentials(start):
    engine, other = start.scripted(primary), start.scripted(primary)
    proxy = start.proxy(None, env={"TRUSTED_KEY": "sk-reference"}, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references:
  - name: trusted
    url: '{other.url}/other'
    api_key_env: TRUSTED_KEY
    models: {{simulated: trusted-model}}
    unset: [user]
    set: {{seed: 7}}
logprobs: {{inject: 'off'}}
""")
    body = b'{"model": "simulated",  "messages":[{"role":"user","content":"h\\u00e9"}], "user": "me", "temperature": 0.0}'
    secrets = [("Authorization", "Bearer sk-client"), ("Cookie", "session=hush"), ("x-api-key", "sk-x"), ("api-key", "sk-y"),
               ("OpenAI-Organization", "org"), ("Content-Type", "application/json"), ("X-Request-Id", "r-1"), ("X-Own", "kept")]
    assert post(proxy.port, "/v1/chat/completions?api_key=sk-query", body, secrets)[0] == 200
    wait_for("the copy", lambda: other.seen)
    first, copy = engine.seen[0], other.seen[0]
    assert first.body == body and first.low["authorization"] == "Bearer sk-client"
    assert copy.target.startswith("/other/v1/chat/completions")
    assert copy.low["authorization"] == "Bearer sk-reference"
    assert not {"cookie", "x-api-key", "api-key", "openai-organization"} & set(copy.low)
    assert copy.low["x-own"] == "kept" and copy.low["x-request-id"] != "r-1"
    assert "sk-query" not in copy.target
    said = json.loads(copy.body)
    assert said == {"model": "trusted-model", "messages": [{"role": "user", "content": "hé"}], "temperature": 0.0, "seed": 7}
    proxy.settled(1)
    everything = json.dumps(exported(proxy.capture)) + proxy.log()
    for secret in ("sk-client", "hush", "sk-x", "sk-y", "sk-query", "sk-reference"):
        assert secret not in everything
    for file in proxy.capture.iterdir():
        data = file.read_bytes()
        for secret in (b"sk-client", b"hush", b"sk-query", b"sk-reference"):
            assert secret not in data, file


def test_several_references_and_the_primary_again(start):
    engine, other = start.scripted(primary), start.scripted(lambda raw, seen: respond(raw, answer("other")))
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references:
  - {{name: a, url: '{other.url}'}}
  - {{name: b, url: '{other.url}'}}
  - {{name: self, url: '{engine.url}', role: candidate}}
""")
    for i in range(5):
        assert post(proxy.port, "/v1/completions", completion(f"n {i}"))[0] == 200
    books = [proxy.settled(5, name) for name in ("a", "b", "self")][-1]
    assert {name: books[name]["recorded"] for name in books} == {"exchanges": 5, "a": 5, "b": 5, "self": 5}
    assert (len(engine.seen), len(other.seen)) == (10, 10)
    rows = exported(proxy.capture)
    assert sorted(leg["backend"] for leg in rows[0]["legs"]) == ["a", "b", "prod", "self"]


@pytest.mark.parametrize("what,reason", [("get", "method"), ("route", "endpoint"), ("store", "stateful"), ("background", "stateful"),
                                         ("previous", "stateful"), ("multipart", "multipart")])
def test_requests_without_copies_are_counted_by_reason(start, what, reason):
    engine, other = start.scripted(primary), start.scripted(primary)
    proxy = start.proxy(engine.url, reference=other.url)
    body = {"store": chat(store=True), "background": chat(background=True), "previous": chat(previous_response_id="r")}.get(what, chat())
    if what == "get":
        with Raw(proxy.port) as raw:
            raw.send(request("GET", "/v1/chat/completions"))
            raw.answer()
    elif what == "multipart":
        post(proxy.port, "/v1/chat/completions", b"--b--", [("Content-Type", "multipart/form-data; boundary=b")])
    else:
        post(proxy.port, "/v1/embeddings" if what == "route" else "/v1/chat/completions", body)
    books = proxy.settled(1)
    assert books["reference"]["excluded"][reason] == 1, books
    assert balances(books["reference"]) and balances(books["exchanges"])
    assert not other.seen


def test_shares_are_nested_and_keep_sessions_together(start):
    def text(seen):
        return json.loads(seen.body)["messages"][-1]["content"]
    engine = start.scripted(primary)
    kept = {}
    for share in ("20%", "60%"):
        other = start.scripted(primary)
        proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references:
  - name: r
    url: '{other.url}'
    sample: {{share: {share}, by: session, salt: pepper, session_key: ['header:x-session-id', 'body:user']}}
capture: {{record: all}}
""")
        for i in range(120):
            where = [("X-Session-Id", f"s{i % 40}")] if i % 2 else []
            post(proxy.port, "/v1/chat/completions", chat(f"{i % 40}", user=f"s{i % 40}"), where)
        books = proxy.settled(120, "r")
        assert books["r"]["recorded"] + books["r"]["excluded"]["not_sampled"] == 120
        by_session = {}
        for seen in other.seen:
            by_session[text(seen)] = by_session.get(text(seen), 0) + 1
        assert set(by_session.values()) == {3}, "a session was split"
        kept[share] = set(by_session)
    assert kept["20%"] < kept["60%"]
    assert 1 <= len(kept["20%"]) <= 18 and 12 <= len(kept["60%"]) <= 36


def test_max_rate_limits_the_copies(start):
    engine, other = start.scripted(primary), start.scripted(primary)
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references: [{{name: r, url: '{other.url}', sample: {{share: 100%, max_rate: 5/s}}}}]
""")
    begun = time.monotonic()
    with Raw(proxy.port) as raw:
        for i in range(60):
            raw.send(request("POST", "/v1/chat/completions", chat(f"{i}")))
            raw.answer()
    books = proxy.settled(60, "r")
    allowed = 5 + 5 * (time.monotonic() - begun) + 1
    assert 1 <= books["r"]["recorded"] <= allowed
    assert books["r"]["excluded"]["rate"] == 60 - books["r"]["recorded"]


def test_copies_beyond_the_limits_are_dropped_and_counted(start):
    engine = start.scripted(primary)
    release = threading.Event()

    def wait(raw, seen):
        release.wait(PATIENCE)
        respond(raw, answer("late"))
    other = start.scripted(wait)
    proxy = start.proxy(None, workers="1", config=f"""
primary: {{name: prod, url: '{engine.url}'}}
references: [{{name: r, url: '{other.url}', max_concurrency: 2, queue_limit: 4KiB}}]
""")
    for i in range(30):
        post(proxy.port, "/v1/chat/completions", chat("x" * 1000 + str(i)))
    wait_for("exchanges", lambda: proxy.books()["exchanges"]["recorded"] == 30)
    wait_for("two copies", lambda: len(other.seen) >= 2)
    assert len(other.seen) == 2
    release.set()
    books = proxy.settled(30, "r")
    dropped = sum(books["r"]["dropped"].values())
    assert balances(books["r"]) and books["r"]["recorded"] + dropped == 30
    assert 3 <= books["r"]["recorded"] <= 8 and dropped >= 22


def test_a_client_that_leaves_does_not_end_the_copy(start):
    left = threading.Event()

    def stream(raw, pause):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(12):
            raw.send(chunk(b'data: {"choices":[{"index":0,"delta":{"content":"w%d "},"finish_reason":%s}]}\n\n' % (i, b'"stop"' if i == 11 else b"null")))
            if i == 2:
                pause()
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    def served(raw, seen):
        """Go on only when the proxy has closed the connection."""
        def closed():
            raw.socket.settimeout(PATIENCE)
            with contextlib.suppress(OSError):
                raw.socket.recv(1)
            left.set()
        stream(raw, closed)
    engine = start.scripted(served)
    other = start.scripted(lambda raw, seen: stream(raw, lambda: left.wait(PATIENCE)))
    proxy = start.proxy(engine.url, reference=other.url)
    raw = Raw(proxy.port)
    raw.send(request("POST", "/v1/chat/completions", chat(stream=True)))
    raw.until(b"w2 ")
    raw.reset()
    proxy.settled(1, "reference")
    legs = {leg["backend"]: leg for leg in exported(proxy.capture)[0]["legs"]}
    assert legs["primary"]["outcome"] == "client_gone"
    assert legs["reference"]["outcome"] == "complete"
    assert "w11" in json.dumps(legs["reference"])


def test_a_restarted_reference_is_used_again(start):
    engine = start.scripted(primary)
    port = free_port()
    proxy = start.proxy(engine.url, reference=f"http://127.0.0.1:{port}")
    post(proxy.port, "/v1/chat/completions", chat("dead"))
    proxy.settled(1, "reference")
    start.engine(port=port)
    post(proxy.port, "/v1/chat/completions", chat("alive"))
    proxy.settled(2, "reference")
    outcomes = [leg["outcome"] for row in exported(proxy.capture) for leg in row["legs"] if leg["backend"] == "reference"]
    assert outcomes == ["refused", "complete"]
