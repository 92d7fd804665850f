"""Slow clients, and more clients than the limit: each gets the configured time, and other clients notice nothing."""
import contextlib
import os
import resource
import signal
import socket
import subprocess
import time

import pytest

from harness import PATIENCE, WORKERS, Raw, get, post, request, respond, wait_for

# Several workers would change nothing here and take longer.
pytestmark = pytest.mark.skipif(WORKERS != "1", reason="shown with one worker")

# Longer than a busy machine makes a client wait, so that a client of a test is late only where it means to be.
SOON = "clients: {head_timeout: 3s, body_timeout: 3s, idle_timeout: 3s, stall_timeout: 3s}"
LEAST = 2.9


def echo(raw, seen):
    respond(raw, seen.body or b"ok")


def proxy_with(start, engine, clients, **more):
    return start.proxy(None, config=f"primary: {{name: p, url: '{engine.url}', poll: off}}\n{clients}\n", poll=None, **more)


def test_a_slow_head_gets_408(start):
    proxy = proxy_with(start, start.scripted(echo), SOON)
    begun = time.monotonic()
    with Raw(proxy.port) as raw:
        raw.send(b"GET / HTTP/1.1\r\nHost: t\r\n")
        with contextlib.suppress(OSError):
            while time.monotonic() - begun < PATIENCE / 2 and not raw.got:
                raw.send(b"X: y\r\n")       # single fields do not extend the limit
                raw.socket.settimeout(0.05)
                with contextlib.suppress(TimeoutError):
                    raw.more()
        assert LEAST < time.monotonic() - begun < PATIENCE / 2
        raw.socket.settimeout(PATIENCE)
        assert raw.answer()[0] == 408
    assert proxy.metrics()["plumbline_client_timeouts_total"] == 1


def test_an_incomplete_body_gets_408(start):
    engine = start.scripted(echo)
    proxy = proxy_with(start, engine, "clients: {body_timeout: 4s}")
    with Raw(proxy.port) as streamed, Raw(proxy.port) as held:
        for raw, target in ((streamed, "/x"), (held, "/v1/chat/completions")):
            raw.send(f"POST {target} HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{")
        for _ in range(20):     # slow, but never silent for four seconds
            time.sleep(0.25)
            begun = time.monotonic()
            streamed.send(b" ")
            held.send(b" ")
        assert streamed.answer()[0] == held.answer()[0] == 408
        assert 3.9 < time.monotonic() - begun < PATIENCE / 2
        assert streamed.rest() == held.rest() == b""
    assert not engine.seen
    wait_for("the books", lambda: proxy.books()["exchanges"]["completed"] == 2)


def test_an_idle_connection_is_closed_without_an_answer(start):
    proxy = proxy_with(start, start.scripted(echo), SOON)
    with Raw(proxy.port) as fresh, Raw(proxy.port) as used:
        begun = time.monotonic()
        used.send(request("GET", "/x"))
        assert used.answer()[0] == 200
        assert used.rest() == fresh.rest() == b""
        assert LEAST < time.monotonic() - begun < PATIENCE / 2


def test_blank_lines_keep_no_connection_open(start):
    proxy = proxy_with(start, start.scripted(echo), SOON)
    begun = time.monotonic()
    with Raw(proxy.port) as raw:
        with contextlib.suppress(OSError, EOFError):
            while time.monotonic() - begun < PATIENCE / 2:
                raw.send(b"\r\n")
                raw.socket.settimeout(0.05)
                with contextlib.suppress(TimeoutError):
                    if not raw.more():
                        break
        assert LEAST < time.monotonic() - begun < PATIENCE / 2 and not raw.got


def test_without_limits_a_connection_may_idle(start):
    proxy = proxy_with(start, start.scripted(echo), "clients: {head_timeout: 0, body_timeout: 0, idle_timeout: 0, stall_timeout: 0}")
    with Raw(proxy.port) as idle, Raw(proxy.port) as half:
        half.send(b"GET / HTTP/1.1\r\nHo")
        time.sleep(1.5)
        half.send(b"st: t\r\n\r\n")
        assert half.answer()[0] == 200
        idle.send(request("GET", "/x"))
        assert idle.answer()[0] == 200


def test_a_request_that_the_proxy_has_not_read_yet_is_answered(start):
    """The proxy gets no processor time for longer than idle_timeout, and a request arrives meanwhile."""
    proxy = proxy_with(start, start.scripted(echo), SOON)
    with Raw(proxy.port) as raw:
        raw.send(request("GET", "/x"))
        assert raw.answer()[0] == 200
        proxy.process.send_signal(signal.SIGSTOP)
        raw.send(request("GET", "/x"))
        time.sleep(3.5)
        proxy.process.send_signal(signal.SIGCONT)
        assert raw.answer()[0] == 200


def silent_reader(port, target):
    """A client with small buffers that sends a request and reads nothing."""
    raw = Raw.__new__(Raw)
    raw.socket, raw.got = socket.socket(), bytearray()
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.socket.settimeout(PATIENCE)
    raw.socket.connect(("127.0.0.1", port))
    raw.send(request("GET", target))
    return raw


@pytest.mark.parametrize("last", [True, False], ids=["its last answer", "an answer under way"])
def test_a_client_that_reads_nothing_is_disconnected(start, last):
    """With a complete and an incomplete answer of the engine."""
    size = 8 << 20

    def script(raw, seen):
        if seen.target != "/big":
            return respond(raw, b"ok")
        if last:
            raw.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size)
        else:
            raw.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                raw.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        return False
    # The last answer fits the window: the exchange ends long before the client has read it.
    proxy = proxy_with(start, start.scripted(script), "clients: {stall_timeout: 1s}\nrelay_window: 16MiB")
    begun = time.monotonic()
    raw = silent_reader(proxy.port, "/big")
    wait_for("the time limit", lambda: proxy.metrics()["plumbline_client_timeouts_total"] == 1)
    assert 0.9 < time.monotonic() - begun
    wait_for("the connection's end", lambda: proxy.metrics()["plumbline_connections"] == 0)
    wait_for("the memory to be given back", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0)
    raw.close()


def test_a_slow_reader_is_not_disconnected(start):
    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6000000\r\n\r\n" + b"x" * 6_000_000)
    proxy = proxy_with(start, start.scripted(script), "clients: {stall_timeout: 5s}")
    raw = silent_reader(proxy.port, "/big")
    raw.until(b"\r\n\r\n")
    got = len(raw.take(len(raw.got)))
    begun = time.monotonic()
    while time.monotonic() - begun < 7:     # longer than stall_timeout
        got += len(raw.exactly(4096))
        time.sleep(0.1)
    got += len(raw.exactly(6_000_000 - got))
    assert not raw.got
    raw.close()


def test_clients_over_the_limit_wait(start):
    proxy = proxy_with(start, start.scripted(echo), "clients: {limit: 5}", workers="1")
    assert proxy.metrics()["plumbline_connections_limit"] == 5
    wait_for("no connections", lambda: proxy.metrics()["plumbline_connections"] == 0)
    inside = [Raw(proxy.port) for _ in range(5)]
    wait_for("five connections", lambda: proxy.metrics()["plumbline_connections"] == 5)
    outside = [Raw(proxy.port).send(request("GET", f"/{i}")) for i in range(3)]
    time.sleep(0.3)
    for raw in outside:
        raw.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            raw.more()
        raw.socket.settimeout(PATIENCE)
    for raw in inside:
        raw.send(request("GET", "/in"))
        assert raw.answer()[0] == 200
    for raw in inside[:3]:
        raw.close()
    assert all(raw.answer()[0] == 200 for raw in outside)
    figures = proxy.metrics()
    assert figures["plumbline_connections"] == 5 and figures["plumbline_accept_pauses_total"] >= 1
    for raw in inside[3:] + outside:
        raw.close()


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def prlimit(pid, soft):
    subprocess.run(["prlimit", f"--pid={pid}", f"--nofile={soft}:"], check=True)


def test_new_clients_wait_for_descriptors(start):
    proxy = proxy_with(start, start.scripted(echo), "")
    hard = resource.prlimit(proxy.pid, resource.RLIMIT_NOFILE)[1]
    inside = [Raw(proxy.port) for _ in range(20)]
    wait_for("the connections", lambda: proxy.metrics()["plumbline_connections"] >= 20)
    for raw in inside:
        raw.send(request("GET", "/in"))
        assert raw.answer()[0] == 200
    prlimit(proxy.pid, descriptors(proxy.pid))      # no more
    outside = [Raw(proxy.port).send(request("GET", "/out")) for _ in range(20)]
    time.sleep(0.5)
    for raw in inside:      # their connections to the engine are already open
        raw.send(request("GET", "/in"))
        assert raw.answer()[0] == 200
    prlimit(proxy.pid, hard)
    for raw in outside:
        assert raw.answer()[0] == 200
        raw.close()
    for raw in inside:
        raw.close()
    assert "New clients must wait" in proxy.log()
    assert get(proxy.port, "/after")[0] == 200


def test_a_low_descriptor_limit_reserves_half_for_the_engine(start):
    proxy = proxy_with(start, start.scripted(echo), "", prefix=["prlimit", "--nofile=200:200"])
    assert proxy.metrics()["plumbline_connections_limit"] == (200 - 64) * 7 // 8
    crowd = [Raw(proxy.port).send(request("POST", "/x", b"hello")) for _ in range(300)]
    answered = 0
    for raw in crowd:       # accepted clients get answers; each disconnect admits one more
        assert raw.answer()[2] == b"hello"
        raw.close()
        answered += 1
    assert answered == 300
    assert post(proxy.port, "/x", b"after")[2] == b"after"
