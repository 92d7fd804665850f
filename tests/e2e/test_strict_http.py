"""Ambiguous HTTP is refused and not forwarded. An engine's wrong bytes never reach another request."""
import json
import time

import pytest

from harness import TRANSPORT, Raw, chat, chunk, free_port, post, request, respond, wait_for

HOSTILE = {
    "CL and TE": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "TE and CL": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
    "two CLs": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
    "CL list": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 5, 5\r\n\r\nhello", 400),
    "signed CL": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: +5\r\n\r\nhello", 400),
    "hex CL": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 0x5\r\n\r\nhello", 400),
    "huge CL": ("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n", (400, 413)),
    "TE twice": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "TE xchunked": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", (400, 501)),
    "TE identity, chunked": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", (400, 501)),
    "TE on 1.0": ("POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "fold": ("GET /x HTTP/1.1\r\nHost: t\r\nX-A: 1\r\n Content-Length: 5\r\n\r\n", 400),
    "bare LF": ("GET /x HTTP/1.1\nHost: t\n\n", 400),
    "bare LF at the end": ("GET /x HTTP/1.1\r\nHost: t\r\n\n", 400),
    "bare CR": ("GET /x HTTP/1.1\r\nHost: t\r\nX-A: b\rContent-Length: 5\r\n\r\n", 400),
    "NUL": ("GET /x HTTP/1.1\r\nHost: t\r\nX-A: b\0c\r\n\r\n", 400),
    "space before colon": ("GET /x HTTP/1.1\r\nHost: t\r\nX-A : b\r\n\r\n", 400),
    "empty name": ("GET /x HTTP/1.1\r\nHost: t\r\n: b\r\n\r\n", 400),
    "no host": ("GET /x HTTP/1.1\r\nX-A: b\r\n\r\n", 400),
    "two hosts": ("GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    "bad chunk size": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", 400),
    "signed chunk size": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", 400),
    "chunk without CRLF": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n", 400),
    "endless extension": ("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5;" + "e" * 9000 + "\r\nhello\r\n0\r\n\r\n", (400, 413)),
    "oversize head": ("GET /x HTTP/1.1\r\nHost: t\r\nX-A: " + "b" * 70000 + "\r\n\r\n", 431),
    "too many fields": ("GET /x HTTP/1.1\r\nHost: t\r\n" + "A: b\r\n" * 300 + "\r\n", 431),
    "CONNECT": ("CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", (400, 405, 501)),
    "absolute target": ("GET http://other/x HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    "version 2.0": ("GET /x HTTP/2.0\r\nHost: t\r\n\r\n", (400, 505)),
    "version 0.9": ("GET /x\r\n\r\n", 400),
    "PRI": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505)),
    "not HTTP": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_is_refused_and_never_forwarded(start, name):
    text, expected = HOSTILE[name]
    reached = []
    engine = start.scripted(lambda raw, seen: (reached.append(seen), respond(raw, b"no"))[1])
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send(text.encode("latin1") + b"GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n")
        status, fields, body = raw.answer()
        assert status in (expected if isinstance(expected, tuple) else (expected,))
        assert "message" in json.loads(body)["error"]
        assert raw.rest() == b"", "the connection was not closed"
    time.sleep(0.05)
    assert all(seen.target == "/x" for seen in reached), "smuggled"
    # A broken upload may have started at the engine, but no complete request may arrive.
    assert not any(seen.body for seen in reached)


AMBIGUOUS = {
    "CL and TE": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "two CLs": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "bad CL": b"HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
    "fold": b"HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 2\r\n\r\nok",
    "bare CR": b"HTTP/1.1 200 OK\r\nX-A: b\rX-B: c\r\nContent-Length: 2\r\n\r\nok",
    "bare LF": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "not HTTP": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "0.9": b"<html>hello</html>",
    "oversize head": b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 90000 + b"\r\n\r\n",
    "closed at once": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguous_answer_becomes_502(start, name):
    def script(raw, seen):
        raw.send(AMBIGUOUS[name])
        return False
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/chat/completions", chat()))
        status, fields, body = raw.answer()
        assert status == 502
        assert json.loads(body)["error"]["type"] == "proxy_error"
    assert proxy.settled(1)["exchanges"]["recorded"] == 1


def test_an_engine_that_refuses_connections_gives_502(start):
    proxy = start.proxy(f"http://127.0.0.1:{free_port()}")
    status, fields, body = post(proxy.port, "/v1/chat/completions", chat())
    assert status == 502 and json.loads(body)["error"]["type"] == "proxy_error"
    assert proxy.settled(1)["exchanges"]["recorded"] == 1


def test_a_silent_engine_gives_504(start):
    engine = start.scripted(lambda raw, seen: time.sleep(300))
    proxy = start.proxy(None, config=f"primary: {{name: p, url: '{engine.url}', idle_timeout: 300ms}}\n")
    begun = time.monotonic()
    status, fields, body = post(proxy.port, "/v1/chat/completions", chat())
    assert status == 504 and json.loads(body)["error"]["type"] == "proxy_error"
    assert 0.25 < time.monotonic() - begun < 30


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_a_broken_answer_is_never_terminated_properly(start, framing):
    def script(raw, seen):
        if framing == "length":
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        else:
            raw.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"only this"))
        time.sleep(0.1)
        return False
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/chat/completions", chat(stream=True)))
        raw.until(b"\r\n\r\n")
        rest = raw.rest()
    assert b"only this" in rest
    assert not rest.endswith(b"0\r\n\r\n")


def test_a_late_second_response_never_reaches_the_next_request(start):
    """The engine answers, and a moment later sends another answer on the idle connection."""
    late = []

    def script(raw, seen):
        if seen.target == "/first":
            respond(raw, b"first")
            time.sleep(0.1)
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
            late.append(1)
        else:
            respond(raw, b"second")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for i in range(5):
        assert post(proxy.port, "/first", b"x")[2] == b"first"
        wait_for("the late answer", lambda: len(late) > i)
        if TRANSPORT == "auto":
            wait_for("the proxy to notice it", lambda: proxy.metrics()["plumbline_desynchronised_total"] > i)
        else:
            time.sleep(0.25)
        assert post(proxy.port, "/second", b"x")[2] == b"second"


def test_bytes_after_an_answer_never_reach_the_next_request(start):
    def script(raw, seen):
        if seen.target == "/first":
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirstHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
        else:
            respond(raw, b"second")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(5):
        assert post(proxy.port, "/first", b"x")[2] == b"first"
        assert post(proxy.port, "/second", b"x")[2] == b"second"


def test_dropped_idle_connections_are_invisible_to_clients(start):
    def script(raw, seen):
        respond(raw, b"ok")
        return len(seen.target) < 4     # /drop closes after its answer
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    for i in range(20):
        assert post(proxy.port, "/drop" if i % 2 else "/k", b"x")[2] == b"ok"


def test_an_early_refusal_of_a_large_upload_is_relayed(start):
    def script(raw, seen):
        respond(raw, b'{"error":"too large"}', "413 Payload Too Large")
        time.sleep(5)
        return False
    proxy = start.proxy(start.scripted(script, read_body=False).url)
    with Raw(proxy.port) as raw:
        raw.send(b"POST /v1/files HTTP/1.1\r\nHost: t\r\nContent-Length: 50000000\r\n\r\n" + b"x" * 200_000)
        assert raw.answer()[0] == 413


def test_requests_with_broken_json_pass_untouched(start):
    def script(raw, seen):
        respond(raw, {"error": {"message": "bad json"}}, "400 Bad Request")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    body = b'{"model": "x", "messages": ['
    assert post(proxy.port, "/v1/chat/completions", body, [("Content-Type", "application/json")])[0] == 400
    assert engine.seen[0].body == body
    wait_for("the record", lambda: proxy.books()["exchanges"]["recorded"] == 1)


BODILESS = {
    "HEAD with a length": ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"),
    "HEAD with chunks": ("HEAD", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "HEAD without framing": ("HEAD", b"HTTP/1.1 200 OK\r\n\r\n"),
    "204 with a length": ("GET", b"HTTP/1.1 204 No Content\r\nContent-Length: %d\r\n\r\n"),
    "304 with a length": ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: %d\r\n\r\n"),
}
EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"


@pytest.mark.parametrize("name", BODILESS)
def test_a_late_body_without_permission_reaches_nobody(start, name):
    """The engine sends the announced body only after the next request, so the proxy cannot see it before."""
    method, head = BODILESS[name]

    def script(raw, seen):
        if seen.target == "/first":
            raw.send(head.replace(b"%d", str(len(EVIL)).encode()))
            raw.owes = True
        elif getattr(raw, "owes", False):
            raw.send(EVIL)
        else:
            respond(raw, {"answer": "good"})
    proxy = start.proxy(start.scripted(script).url)
    with Raw(proxy.port) as raw:
        raw.send(request(method, "/first"))
        assert raw.answer(head_only=True)[0] in (200, 204, 304)
        for i in range(3):
            raw.send(request("POST", "/v1/chat/completions", chat()))
            status, _, body = raw.answer()
            assert (status, json.loads(body)) == (200, {"answer": "good"})


@pytest.mark.parametrize("name", [*BODILESS, "GET"])
def test_bytes_after_an_answer_end_the_connection(start, name):
    method, head = {**BODILESS, "GET": ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}[name]

    def script(raw, seen):
        if seen.target == "/first":
            raw.send(head.replace(b"%d", str(len(EVIL)).encode()) + EVIL)
            return raw.more() and False     # until the proxy closes
        respond(raw, {"answer": "good"})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    for i in range(3):
        with Raw(proxy.port) as raw:
            raw.send(request(method, "/first"))
            assert raw.answer(head_only=True)[0] in (200, 204, 304)
            raw.send(request("POST", "/v1/chat/completions", chat()))
            status, _, body = raw.answer()
            assert (status, json.loads(body)) == (200, {"answer": "good"})
    if TRANSPORT == "auto":
        wait_for("a count of three", lambda: proxy.metrics()["plumbline_desynchronised_total"] == 3)
