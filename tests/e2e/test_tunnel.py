"""Upgrade: websocket passes through unchanged and cannot smuggle requests."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import time

import pytest

from harness import PATIENCE, SANITIZED, TRANSPORT, Raw, accepts, balances, chat, post, request, respond, wait_for

HERE = pathlib.Path(__file__).parent
PYTHON = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "build/sdks")).absolute() / "python" / "bin" / "python"
ASK = ("GET /v1/realtime HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
SMUGGLED = b"POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n{}"

pytestmark = pytest.mark.skipif(TRANSPORT == "curl", reason="libcurl does not tunnel")


def scripted(start, script, **settings):
    """Return (engine with this script, proxy)."""
    engine = start.scripted(script)
    more = "".join(f"{key}: {value}\n" for key, value in settings.items())
    return engine, start.proxy(None, config=f"primary: {{name: prod, url: '{engine.url}'}}\n{more}")


def opened(proxy):
    raw = Raw(proxy.port)
    raw.send(ASK)
    assert raw.until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")
    return raw


def upper(raw, seen):
    raw.send(SWITCH)
    while raw.more():
        raw.send(raw.take(len(raw.got)).upper())
    return False


def has_websockets():
    return PYTHON.exists() and subprocess.run([PYTHON, "-c", "import websockets.asyncio.client"], capture_output=True).returncode == 0


def test_a_real_client_talks_to_a_real_server(start):
    if not has_websockets():
        pytest.skip("the library websockets is not installed")
    server = subprocess.Popen([PYTHON, HERE / "sdk/websocket.py", "serve"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        proxy = start.proxy(f"http://127.0.0.1:{port}")
        done = subprocess.run([PYTHON, HERE / "sdk/websocket.py", "talk", str(proxy.port)], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr[-3000:]
        assert json.loads(done.stdout) == {"accepted": 101, "hello": "hello", "big": True, "streamed": True, "close": [4001, "as asked"], "many": True}
        books = proxy.settled(21)["exchanges"]
        metrics = proxy.metrics()
        assert metrics["plumbline_tunnels_total"] == 21 and metrics["plumbline_tunnels"] == 0
        assert balances(books) and books["recorded"] == 0 and books["excluded"]["endpoint"] == 21
    finally:
        server.kill()
        server.wait()


def test_heads_are_rebuilt_and_bytes_pass(start):
    engine, proxy = scripted(start, upper)
    with opened(proxy) as raw:
        raw.send(b"hello")
        assert raw.exactly(5) == b"HELLO"
        raw.send(SMUGGLED)
        assert raw.exactly(len(SMUGGLED)) == SMUGGLED.upper()
        assert proxy.metrics()["plumbline_tunnels"] == 1
    seen, = engine.seen
    assert [value for name, value in seen.fields if name.lower() == "upgrade"] == ["websocket"]
    assert [value.lower() for name, value in seen.fields if name.lower() == "connection"] == ["upgrade"]
    assert seen.low["sec-websocket-key"] and "content-length" not in seen.low and "transfer-encoding" not in seen.low
    wait_for("the tunnel to end", lambda: proxy.metrics()["plumbline_tunnels"] == 0)


def test_bytes_after_the_101_reach_the_client(start):
    def script(raw, seen):
        raw.send(SWITCH + b"\x81\x05first")
        raw.more()
        return False
    _, proxy = scripted(start, script)
    with opened(proxy) as raw:
        assert raw.exactly(7) == b"\x81\x05first"


def test_what_is_sent_before_the_101_waits_for_it(start):
    def script(raw, seen):
        time.sleep(0.3)
        early.append(bytes(raw.got))
        raw.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            early.append(raw.socket.recv(100))
        raw.socket.setblocking(True)
        return upper(raw, seen)
    early = []
    _, proxy = scripted(start, script)
    with Raw(proxy.port) as raw:
        raw.send(ASK.encode() + b"early")
        assert raw.until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")
        assert raw.exactly(5) == b"EARLY"
    assert early == [b""]


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "426 Upgrade Required", "503 Service Unavailable"])
def test_a_refused_upgrade_ends_the_connection(start, status):
    engine, proxy = scripted(start, lambda raw, seen: respond(raw, {"refused": True}, status))
    with Raw(proxy.port) as raw:
        raw.send(ASK.encode() + SMUGGLED)
        got, fields, body = raw.answer()
        assert f"{got}" == status[:3] and json.loads(body) == {"refused": True}
        assert ("Connection", "close") in fields and raw.rest() == b""
    assert len(engine.seen) == 1
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == int(status[:3])
    assert len(engine.seen) == 2 and engine.seen[1].method == "POST"


WRONG_SWITCHES = {
    "no Upgrade": b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n",
    "no Connection": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    "two protocols": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    "a length": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.0": b"HTTP/1.0 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "a fold": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n x\r\nConnection: Upgrade\r\n\r\n",
}


@pytest.mark.parametrize("name", WRONG_SWITCHES)
def test_an_invalid_101_becomes_502(start, name):
    def script(raw, seen):
        raw.send(WRONG_SWITCHES[name])
        raw.more()
        return False
    _, proxy = scripted(start, script)
    with Raw(proxy.port) as raw:
        raw.send(ASK)
        assert raw.answer()[0] == 502
    assert proxy.metrics()["plumbline_tunnels_total"] == 0


def test_an_unrequested_101_becomes_502(start):
    def script(raw, seen):
        raw.send(SWITCH + b"tunnel")
        raw.more()
        return False
    _, proxy = scripted(start, script)
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 502


HEAD = "GET /v1/realtime HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
WRONG_ASKS = {
    "a list": (HEAD + "Upgrade: websocket, h2c\r\n\r\n", 501),
    "two fields": (HEAD + "Upgrade: websocket\r\nUpgrade: h2c\r\n\r\n", 501),
    "a version": (HEAD + "Upgrade: websocket/13\r\n\r\n", 501),
    "a length": (HEAD + "Upgrade: websocket\r\nContent-Length: 5\r\n\r\nhello", 400),
    "a length of none": (HEAD + "Upgrade: websocket\r\nContent-Length: 0\r\n\r\n", 400),
    "chunks": (HEAD + "Upgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 400),
    "POST": ((HEAD + "Upgrade: websocket\r\n\r\n").replace("GET", "POST"), 400),
    "HTTP/1.0": ((HEAD + "Upgrade: websocket\r\n\r\n").replace("HTTP/1.1", "HTTP/1.0"), 400),
    "no key": ((HEAD + "Upgrade: websocket\r\n\r\n").replace("Key", "Kez"), 400),
}


@pytest.mark.parametrize("name", WRONG_ASKS)
def test_an_invalid_upgrade_never_reaches_the_engine(start, name):
    text, status = WRONG_ASKS[name]
    engine, proxy = scripted(start, upper)
    with Raw(proxy.port) as raw:
        raw.send(text.encode() + SMUGGLED)
        assert raw.answer()[0] == status
        assert raw.rest() == b""
    assert not engine.seen


def test_each_side_may_end_before_the_other(start):
    def script(raw, seen):
        raw.send(SWITCH)
        while raw.more():
            pass
        time.sleep(0.2)     # the client has closed its side and still gets an answer
        raw.send(b"got " + bytes(raw.got))
        return False
    _, proxy = scripted(start, script)
    with opened(proxy) as raw:
        raw.send(b"all of it")
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.rest() == b"got all of it"

    def leave(raw, seen):
        raw.send(SWITCH + b"bye" * 100000)
        return False
    _, proxy = scripted(start, leave)
    with opened(proxy) as raw:
        time.sleep(0.2)
        assert raw.rest() == b"bye" * 100000


def test_an_end_before_the_101_is_no_tunnel(start):
    def script(raw, seen):
        raw.send(SWITCH[:40])
        return False
    _, proxy = scripted(start, script)
    with Raw(proxy.port) as raw:
        raw.send(ASK)
        assert raw.answer()[0] == 502


def test_an_idle_tunnel_is_closed(start):
    def script(raw, seen):
        raw.send(SWITCH)
        for _ in range(12):
            time.sleep(0.4)
            raw.send(b".")
        raw.more()
        return False
    _, proxy = scripted(start, script, clients="{idle_timeout: 4s}")
    begun = time.monotonic()
    with opened(proxy) as raw:
        assert raw.exactly(12) == b"." * 12
        assert raw.rest() == b""
        assert 12 * 0.4 + 3.9 < time.monotonic() - begun < PATIENCE
    assert proxy.metrics()["plumbline_client_timeouts_total"] == 1


def test_a_blocked_side_applies_backpressure(start):
    def script(raw, seen):
        raw.send(SWITCH)
        raw.socket.settimeout(2)
        with contextlib.suppress(OSError):
            while True:
                raw.send(b"x" * 65536)
                sent.append(65536)
        return False
    sent = []
    _, proxy = scripted(start, script)
    with opened(proxy) as raw:
        wait_for("backpressure on the engine", lambda: sum(sent) > 0)
        time.sleep(1.5)
        held = proxy.metrics()["plumbline_memory_bytes"]
        assert held <= 1 << 20, held
        assert sum(sent) < 64 << 20
        raw.exactly(1 << 20)
        raw.socket.settimeout(0.5)
        with contextlib.suppress(OSError):      # the other direction: the engine reads nothing
            while True:
                raw.send(b"y" * 65536)
        assert proxy.metrics()["plumbline_memory_bytes"] <= 1 << 20


def test_a_drain_waits_for_a_tunnel_and_then_cuts_it(start):
    _, proxy = scripted(start, upper, drain_timeout="5s")
    with opened(proxy) as raw:
        proxy.terminate()
        wait_for("the listener to close", lambda: not accepts(proxy.port))
        raw.send(b"still here")
        assert raw.exactly(10) == b"STILL HERE"
        assert raw.rest() == b""
    assert proxy.process.wait(PATIENCE) == 0
    assert "Sanitizer" not in proxy.log()


def test_a_client_reset_reaches_the_engine(start):
    def script(raw, seen):
        raw.send(SWITCH)
        with contextlib.suppress(ConnectionResetError):
            while raw.more():
                pass
        ended.append(True)
        return False
    ended = []
    _, proxy = scripted(start, script)
    for _ in range(5):
        opened(proxy).reset()
    wait_for("all to end at the engine", lambda: len(ended) == 5)
    wait_for("all to end", lambda: proxy.metrics()["plumbline_tunnels"] == 0)


def test_to_an_engine_over_tls_there_is_no_tunnel(start):
    engine = start.scripted(upper)
    proxy = start.proxy(None, "--transport", "curl", config=f"primary: {{name: prod, url: '{engine.url}'}}\n")
    with Raw(proxy.port) as raw:
        raw.send(ASK)
        assert raw.answer()[0] == 501
