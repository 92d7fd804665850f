"""Hostile, odd and good answers of an engine, with what the client must get.

Each row of corpus/answers.jsonl has:
  engine    the bytes that the engine sends for one request; with `closes` it then closes the connection
  method    of the request (POST)
  status, body, interim, fields, absent    what the client must get; the proxy itself sends 502
  cut       the answer is incomplete, and the client must notice that

Good requests follow each row, on the same connection or, if it is closed, on a new one. Each must get its own answer:
surplus or late bytes of an engine must not reach another request.
"""
import pytest

import corpus
from echo import Echo
from harness import Proxy, Raw, ended_well

ROWS = corpus.rows("answers")


def perform(stream, request):
    """Play the engine's part of a row; echo requests for other targets."""
    if not request.target.startswith(b"/row/"):
        return None
    number, row = ROWS[int(request.target[5:])]
    stream.socket.sendall(corpus.spelled(row["engine"], number))
    return not row.get("closes")


@pytest.fixture(scope="module")
def between(tmp_path_factory):
    engine = Echo(perform)
    proxy = Proxy(tmp_path_factory.mktemp("answers"), engine.url)
    yield proxy, engine
    proxy.settled()
    code = proxy.stop()
    engine.stop()
    ended_well(proxy, code)
    assert not engine.unclean, engine.unclean[:3]


def receive(raw, head_only):
    """Return (status, fields, body, complete) of an answer."""
    raw.interim = []
    while True:
        head = raw.until(b"\r\n\r\n").decode("latin1")
        status = int(head.split(" ", 2)[1])
        fields = [tuple(line.split(": ", 1)) for line in head.split("\r\n")[1:] if line]
        if status >= 200:
            break
        assert not {name.lower() for name, _ in fields} & {"content-length", "transfer-encoding"}, fields
        raw.interim.append(status)
    low = {name.lower(): value for name, value in fields}
    body = b""
    try:
        if head_only or status in (204, 304):
            pass
        elif "chunked" in low.get("transfer-encoding", ""):
            while (size := int(raw.until(b"\r\n"), 16)):
                part, missing = raw.got, size + 2
                while len(part) < missing and raw.more():
                    pass
                body += raw.take(min(size, len(raw.got)))
                raw.exactly(2)
            raw.until(b"\r\n")
        else:
            size = int(low["content-length"])
            while len(raw.got) < size and raw.more():
                pass
            body = raw.take(min(size, len(raw.got)))
            return status, fields, body, len(body) == size
    except (EOFError, ConnectionResetError):
        return status, fields, body, False
    return status, fields, body, True


def check_head(row, number, fields):
    framing = [name.lower() for name, _ in fields if name.lower() in ("content-length", "transfer-encoding")]
    assert len(framing) <= 1, fields
    names = {name.lower() for name, _ in fields}
    for name in row.get("absent", []):
        assert name.lower() not in names or (name == "Connection" and row["status"] >= 400), name
    for name, value in row.get("fields", {}).items():
        assert (name, value) in fields


@pytest.mark.parametrize("numbered", ROWS, ids=corpus.named)
def test_an_answer_arrives_as_it_must_and_the_next_request_gets_its_own(between, numbered):
    number, row = numbered
    proxy, engine = between
    method = row.get("method", "POST")
    with Raw(proxy.port) as raw:
        raw.send(f"{method} /row/{number} HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi")
        status, fields, body, whole = receive(raw, method == "HEAD")
        assert (status, whole) == (row["status"], not row.get("cut")), (status, fields, body)
        assert raw.interim == row.get("interim", [])
        if status != 502 or "body" in row:
            assert body == corpus.spelled(row.get("body", ""), number)
        check_head(row, number, fields)
        closed = row.get("cut") or ("Connection", "close") in fields
        if closed:
            assert raw.rest() == b""
        else:
            raw.send("POST /next HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nnext")
            assert raw.answer()[2] == b"next"
    for word in (b"one", b"two"):
        with Raw(proxy.port) as raw:
            raw.send(b"POST /after HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\n" + word)
            assert raw.answer()[2] == word
