"""plumbline reads an answer by its members, whatever dialect the configuration names."""
import json
import pathlib
import subprocess
import sys

import pytest

from harness import chat, exported, post, respond, wait_for

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
EXPECTED = {e["file"]: e for e in map(json.loads, (GOLDEN / "expected.jsonl").read_text().splitlines())}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


def recorded(engine, name):
    """Return (method, target), the request's body, and the exact bytes of the answer with head and chunk sizes."""
    head, _, body = (GOLDEN / engine / f"{name}.request").read_bytes().partition(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
    return (method, target), body, (GOLDEN / engine / f"{name}.response").read_bytes()


def leg_of(row, backend):
    return next(leg for leg in row["legs"] if leg["backend"] == backend)


def test_tool_calls_in_the_text_count_if_tools_were_offered(start):
    text = 'Let me see.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    engine = start.scripted(lambda raw, seen: respond(raw, {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
                            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}))
    proxy = start.proxy(engine.url, reference=engine.url)
    for more in ({}, {"tools": TOOLS}):
        assert post(proxy.port, "/v1/chat/completions", chat(**more))[0] == 200
    proxy.settled(2)
    proxy.settled(2, "reference")
    assert proxy.stop() == 0
    without, offered = sorted(exported(proxy.capture), key=lambda row: row["id"])
    for backend in ("primary", "reference"):
        assert not leg_of(without, backend)["reading"]["choices"][0].get("tool_calls")
        calls = leg_of(offered, backend)["reading"]["choices"][0]["tool_calls"]
        assert [(c["name"], c["in_text"]) for c in calls] == [("f", True)], backend


def test_the_expected_readings_are_up_to_date():
    """tests/golden/expected.jsonl, which the unit tests use, is what the independent Python reader gives today."""
    done = subprocess.run([sys.executable, GOLDEN / "expect.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(EXPECTED) >= {str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/chat*.response") if path.stat().st_size}


def agree(name, got, want):
    """Compare an exported choice with the independent reader's."""
    for member in ("index", "text", "reasoning", "refusal", "finish"):
        assert got[member] == want[member], (name, member)
    called = [(c["name"], json.loads(c["arguments"])) for c in got["tool_calls"] if not c["in_text"]]
    assert called == [(c["name"], json.loads(c["arguments"])) for c in want["calls"]], name
    assert bool(got["columns"]) == (want["tokens"] is not None), name
    if got["columns"]:
        assert [t.encode().hex() if isinstance(t, str) else t for t in got["columns"]["tokens"]] == want["tokens"], name
        assert sum(got["columns"]["lp"]) == pytest.approx(want["logprob_sum"], abs=1e-3), name
        assert [len(top) for top in got["columns"]["top"]] == want["tops"], name


ANSWERS = ["chat-logprobs", "chat-logprobs-stream", "chat-think", "chat-tools", "native-chat-logprobs-stream",
           "native-generate-logprobs", "completion-logprobs", "responses-logprobs-stream"]


class Ollama:
    """Plays recorded answers of Ollama. With asked=False it does not identify itself."""

    def __init__(self, asked):
        self.answers = {recorded("ollama-0.17.4", n)[1]: recorded("ollama-0.17.4", n)[2] for n in ANSWERS}
        self.told = {recorded("ollama-0.17.4", n)[0]: recorded("ollama-0.17.4", n)[2]
                     for n in ("models", "api-version")} if asked else {}
        self.current = None

    def __call__(self, raw, seen):
        if seen.method == "GET" or seen.target == "/api/show":
            answer = self.told.get((seen.method, seen.target))
            if answer:
                raw.send(answer)        # "Connection: close"
                return False
            return respond(raw, {"error": "no"}, "404 Not Found")
        raw.send(self.answers[self.current])
        return False


@pytest.mark.parametrize("asked", [True, False])
def test_a_wrong_dialect_is_logged_once_and_answers_are_read_right(start, asked):
    """The configured vLLM is Ollama. The proxy notices by polling or, with poll: off, by its answers."""
    engine = Ollama(asked)
    primary = start.scripted(engine)
    proxy = start.proxy(None, poll=None, config=f"primary: {{name: prod, url: '{primary.url}', dialect: vllm, "
                        f"poll: {'1s' if asked else 'off'}}}\nlogprobs: {{inject: off}}\n")
    mismatch = 'plumbline_dialect_mismatch{backend="prod"}'
    if asked:
        wait_for("the mismatch", lambda: proxy.metrics()[mismatch] == 1)
    for name in ANSWERS:
        (_, target), body, _ = recorded("ollama-0.17.4", name)
        engine.current = body
        assert post(proxy.port, target, body)[0] == EXPECTED[f"ollama-0.17.4/{name}.response"]["status"]
    proxy.settled(len(ANSWERS))
    wait_for("the mismatch", lambda: proxy.metrics()[mismatch] == 1)
    lines = [line for line in proxy.log().splitlines() if "is configured as vllm" in line]
    assert len(lines) == 1 and '"level":"error"' in lines[0] and "answers like ollama" in lines[0], lines
    assert ("GET /api/version" if asked else "fp_ollama") in lines[0], "with the evidence"
    assert proxy.stop() == 0

    rows = sorted(exported(proxy.capture), key=lambda row: row["id"])
    for name, row in zip(ANSWERS, rows):
        reading, expected = leg_of(row, "prod")["reading"], EXPECTED[f"ollama-0.17.4/{name}.response"]
        assert reading["error"] == expected["error"], name
        for got, want in zip(reading["choices"], expected.get("choices", []), strict=True):
            agree(name, got, want)
