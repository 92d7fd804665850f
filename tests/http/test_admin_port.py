"""The admin port gets the hostile requests, too: it gives at most one answer, and the process survives."""
import contextlib
import re
import socket

import pytest

import corpus
from echo import Echo
from harness import Proxy, Raw, ended_well

ROWS = corpus.rows("requests")


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    engine = Echo()
    proxy = Proxy(tmp_path_factory.mktemp("admin"), engine.url)
    yield proxy
    code = proxy.stop()
    engine.stop()
    ended_well(proxy, code)
    assert not engine.whole, "an admin request reached the engine"


def ask(proxy, pieces):
    """Send pieces of bytes; return all received bytes until the connection ends."""
    with Raw(proxy.admin_port) as raw:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):        # the server answered before all was sent
            for piece in pieces:
                raw.send(piece)
            raw.socket.shutdown(socket.SHUT_WR)
        return raw.rest()


@pytest.mark.parametrize("as_get", [False, True], ids=["as it is", "GET /metrics"])
@pytest.mark.parametrize("numbered", ROWS, ids=corpus.named)
def test_hostile_requests_get_one_answer_at_most(proxy, numbered, as_get):
    number, row = numbered
    data = corpus.spelled(row["send"], number)
    if as_get:
        data = re.sub(rb"^POST ", b"GET ", data).replace(b"/%03d" % number, b"/metrics", 1)
    head = data.find(b"\r\n\r\n") + 4
    for pieces in ([data], [data[:head], data[head:]]):
        heads = re.findall(rb"^HTTP/1\.1 \d+ ", ask(proxy, pieces), re.M)
        assert len(heads) <= 1 and (heads or row.get("eof") or b"\r\n\r\n" not in data)
        assert heads != [b"HTTP/1.1 200 "] or b"/metrics" in data
    assert proxy.admin("/healthz") == "ok\n"


def test_a_body_that_is_wrong_changes_nothing(proxy):
    got = ask(proxy, [b"GET /metrics HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n"])
    assert got.startswith(b"HTTP/1.1 200 ") and got.count(b"HTTP/1.1") == 1
    assert proxy.process.poll() is None


def test_a_body_that_nobody_reads_does_not_take_the_answer_back(proxy):
    got = ask(proxy, [b"GET /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100000])
    head, page = got.split(b"\r\n\r\n", 1)
    assert int(re.search(rb"Content-Length: (\d+)", head)[1]) == len(page)
