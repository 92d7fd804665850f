"""Through the proxy with its default settings, clients of real engines get the same answers as without it.

    PLUMBLINE=build/plumbline PLUMBLINE_LAB=DIR python3 -m pytest -p no:cacheprovider -s tests/engines/test_cut_live.py

llama-cpp-python is primary and reference: with logprobs, its streams lose characters of several tokens. Another test
replaces the engine behind one address by another engine. pytest skips the tests without the lab. They are not part of
./check and take some minutes on two processors.
"""
import json
import os
import pathlib
import socket
import sys
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "e2e")]

import harness  # noqa: E402
from agreement import as_bytes, expect, said  # noqa: E402
from harness import BINARY  # noqa: E402
from lab_engine import Engine  # noqa: E402
from services import free_port  # noqa: E402
from shadow import Proxy, export, send  # noqa: E402

HOLD = "cut-live"
TIMES = int(os.environ.get("PLUMBLINE_CUT_TIMES", 3))   # repeats, because the proxy adds no logprobs to the first requests
EMOJI = [("/v1/completions", {"prompt": "Three animals as emoji: 🦊 🐻 "}),
         ("/v1/completions", {"prompt": "𓀀 𓀁 𓀀 𓀁 𓀀"}),
         ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Reply with three emoji of animals, such as 🦊."}]})]


def requests(model):
    for path, body in EMOJI:
        for stream in (True, False):
            yield path, {**body, "model": model, "temperature": 0, "max_tokens": 8, "seed": 1, "stream": stream}


def port_of(engine):
    return int(engine.url.rpartition(":")[2])


def texts(answer):
    status, _, body = answer
    assert status == 200, body[:500]
    return [choice["text"] for choice in expect.answer(*answer)["choices"]]


@pytest.fixture(scope="module")
def llama(weights):
    with Engine(HOLD, "llama-cpp-python", weights) as engine:
        yield engine


@pytest.fixture(scope="module")
def direct(llama):
    found = [texts(send(port_of(llama), path, body)) for path, body in requests(llama.model)]
    print(f"\n{found}")
    assert any(ord(c) > 0xffff for answer in found for text in answer for c in text), "no answer has a character of several tokens"
    return found


def uncut(proxy):
    return sum(value for name, value in proxy.metrics().items() if name.startswith("plumbline_uncut_total"))


def test_clients_of_llama_cpp_python_get_whole_emoji(tmp_path, llama, direct):
    proxy = harness.Proxy(tmp_path, llama.url, poll=None, plain_share=None)
    try:
        for _ in range(TIMES):
            for (path, body), want in zip(requests(llama.model), direct):
                assert texts(send(proxy.port, path, body)) == want, (path, body)
        assert uncut(proxy) == 0
    finally:
        assert proxy.stop() == 0


def test_a_llama_cpp_python_reference_answers_as_without_proxy(tmp_path, weights, llama, direct):
    with Engine(HOLD, "mlx-lm", weights) as primary:
        alone = [texts(send(port_of(primary), path, body)) for path, body in requests(primary.model)]
        proxy = Proxy(BINARY, tmp_path, primary, llama)
        try:
            for _ in range(TIMES):
                for (path, body), want in zip(requests(primary.model), alone):
                    assert texts(send(proxy.port, path, body)) == want, (path, body)
                    proxy.settle()
        finally:
            assert proxy.stop() == 0
    rows = export(BINARY, proxy.capture, tmp_path)
    assert len(rows) == TIMES * len(direct)
    for row, want in zip(rows, direct * TIMES):
        leg = next(leg for leg in row["legs"] if leg["backend"] == "llama-cpp-python-reference")
        assert leg["outcome"] == "complete" and [choice["text"] for choice in said(leg)["choices"]] == want, row["request"]
        assert [as_bytes(choice["text"]).decode() for choice in leg["reading"]["choices"]] == want


class Door:
    """A TCP relay: one address for changing engines. It forwards connections to the current engine."""

    def __init__(self):
        self.port, self.engine, self.open = free_port(), None, []
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def lead_to(self, engine):
        self.engine = engine
        while self.open:   # close the connections to the engine before
            with self.open.pop() as connection:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _serve(self):
        while True:
            try:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", port_of(self.engine)))
            except OSError:
                return
            self.open += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self._hand_on, args=(a, b), daemon=True).start()

    @staticmethod
    def _hand_on(source, to):
        try:
            while piece := source.recv(65536):
                to.sendall(piece)
        except OSError:
            pass
        for each in (source, to):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


def documents(answer):
    """Return the documents of an answer without members that change every time: ids, times, cached tokens."""
    status, kind, body = answer
    assert status == 200, body[:500]
    streamed = kind.startswith("text/event-stream")
    lines = [line[6:] for line in body.decode().splitlines() if line.startswith("data: ")] if streamed else [body.decode()]

    def settle(value):
        if isinstance(value, dict):
            return {k: settle(v) for k, v in value.items() if k not in ("id", "created", "prompt_tokens_details", "obfuscation")}
        return [settle(v) for v in value] if isinstance(value, list) else value
    return [settle(json.loads(line)) if line.startswith("{") else line for line in lines]


@pytest.mark.parametrize("names", [("mlx-lm", "transformers"), ("llama-cpp-python", "mlx-lm"), ("llama-cpp-python", "transformers"),
                                   ("mlx-lm", "llama-cpp-python")])   # the proxy must recognise llama-cpp-python in time
def test_cut_follows_a_replaced_engine(tmp_path, weights, names):
    with Engine(HOLD, names[0], weights) as one, Engine(HOLD, names[1], weights) as two:
        door = Door()
        door.lead_to(one)
        asked = list(requests(next(e.model for e in (two, one) if e.name != "llama-cpp-python")))   # llama-cpp-python accepts any name
        want = {engine.name: [documents(send(port_of(engine), path, body)) for path, body in asked] for engine in (one, two)}
        proxy = harness.Proxy(tmp_path, door.url, poll=None, plain_share=None)
        try:
            for engine in (one, two, one, two):
                door.lead_to(engine)
                for _ in range(TIMES):
                    for (path, body), documents_alone in zip(asked, want[engine.name]):
                        assert documents(send(proxy.port, path, body)) == documents_alone, (engine.name, path, body)
            assert uncut(proxy) == 0
        finally:
            door.close()
            assert proxy.stop() == 0
