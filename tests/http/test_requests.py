"""Hostile, odd and good requests, with the answers that they must get.

Each row of corpus/requests.jsonl has:
  send    what the client sends; a good request, the probe, follows it
  gets    the answers in order: a status, or [status, body, target, method] for an answer of the engine
  kept    whether the connection stays open after the last answer, so that the probe gets an answer (default: if the
          engine gave the last answer)
  eof     the client closes its side and sends no probe; no more answers follow
  fields, absent    fields of the first request at the engine
  tunnel  the request is for a websocket, which the libcurl transport does not support

The engine must see exactly one complete request per answer, and none of a refused row.
"""
import random
import socket
import time

import pytest

import corpus
from echo import Echo
from harness import TRANSPORT, Proxy, Raw, ended_well, wait_for

ROWS = corpus.rows("requests")


@pytest.fixture(scope="module")
def between(tmp_path_factory):
    """Start (proxy, engine) for all rows; check late errors at the end."""
    engine = Echo()
    proxy = Proxy(tmp_path_factory.mktemp("http"), engine.url)
    proxy.answered = 0
    yield proxy, engine
    proxy.settled()
    time.sleep(0.1)
    whole = len(engine.whole)
    code = proxy.stop()
    engine.stop()
    ended_well(proxy, code)
    assert not engine.unclean, engine.unclean[:3]
    assert whole == proxy.answered, "the engine saw more, or fewer, requests than were answered"


def expected_answers(row, number):
    """Return [(statuses, body, target, method)] and whether the probe gets an answer."""
    answers = []
    for want in row["gets"]:
        if isinstance(want, int):
            answers.append(({want}, None, None, None))
        else:
            body, target, method = [*want[1:], None, None, None][:3]
            answers.append(({want[0]}, *(None if t is None else corpus.spelled(t, number) for t in (body, target, method))))
    kept = row.get("kept", not answers or answers[-1][0] == {200}) and not row.get("eof")
    if kept:
        answers.append(({200}, None, b"/%03d/probe" % number, None))
    return answers, kept


def send(raw, data, pieces):
    """Send whole or byte by byte. The proxy may refuse and close before the end."""
    try:
        if not pieces:
            raw.send(data)
            return
        at, chance = 0, random.Random(len(data))
        while at < len(data):
            n = chance.choice((1, 1, 1, 2, 3, 7))
            raw.send(data[at:at + n])
            at += n
    except (BrokenPipeError, ConnectionResetError):
        pass


def check_answer(raw, expected, head_only):
    """Check one answer; return whether it is the engine's."""
    statuses, body, target, method = expected
    status, fields, got = raw.answer(head_only=head_only)
    low = {name.lower(): value for name, value in fields}
    assert status in statuses, got
    assert len([1 for name, _ in fields if name.lower() in ("content-length", "transfer-encoding")]) == 1
    if "x-target" not in low:
        assert status >= 400 and b'"type":"proxy_error"' in got and low["connection"] == "close"
        return False
    assert body is None or got == body
    assert target is None or low["x-target"].encode("latin1") == target
    assert method is None or low["x-method"].encode("latin1") == method
    return True


def check_seen(row, requests):
    """Check the row's first request as the engine saw it."""
    for name in row.get("absent", []):
        assert not requests[0].values(name.encode()), name
    for name, value in row.get("fields", {}).items():
        assert requests[0].values(name.encode("latin1")) == [value.encode("latin1")]


@pytest.mark.parametrize("pieces", [False, True], ids=["whole", "in pieces"])
@pytest.mark.parametrize("numbered", ROWS, ids=corpus.named)
def test_a_request_gets_its_answer_and_the_engine_sees_no_other(between, numbered, pieces):
    number, row = numbered
    proxy, engine = between
    data = corpus.spelled(row["send"], number)
    if pieces and len(data) > 1500:
        pytest.skip("too long to be sent byte by byte")
    if row.get("tunnel") and TRANSPORT == "curl":
        pytest.skip("libcurl opens no tunnel")
    answers, kept = expected_answers(row, number)
    before, own = len(engine.whole), 0
    with Raw(proxy.port) as raw:
        send(raw, data if row.get("eof") else data + b"GET /%03d/probe HTTP/1.1\r\nHost: t\r\n\r\n" % number, pieces)
        if row.get("eof"):
            raw.socket.shutdown(socket.SHUT_WR)
        for expected in answers:
            own += check_answer(raw, expected, head_only=data.startswith(b"HEAD"))
        if not kept:
            rest = raw.rest()
            assert rest in (b"", b"HTTP/1.1 100 Continue\r\n\r\n") and (not rest or row.get("eof"))
    proxy.answered += own
    wait_for("the engine's requests", lambda: len(engine.whole) >= before + own)
    seen = engine.whole[before:]
    assert len(seen) == own, [request.target for request in seen]
    if own:
        check_seen(row, seen)
