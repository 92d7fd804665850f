"""A small memory_limit against everything that needs memory at the same time."""
import http.client
import resource
import socket
import threading
import time

import pytest

from harness import *

LIMIT = 8 << 20
WINDOW = 65536
READ = 16384    # bytes of one read of an answer; a window is at least this large
READERS = 24
# The windows of so many readers need less than the first limit and more than the second.
LIMITS = (256 << 20, 40 << 20) if LONG else (96 << 20, 4 << 20)
PIECE = 256 << 10   # of an answer, as the recorder gets it
OWN = 8 << 20   # memory of the encoders and the writer, independent of the load
EACH = 32768    # memory per connection: buffers (up to twice their content), parsers, allocator overhead


def stream_for_ever(raw, seen):
    event = b"data: " + b"x" * 4000 + b"\n\n"
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(5000):
        raw.send(chunk(event))
    raw.send(b"0\r\n\r\n")


def stream_and_stop(raw):
    """Send one piece as large as the recorder's, and do not end the stream."""
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(PIECE // 4096 + 4):
        raw.send(chunk(b": " + b"x" * 4096 + b"\n\n"))
    with contextlib.suppress(OSError):
        raw.socket.recv(1)


def script(raw, seen):
    if b"then stop" in seen.body:
        stream_and_stop(raw)
    elif seen.target.startswith("/v1/stream"):
        stream_for_ever(raw, seen)
    elif b"at length" in seen.body:
        respond(raw, b'{"choices":[],"x":"' + b"x" * (1 << 20) + b'"}')
    else:
        respond(raw, b'{"choices":[]}')


def flood(port, stop, failures):
    """Send bodies of the largest size for a copy, repeatedly."""
    body = json.dumps(chat("y" * 300000)).encode()
    while not stop.is_set():
        try:
            status, _, answer = post(port, "/v1/chat/completions", body)
            assert (status, answer) == (200, b'{"choices":[]}')
        except Exception as failure:  # any error harms the client
            failures.append(repr(failure))
            return


def trickle(port, stop):
    """Upload endlessly in pieces of one byte."""
    piece = chunk(b"z") * 2000
    with contextlib.suppress(OSError), Raw(port) as raw:
        raw.send("POST /v1/upload HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not stop.is_set():
            raw.send(piece)


def test_the_budget_holds_against_a_hostile_mix(start):
    hung = threading.Event()
    engine = start.scripted(script)
    reference = start.scripted(lambda raw, seen: hung.wait(PATIENCE) and False)
    proxy = start.proxy(engine.url, config=f"""
memory_limit: {LIMIT}
references:
  - name: hung
    url: {reference.url}
    max_concurrency: 2
    queue_limit: 1GiB
""")
    before = proxy.rss()
    idle = [Raw(proxy.port) for _ in range(200)]
    for raw in idle:
        raw.send(request("GET", "/v1/models"))
        assert raw.answer()[0] == 200
    readers = [Raw(proxy.port).send(request("POST", "/v1/stream", b"{}")) for _ in range(READERS)]
    stop, failures = threading.Event(), []
    threads = [threading.Thread(target=flood, args=(proxy.port, stop, failures)) for _ in range(4)]
    threads += [threading.Thread(target=trickle, args=(proxy.port, stop)) for _ in range(2)]
    for thread in threads:
        thread.start()

    highest = 0
    # At least 4 s, until memory was exhausted.
    begun, pressed = time.monotonic(), False
    while time.monotonic() - begun < 4 or (not pressed and time.monotonic() - begun < PATIENCE):
        metrics = proxy.metrics()
        assert all(balances(book) for book in books_of(metrics).values())
        highest = max(highest, metrics["plumbline_memory_bytes"])
        dropped = books_of(metrics)["hung"]["dropped"].get("memory", 0)
        pressed = highest > LIMIT / 2 and dropped > 0 and metrics["plumbline_truncated_total"] > 0
        time.sleep(0.05)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures, failures
    # Both windows of each exchange, plus one read.
    windows = 4 * WINDOW * (READERS + 4 + 2)
    assert highest > LIMIT / 2, "or this test tests nothing"
    assert highest <= LIMIT + windows, highest
    grown = proxy.rss() - before
    assert grown < 96 << 20 or SANITIZED, f"{grown >> 20} MiB (a sanitizer keeps what was freed)"

    figures = proxy.metrics()
    assert proxy.books()["hung"]["dropped"]["memory"] > 0, proxy.books()
    assert figures["plumbline_truncated_total"] > 0

    for raw in idle + readers:
        raw.close()
    hung.set()
    reference.stop()
    wait_for("the copies' end", lambda: proxy.metrics()['plumbline_copies_waiting{reference="hung"}'] == 0)
    proxy.settled()
    wait_for("all memory to be given back", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0)
    marks = [mark for row in exported(proxy.capture) for mark in row.get("marks", [])]
    assert "truncated" in marks, marks
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200


def reader_that_stands_still(port, target="/v1/stream", body=b"{}"):
    """A client with a tiny receive buffer that sends a request and does not read."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect(("127.0.0.1", port))
    s.sendall(request("POST", target, body))
    return s


@pytest.mark.parametrize("limit", [LIMITS[0], LIMITS[1]])
def test_hundreds_of_slow_readers_stay_within_the_limit(start, limit):
    many = 1000 if LONG else 100
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, config=f"memory_limit: {limit}\nclients: {{stall_timeout: 10m}}\n")
    before, highest = proxy.rss(), 0
    readers = [reader_that_stands_still(proxy.port) for _ in range(many)]

    def all_full():
        nonlocal highest
        held = proxy.metrics()["plumbline_memory_bytes"]
        grew, highest = held > highest, max(highest, held)
        return held > min(many * WINDOW, limit) / 2 and not grew
    wait_for("all windows to be full", all_full, 4 * PATIENCE, 0.2)
    # A connection may read once more. Without shrinking, records and windows would exceed twice the smaller limit.
    assert highest <= limit + many * READ, highest
    grown = proxy.rss() - before
    assert grown <= limit + OWN + many * EACH or SANITIZED, f"{grown >> 20} MiB"
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200, "a reading client is served meanwhile"
    for s in readers:
        s.close()
    wait_for("all memory to be given back", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0, 4 * PATIENCE)


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer keeps what was freed")
def test_a_recorded_piece_frees_its_memory(start):
    many = 100
    proxy = start.proxy(start.scripted(script).url)
    before = proxy.rss("RssAnon")
    readers = [Raw(proxy.port).send(request("POST", "/v1/stream", b"Say much, then stop.")) for _ in range(many)]
    for raw in readers:
        raw.exactly(PIECE)
    assert OWN < many * PIECE / 2, "or this test tests nothing"
    # The recorder's reader ignores comments, but the budget counts all that it got until its end.
    wait_for("the pieces to be recorded and freed", lambda: proxy.rss("RssAnon") - before <= OWN)
    for raw in readers:
        raw.close()


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer keeps what was freed")
def test_a_large_cut_event_frees_its_memory(start):
    many, size = 20, 2 << 20

    def answer(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        text = "x" * (size if b"at length" in seen.body else 1)
        for finish in (None, "stop"):
            event = {"id": "a", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish,
                                             **({"logprobs": {"content": []}} if b"logprobs" in seen.body else {})}]}
            raw.send(chunk(f"data: {json.dumps(event)}\n\n".encode()))
            if finish is None and b"at length" in seen.body:
                with contextlib.suppress(OSError):
                    raw.socket.recv(1)
                return
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    engine = start.scripted(answer)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, "/v1/chat/completions", chat(stream=True))
    before = proxy.rss("RssAnon")
    body = json.dumps(chat("Tell me at length.", stream=True)).encode()
    readers = [Raw(proxy.port).send(request("POST", "/v1/chat/completions", body)) for _ in range(many)]
    for raw in readers:
        raw.exactly(size)
    assert all(b"logprobs" in seen.body for seen in engine.seen[1:])

    def is_in_the_books():
        return proxy.rss("RssAnon") - before - proxy.metrics()["plumbline_memory_bytes"] <= OWN < many * size / 2
    wait_for("memory to be at most the counted bytes", is_in_the_books)
    for raw in readers:
        raw.close()


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer keeps what was freed")
def test_waves_of_whole_answers_stay_within_the_limit(start):
    limit, many = 40 << 20, 300
    proxy = start.proxy(start.scripted(script).url, config=f"memory_limit: {limit}\n")
    before, highest = proxy.rss("RssAnon"), 0
    for wave in range(4):
        readers = [reader_that_stands_still(proxy.port, "/v1/chat/completions", json.dumps(chat("Tell me at length.")).encode()) for _ in range(many)]
        begun = time.monotonic()
        while time.monotonic() - begun < 1.5:
            highest = max(highest, proxy.rss("RssAnon") - before)
            time.sleep(0.05)
        for s in readers:
            s.close()
        wait_for("all memory to be given back", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0, 4 * PATIENCE)
    # Usually it is below limit + OWN, but small chunks fragment the heap.
    assert highest <= limit + OWN + many * EACH, f"{highest >> 20} MiB"
    wait_for("the heap's free pages to be given back too", lambda: proxy.rss("RssAnon") - before <= 2 * OWN)


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer has a malloc of its own")
def test_after_running_out_of_memory_the_capture_is_usable(start):
    engine, many = start.scripted(script), 20
    proxy = start.proxy(engine.url)
    for _ in range(many):
        assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    assert proxy.settled(many)["exchanges"]["recorded"] == many
    has = proxy.rss("VmData")
    resource.prlimit(proxy.pid, resource.RLIMIT_DATA, (has, resource.RLIM_INFINITY))

    def ended():
        with contextlib.suppress(OSError, EOFError, http.client.HTTPException):
            post(proxy.port, "/v1/chat/completions", chat("y" * (16 << 20)))
        return proxy.process.poll() is not None
    wait_for("the process to end", ended)
    assert proxy.process.returncode == 3
    assert re.search(r"^plumbline: out of memory: can't allocate \d+ bytes$", proxy.log(), re.M), proxy.log()
    plumbline("capture", "verify", proxy.capture, check=0)
    successor = start.proxy(engine.url, capture=proxy.capture)
    assert post(successor.port, "/v1/chat/completions", chat())[0] == 200
    assert successor.settled(1)["exchanges"]["recorded"] == 1
    assert successor.stop() == 0
    assert len(exported(proxy.capture)) >= many + 1
