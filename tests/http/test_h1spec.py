"""The 33 cases of h1spec, a public test suite for HTTP/1.1 servers (corpus/h1spec.jsonl).

They check ranges of statuses, echoed bodies, and waiting for incomplete heads. The waiting cases run concurrently.
"""
import re

import pytest

import corpus
from echo import Echo
from harness import Proxy, Raw

ROWS = [row for _, row in corpus.rows("h1spec")]
PAUSE = 0.5       # seconds


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    engine = Echo()
    proxy = Proxy(tmp_path_factory.mktemp("h1spec"), engine.url)
    yield proxy.port
    assert proxy.stop() == 0
    engine.stop()


def test_there_are_33_cases():
    assert len(ROWS) == 33


def test_a_head_that_is_not_whole_is_waited_for(port):
    waiting = [(row, Raw(port, timeout=PAUSE).send(row["send"])) for row in ROWS if row.get("waits")]
    assert len(waiting) == 15
    for row, raw in waiting:
        with pytest.raises(TimeoutError):
            raw.more()
        raw.close()
        for _, other in waiting:        # the others waited as long
            if other.socket.fileno() >= 0:
                other.socket.settimeout(0.01)


@pytest.mark.parametrize("row", [row for row in ROWS if "statuses" in row], ids=lambda row: row["is"])
def test_a_case_gets_a_status_in_its_ranges(port, row):
    with Raw(port) as raw:
        raw.send(row["send"])
        head = raw.until(b"\r\n\r\n")
        status = int(re.match(rb"HTTP/1\.\d (\d{3})", head)[1])
        assert any(low <= status <= high for low, high in row["statuses"]), head
        if status == 200 and "body" in row:
            assert raw.exactly(len(row["body"])) == row["body"].encode()
