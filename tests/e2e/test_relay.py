"""Clients get exactly what the primary sends, when it sends it."""
import json
import socket
import threading
import time

import pytest

from harness import (CANCEL_LIMIT, PATIENCE, SANITIZED, Raw, chat, chunk, events, get, post, request, respond, wait_for)

BODIES = [b"", b"x", b'{"a": 1}\n', bytes(range(256)) * 300]


def echo(raw, seen):
    respond(raw, {"method": seen.method, "target": seen.target, "fields": seen.fields, "body": seen.body.decode("latin1")})


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
@pytest.mark.parametrize("target", ["/", "/v1/models", "//v1//x/../y?q=%7e{}|&key", "/v1/chat/completions/"])
def test_any_method_and_path_arrive_verbatim(start, method, target):
    engine = start.scripted(echo)
    proxy = start.proxy(engine.url)
    body = b"some bytes" if method not in ("GET", "OPTIONS") else b""
    with Raw(proxy.port) as raw:
        raw.send(request(method, target, body, [("X-One", "1"), ("X-One", "2"), ("Accept", "a/b")]))
        status, fields, answer = raw.answer()
    assert status == 200
    seen = engine.seen[0]
    assert (seen.method, seen.target, seen.body) == (method, target, body)
    sent = [(n, v) for n, v in seen.fields if n.lower() not in ("host", "content-length")]
    assert sent == [("X-One", "1"), ("X-One", "2"), ("Accept", "a/b")]


def test_a_base_path_is_put_before_the_target(start):
    engine = start.scripted(echo)
    proxy = start.proxy(engine.url + "/base/")
    assert post(proxy.port, "/v1/x?y=1", b"z")[0] == 200
    assert engine.seen[0].target == "/base/v1/x?y=1"


@pytest.mark.parametrize("status", ["201 Created", "301 Moved Permanently", "404 Not Found", "418 I'm a teapot", "429 Too Many Requests",
                                    "500 Internal Server Error", "599 Whatever It Was"])
def test_any_status_is_relayed_with_reason_and_fields(start, status):
    def script(raw, seen):
        respond(raw, b"body of " + status.encode(), status, [("Retry-After", "7"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("x-CaSe", "Kept")],
                "text/weird; charset=x")
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request("GET", "/x"))
        line = raw.until(b"\r\n")
        raw.got[:0] = line
        got_status, fields, body = raw.answer()
    assert line == b"HTTP/1.1 " + status.encode() + b"\r\n"
    assert body == b"body of " + status.encode()
    assert [f for f in fields if f[0].lower() not in ("content-length", "connection")] == [
        ("Content-Type", "text/weird; charset=x"), ("Retry-After", "7"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("x-CaSe", "Kept")]


@pytest.mark.parametrize("body", BODIES, ids=len)
@pytest.mark.parametrize("how", ["length", "chunked", "close", "http10"])
def test_bodies_arrive_whole_whatever_their_framing(start, body, how):
    def script(raw, seen):
        if how == "length":
            respond(raw, body)
        elif how == "chunked":
            raw.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for at in range(0, len(body), 1000):
                raw.send(chunk(body[at:at + 1000]))
            raw.send(b"0\r\n\r\n")
        else:
            version = b"1.0" if how == "http10" else b"1.1"
            raw.send(b"HTTP/" + version + b" 200 OK\r\nX-A: b\r\n" + (b"" if how == "http10" else b"Connection: close\r\n") + b"\r\n" + body)
            return False
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        for _ in range(2):     # the client's connection stays open, even if the engine's closes
            raw.send(request("POST", "/x", b"q"))
            status, fields, got = raw.answer()
            assert (status, got) == (200, body)
    with Raw(proxy.port) as raw:     # a 1.0 client gets it without chunks until the connection closes
        raw.send(request("POST", "/x", b"q", version="1.0"))
        status, fields, got = raw.answer()
        assert "transfer-encoding" not in {n.lower() for n, v in fields}
        assert (status, got) == (200, body)
        assert raw.rest() == b""


def test_head_204_and_304_have_no_body(start):
    def script(raw, seen):
        if seen.method == "HEAD":
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nX-H: 1\r\n\r\n")
        elif seen.target == "/204":
            raw.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        else:
            raw.send(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nETag: e\r\n\r\n")
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        for _ in range(2):
            raw.send(request("HEAD", "/h"))
            status, fields, _ = raw.answer(head_only=True)
            assert status == 200 and ("Content-Length", "12345") in fields
            raw.send(request("GET", "/204"))
            assert raw.answer()[0] == 204
            raw.send(request("GET", "/304"))
            status, fields, _ = raw.answer()
            assert status == 304 and ("ETag", "e") in fields
        assert not raw.got


def test_interim_answers_are_passed_on(start):
    def script(raw, seen):
        raw.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        raw.send(b"HTTP/1.1 102 Processing\r\n\r\n")
        respond(raw, b"done")
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request("GET", "/x"))
        status, fields, body = raw.answer()
        assert (status, body) == (200, b"done")
        assert raw.interim == [(103, [("Link", "</a>")]), (102, [])]


def test_expect_continue_is_answered_by_us_and_not_forwarded(start):
    engine = start.scripted(echo)
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send("POST /x HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert raw.until(b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        raw.send("hello")
        assert raw.answer()[0] == 200
    assert engine.seen[0].body == b"hello"
    assert "expect" not in engine.seen[0].low


@pytest.mark.parametrize("size", [1, 70_000, 64 << 20])
@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_uploads_of_any_size_are_relayed(start, size, framing):
    if SANITIZED and size > 1 << 20:
        pytest.skip("64 MiB uploads run in the plain build")
    block = bytes(range(251)) * 261     # 65,511 bytes
    total = []

    def script(raw, seen):
        total.append(len(seen.body))
        respond(raw, {"bytes": len(seen.body), "same": seen.body == (block * (size // len(block) + 1))[:size]})
    proxy = start.proxy(start.scripted(script).url)
    data = (block * (size // len(block) + 1))[:size]
    before = proxy.rss()
    with Raw(proxy.port, 60) as raw:
        if framing == "length":
            raw.send(request("POST", "/up", data))
        else:
            raw.send("POST /up HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for at in range(0, size, 100_000):
                raw.send(chunk(data[at:at + 100_000]))
            raw.send(b"0\r\n\r\n")
        status, fields, body = raw.answer()
    assert status == 200 and b'"same":true' in body
    assert total == [size]
    if size > 1 << 20 and not SANITIZED:
        # The recorder may hold its queue, the relay only its windows.
        assert proxy.rss() - before < 160 << 20


def test_keep_alive_and_pipelined_requests_are_answered_in_order(start):
    def script(raw, seen):
        if seen.target == "/slow":
            time.sleep(0.2)
        respond(raw, seen.target.encode())
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        targets = ["/slow", "/a", "/b", "/slow", "/c"] * 3
        raw.send(b"".join(request("POST", t, b"body") for t in targets))
        assert [raw.answer()[2].decode() for _ in targets] == targets


def test_no_event_is_delayed(start):
    """The engine sends an event only after the client has the one before. A proxy that held one would wait for ever."""
    n, arrived = 100, threading.Semaphore(0)

    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(n):
            raw.send(chunk(b"data: {\"n\":%d}\n\n" % i))
            assert arrived.acquire(timeout=PATIENCE)
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/chat/completions", chat(stream=True)))
        raw.until(b"\r\n\r\n")
        for i in range(n):
            assert b'{"n":%d}' % i in raw.until(b"\n\n")
            arrived.release()
        assert b"[DONE]" in raw.until(b"0\r\n\r\n")


def test_event_boundaries_stay_the_engines(start):
    arrived = threading.Semaphore(0)
    pieces = [b": comment\n\n", b"data: a\r\n\r\n", b"event: x\ndata: b\ndata: c\n\n", b"data: d\n", b"\n", b"data: [DONE]\n\n"]

    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in pieces:
            raw.send(chunk(piece))
            assert arrived.acquire(timeout=PATIENCE)    # two that arrive together may be sent together
        raw.send(b"0\r\n\r\n")
    proxy = start.proxy(start.scripted(script).url)
    got = []
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/events", b"{}"))
        raw.until(b"\r\n\r\n")
        while size := int(raw.until(b"\r\n"), 16):
            got.append(raw.exactly(size))
            raw.exactly(2)
            arrived.release()
    assert got == pieces


def test_a_slow_client_does_not_grow_memory(start):
    size = 96 << 20 if not SANITIZED else 24 << 20
    sent = [0]

    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        block = b"z" * 65536
        while sent[0] < size:
            raw.send(block)
            sent[0] += len(block)
    proxy = start.proxy(start.scripted(script).url, capture=None)
    before = proxy.rss()
    with Raw(proxy.port) as raw:
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        raw.send(request("POST", "/big", b"x"))
        raw.until(b"\r\n\r\n")

        def stands():
            held = sent[0]
            time.sleep(0.5)
            return sent[0] == held
        wait_for("backpressure on the engine", stands)
        assert sent[0] < size
        assert proxy.rss() - before < 32 << 20
        got = len(raw.got)
        while got < size:
            got += len(raw.socket.recv(1 << 20))
    assert got == size


def test_a_slow_engine_does_not_grow_memory(start):
    size = 64 << 20 if not SANITIZED else 16 << 20
    go = []

    def script(raw, seen):
        while not go:
            time.sleep(0.01)
        left = size
        while left:
            left -= len(raw.socket.recv(min(left, 1 << 20))) if not raw.got else len(raw.exactly(len(raw.got)))
        respond(raw, b"ok")
    proxy = start.proxy(start.scripted(script, read_body=False).url, capture=None)
    before = proxy.rss()
    with Raw(proxy.port) as raw:
        raw.send(b"PUT /up HTTP/1.1\r\nHost: t\r\nContent-Length: %d\r\n\r\n" % size)
        raw.socket.settimeout(1)
        sent = 0
        block = b"u" * 65536
        try:
            while sent < size:
                sent += raw.socket.send(block[:size - sent])
        except TimeoutError:
            pass
        assert sent < size, "the upload had no backpressure"
        assert proxy.rss() - before < 32 << 20
        go.append(1)
        raw.socket.settimeout(60)
        while sent < size:
            sent += raw.socket.send(block[:size - sent])
        assert raw.answer()[0] == 200


@pytest.mark.parametrize("how", ["reset", "close"])
@pytest.mark.parametrize("when", ["before the answer", "within the stream"])
def test_a_disconnect_cancels_the_primary(start, how, when):
    gone = []

    def script(raw, seen):
        if when == "within the stream":
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"data: {}\n\n"))
        raw.socket.settimeout(2 * PATIENCE)
        try:
            raw.socket.recv(1)
        except OSError:
            pass
        gone.append(time.monotonic())
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    took = []
    while min(took, default=CANCEL_LIMIT) >= CANCEL_LIMIT:      # a busy machine may need several tries
        assert len(took) < 20, took
        raw = Raw(proxy.port)
        raw.send(request("POST", "/v1/chat/completions", chat(stream=True)))
        if when == "within the stream":
            raw.until(b"data: {}\n\n")
        else:
            wait_for("the request", lambda: len(engine.seen) > len(took))
        left = time.monotonic()
        raw.reset() if how == "reset" else raw.close()
        wait_for("the engine to see it", lambda: len(gone) > len(took))
        took.append(gone[-1] - left)
    books = proxy.settled(len(took))
    assert books["exchanges"]["recorded"] == len(took)


def test_half_close_can_be_kept(start):
    def script(raw, seen):
        time.sleep(0.2)
        respond(raw, b"late but here")
    engine = start.scripted(script)
    proxy = start.proxy(None, config=f"half_close: keep\nprimary: {{name: p, url: '{engine.url}'}}\n")
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/x", b"y"))
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.answer()[2] == b"late but here"


def test_on_client_gone_finish_lets_the_engine_finish(start):
    done = []

    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
        time.sleep(0.4)
        raw.send(b"cd")
        time.sleep(0.2)
        raw.socket.setblocking(False)
        try:
            done.append(raw.socket.recv(1) != b"")
        except BlockingIOError:
            done.append(True)     # still open: it was not cancelled
    engine = start.scripted(script)
    proxy = start.proxy(None, config=f"primary: {{name: p, url: '{engine.url}', on_client_gone: finish}}\n")
    raw = Raw(proxy.port)
    raw.send(request("POST", "/v1/completions", b"{}"))
    raw.until(b"\r\n\r\nab")
    raw.reset()
    wait_for("the engine to be done", lambda: done)
    assert done == [True]
    assert proxy.settled(1)["exchanges"]["recorded"] == 1


def test_an_upgrade_to_http_2_is_ignored(start):
    """curl --http2 and Java's HttpClient offer it with each request, also with one that has a body."""
    engine = start.scripted(echo)
    proxy = start.proxy(engine.url)
    offer = [("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA")]
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/chat/completions", chat(), offer) + request("GET", "/v1/models"))
        assert raw.answer()[0] == 200 and raw.answer()[0] == 200
    assert json.loads(engine.seen[0].body) == chat() and len(engine.seen) == 2
    assert not {"upgrade", "http2-settings"} & set(engine.seen[0].low)


def test_hop_by_hop_fields_stay_on_their_hop(start):
    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-End: 2\r\nContent-Length: 2\r\n\r\nok")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send(request("GET", "/x", b"", [("Connection", "keep-alive, X-Mine"), ("X-Mine", "1"), ("TE", "trailers"), ("Proxy-Authorization", "s"), ("X-End", "1")]))
        status, fields, body = raw.answer()
    names = {n.lower() for n, v in fields}
    assert "x-end" in names and not names & {"x-hop", "keep-alive"}
    assert "x-end" in engine.seen[0].low and not set(engine.seen[0].low) & {"x-mine", "te", "proxy-authorization"}


def test_the_simulated_engine_answers_the_same_through_the_proxy(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(engine.url)
    for body in (chat(), chat(stream=True), chat(logprobs=True, top_logprobs=3), chat("Bad", max_tokens="x")):
        straight, through = (post(port, "/v1/chat/completions", body) for port in (engine.port, proxy.port))
        assert straight[0] == through[0]
        import re
        strip = lambda b: re.sub(rb'"(id|created)": ?("[^"]*"|\d+)', b"", b)
        assert strip(straight[2]) == strip(through[2])
    assert get(proxy.port, "/v1/models")[0] == 200
