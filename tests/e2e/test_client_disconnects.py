"""Clients that disconnect at difficult moments, and connections that end with unsent bytes."""
import socket
import threading
import time

import pytest

from harness import *


def slow_drain(port, body):
    """A client with a small socket buffer, so that a large answer waits in the proxy."""
    raw = Raw.__new__(Raw)
    raw.socket, raw.got = socket.socket(), bytearray()
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.socket.settimeout(PATIENCE)
    raw.socket.connect(("127.0.0.1", port))
    return raw.send(body)


@pytest.mark.parametrize("answer", ["unary", "chunked", "refused"])
def test_a_disconnect_during_the_answer_ends_the_exchange_once(start, answer):
    gone = threading.Event()

    def script(raw, seen):
        assert gone.wait(PATIENCE)
        if answer == "refused":
            return False
        if answer == "unary":
            respond(raw, b"x" * 200000)
        else:
            raw.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"y" * 1000) + b"0\r\n\r\n")

    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    for n in range(8):
        gone.clear()
        raw = Raw(proxy.port)
        # More than the proxy reads ahead, so it notices the disconnect only when it writes.
        raw.send(request("POST", "/v1/other", b"{}") + request("POST", "/v1/other", b"z" * 400000)[:250000])
        wait_for("the request", lambda: len(engine.seen) == n + 1)
        time.sleep(0.05)
        raw.reset()
        gone.set()
        proxy.settled(completed=n + 1)
    books = proxy.books()["exchanges"]
    assert balances(books) and books["completed"] == 8, books


def test_a_request_with_a_bad_head_gets_one_answer(start):
    engine = start.scripted(lambda raw, seen: respond(raw, b"{}"))
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send("POST /v1/x HTTP/1.1\r\nHost: t\r\nUpgrade: websocket/2\r\nConnection: upgrade\r\n"
                 "Transfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n")
        assert raw.answer()[0] == 501
        assert raw.rest() == b""
    books = proxy.settled(completed=1)["exchanges"]
    assert books["completed"] == 1 and balances(books), books


@pytest.mark.parametrize("how", ["sigterm", "half_close"])
def test_a_started_answer_is_written_completely(start, how):
    def answer(size):
        choice = {"index": 0, "message": {"role": "assistant", "content": "x" * size}, "logprobs": None,
                  "finish_reason": "stop"}
        return json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]},
                          separators=(",", ":")).encode()

    body = answer(6 << 20)
    engine = start.scripted(lambda raw, seen: respond(raw, body if len(engine.seen) > 1 else answer(5)))
    config = "half_close: keep\n" if how == "half_close" else None
    proxy = start.proxy(engine.url, config=config)
    ask = request("POST", "/v1/chat/completions", chat())
    post(proxy.port, "/v1/chat/completions", chat())
    proxy.settled(completed=1)  # the proxy now knows its kind
    raw = slow_drain(proxy.port, ask)
    wait_for("the exchange's end", lambda: proxy.settled(completed=2) and
             proxy.metrics()["plumbline_exchanges_in_flight"] == 0)
    assert b"logprobs" in engine.seen[1].body
    if how == "sigterm":
        proxy.terminate()
    else:
        raw.socket.shutdown(socket.SHUT_WR)
    time.sleep(0.3)
    assert raw.answer()[2] == body
    raw.close()
    if how == "sigterm":
        assert proxy.process.wait(PATIENCE) == 0


def test_a_connection_closes_at_once_after_a_bare_head(start):
    engine = start.scripted(lambda raw, seen: raw.send(b"HTTP/1.1 204 No Content\r\n\r\n"))
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send(request("DELETE", "/v1/x", fields=[("Connection", "close")]))
        assert raw.answer()[0] == 204
        assert raw.rest() == b"", "otherwise it would idle for ten minutes"


def test_a_thousand_pipelined_requests_are_answered_in_order(start):
    engine = start.scripted(lambda raw, seen: respond(raw, seen.target.encode()))
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        sender = threading.Thread(target=raw.send, args=(b"".join(request("GET", f"/{n}") for n in range(1000)),))
        sender.start()
        for n in range(1000):
            assert raw.answer()[2] == b"/%d" % n
        sender.join()


def test_an_early_answer_to_an_unfinished_upload_does_not_spoil_the_next(start):
    def script(raw, seen):
        respond(raw, b"early")
        return False

    engine = start.scripted(script, read_body=False)
    proxy = start.proxy(engine.url)
    for _ in range(5):
        with Raw(proxy.port) as raw:
            raw.send(request("POST", "/v1/x", b"", [("Content-Length", "1000000")]) + b"x" * 1000)
            status, fields, body = raw.answer()
            assert (status, body) == (200, b"early")
            assert raw.rest() == b""


def test_an_interim_answer_may_come_before_the_upload(start):
    def script(raw, seen):
        raw.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        body = raw.exactly(int(seen.low["content-length"]))
        respond(raw, b"%d" % len(body))

    engine = start.scripted(script, read_body=False)
    proxy = start.proxy(engine.url)
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/x", b"", [("Content-Length", "300000")]))
        wait_for("the head", lambda: engine.seen)
        raw.send(b"x" * 300000)
        assert raw.answer()[2] == b"300000"
        assert [status for status, _ in raw.interim] == [103]


@pytest.mark.parametrize("rule", ["cancel", "finish"])
def test_on_client_gone_applies_to_copies(start, rule):
    """One copy runs and one waits when their clients disconnect."""
    hold = threading.Event()

    def hang(raw, seen):
        hold.wait(PATIENCE)
        respond(raw, b'{"choices":[]}')

    primary = start.scripted(lambda raw, seen: hold.wait(PATIENCE) and None)
    reference = start.scripted(hang)
    proxy = start.proxy(primary.url, config=f"""
references:
  - name: trusted
    url: {reference.url}
    max_concurrency: 1
    on_client_gone: {rule}
""")
    gauge = 'plumbline_copies_waiting{reference="trusted"}'
    ask = request("POST", "/v1/chat/completions", chat())
    first = Raw(proxy.port).send(ask)
    wait_for("a copy that runs", lambda: reference.seen)
    second = Raw(proxy.port).send(ask)
    wait_for("a copy that waits", lambda: proxy.metrics()[gauge] == 1)
    second.reset()
    wait_for("its client's end", lambda: proxy.metrics()["plumbline_clients_gone_total"] == 1)
    first.reset()
    if rule == "finish":
        proxy.settled(completed=2, copies=False)
        assert proxy.metrics()[gauge] == 1
        hold.set()
    book = proxy.settled(completed=2, book="trusted")["trusted"]
    hold.set()
    assert book["recorded"] == 2 and balances(book), book
    outcomes = {leg["outcome"] for row in exported(proxy.capture) for leg in row["legs"] if leg["role"] == "reference"}
    assert outcomes == ({"client_gone"} if rule == "cancel" else {"complete"}), outcomes
    assert len(reference.seen) == (1 if rule == "cancel" else 2)


def test_disconnects_during_the_connect_to_the_engine(start):
    """libcurl closes the socket of a failed connect itself, and the kernel reuses its number."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", free_port()))
    listener.listen(0)
    waiting = []
    for _ in range(4):  # the backlog is full: new connections wait
        waiting.append(socket.socket())
        waiting[-1].setblocking(False)
        waiting[-1].connect_ex(listener.getsockname())
    reference = start.engine()
    proxy = start.proxy(f"http://127.0.0.1:{listener.getsockname()[1]}", reference=reference.url)
    for n in range(12):
        raw = Raw(proxy.port).send(request("POST", "/v1/chat/completions", chat()))
        wait_for("the exchange", lambda: proxy.metrics()["plumbline_exchanges_begun_total"] == n + 1)
        time.sleep(0.02)
        raw.reset()
    book = proxy.settled(completed=12)["exchanges"]
    assert book["recorded"] == 12 and balances(book), book
    for sock in [listener, *waiting]:
        sock.close()
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 502


LEAVING = {"close": Raw.close, "half": lambda raw: raw.socket.shutdown(socket.SHUT_WR), "reset": Raw.reset}


def statuses(proxy):
    return {key: value for key, value in proxy.metrics().items() if value and key.startswith("plumbline_requests_total")}


@pytest.mark.parametrize("finish", ["cancel", "finish"])
@pytest.mark.parametrize("how", LEAVING)
def test_a_disconnect_before_the_head_records_no_status(start, how, finish):
    gone = threading.Event()

    def script(raw, seen):
        gone.wait(PATIENCE)
        respond(raw, b"{}")

    engine = start.scripted(script)
    proxy = start.proxy(None, config=f"primary: {{name: p, url: '{engine.url}', on_client_gone: {finish}}}\n")
    raw = Raw(proxy.port).send(request("POST", "/v1/chat/completions", chat()))
    wait_for("the request", lambda: len(engine.seen) == 1)
    LEAVING[how](raw)
    wait_for("the proxy to notice", lambda: proxy.metrics()["plumbline_clients_gone_total"] == 1)
    gone.set()
    proxy.settled(completed=1)
    assert statuses(proxy) == {'plumbline_requests_total{route="chat",status="none"}': 1}


def test_a_disconnect_records_the_status_that_the_client_saw(start):
    gone = threading.Event()

    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"y"))
        gone.wait(PATIENCE)

    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    whole = request("POST", "/v1/chat/completions", chat())
    Raw(proxy.port).send(whole[:-5]).close()
    proxy.settled(completed=1)
    assert statuses(proxy) == {'plumbline_requests_total{route="chat",status="none"}': 1}
    raw = Raw(proxy.port).send(whole)
    raw.until(b"y")
    raw.close()
    proxy.settled(completed=2)
    gone.set()
    assert statuses(proxy) == {'plumbline_requests_total{route="chat",status="none"}': 1, 'plumbline_requests_total{route="chat",status="200"}': 1}
