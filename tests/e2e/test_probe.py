"""plumbline probe: which engine answers, and which parameters it supports. Recorded engines, the simulated one,
faulty servers."""
import json
import pathlib
import re
import socket
import threading
import time

import pytest

from harness import PATIENCE, Program, free_port, plumbline, respond, wait_for

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "probe.md"
LONG = 6 * PATIENCE


def probe(url, *args, check=None, patience=LONG):
    """Return (exit code, document)."""
    done = plumbline("probe", url, "--json", *args, patience=patience)
    said = json.loads(done.stdout) if done.stdout else None
    if check is not None:
        assert done.returncode == check, (done.returncode, said and said["deep"] and said["deep"]["findings"], done.stderr)
    return done.returncode, said


def deep(url, *args, check=None):
    return probe(url, "--deep", *args, check=check)[1]["deep"]


def standing(said, name):
    return said["capabilities"][name]["standing"]


def names(said):
    return {f["name"]: f for f in said["findings"]}


# --- recorded engines -------------------------------------------------------------------------------------------------

class Recorded:
    """Plays a real engine's answer to the most similar request, or sends nothing if that had no answer."""

    def __init__(self, directory):
        self.directory, self.engine, self.asked = GOLDEN / directory, directory.rsplit("-", 1)[0], []

    def name(self, seen):
        if seen.method == "GET":
            return {"/v1/models": "models", "/version": "version", "/props": "props", "/health": "health"}.get(seen.target, "not-found")
        if not seen.target.endswith("/completions"):
            return "not-found"
        try:
            body = json.loads(seen.body)
        except ValueError:
            return "bad-json"
        if body.get("model") == "plumbline-no-such-model":
            return "bad-model"
        return self.chat(body) if seen.target.endswith("/chat/completions") else self.completion(body)

    def recorded(self, name):
        return (self.directory / f"{name}.response").exists()

    def chat(self, b):
        if "messages" not in b:
            return "no-messages"
        if any(m["role"] == "system" for m in b["messages"]):
            return "chat-system"
        text, top = json.dumps(b["messages"]), b.get("top_logprobs", 0)
        if "tools" in b:
            return "chat-tools-forced-stream" if b.get("stream") else "chat-tools"
        if b.get("n") == 2:
            return "chat-n2"
        if "<think>" in text or "thought process" in text:
            return "chat-thinktag" if "<think>" in text else "chat-think"
        if b.get("stream"):
            if b.get("logprobs") and "stream_options" in b and self.recorded("cut-chat-usage-injected"):
                return "cut-chat-usage-injected"
            return "chat-logprobs-stream" if b.get("logprobs") else "chat-stream-usage"
        if top > 5:
            return "top11" if top == 11 else "chat-top21" if top > 20 or top == 12 else "chat-top20"
        return "chat-logprobs" if b.get("logprobs") else "chat"

    def completion(self, b):
        top = b.get("logprobs")
        if isinstance(b["prompt"], list):
            return "ids-prompt"
        if b.get("max_tokens") == 0:
            return "completion-max0"
        if self.engine == "mlx-lm" and isinstance(top, int) and not isinstance(top, bool):
            return "completion-stop"     # the engine refuses integers
        if b.get("stream"):
            if top and "stream_options" in b and self.recorded("cut-completion-usage-injected"):
                return "cut-completion-usage-injected"
            return "completion-logprobs-stream" if top else "completion-stream-usage"
        if b.get("echo"):
            return "completion-echo"
        if "prompt_logprobs" in b:
            return "score-prompt-logprobs"
        if b.get("repeat_penalty") == 1:
            return "neutral-completion"
        if top and top > 5:
            return "completion-logprobs100"
        return "completion-logprobs" if top else "completion"

    def __call__(self, raw, seen):
        name = self.name(seen)
        self.asked.append(name)
        file = self.directory / f"{name}.response"
        if not file.exists():
            respond(raw, {"error": {"message": "not recorded"}}, "400 Bad Request", fields=[("Connection", "close")])
            return False
        said = file.read_bytes()
        if not said:
            raw.rest()
            return False
        if name == "models" and b'"data"' not in said:
            said = said.split(b"\r\n\r\n")[0] + b'\r\n\r\n{"object":"list","data":[]}'
        raw.send(said)
        return False


NONE = {"logprobs.chat": "ignored", "logprobs.chat_stream": "ignored", "logprobs.completion": "ignored",
        "logprobs.completion_stream": "ignored"}
ALL = dict.fromkeys(NONE, "honoured")
RECORDED = {
    "vllm-0.32.0": (
        {**ALL, "logprobs.too_many": "refused", "tokens.strings": "honoured", "tokens.bytes": "honoured", "tokens.spell": "honoured",
         "tokens.chosen": "honoured", "stream.usage": "honoured", "stream.done": "honoured", "n": "honoured", "echo": "honoured",
         "prompt_logprobs": "honoured", "tools.forced": "ignored", "reasoning": "honoured", "errors.json": "honoured",
         "errors.model": "honoured", "risky.max_tokens_0": "refused", "risky.no_messages": "refused"},
        {"tools.ignored"}, {"penalty.hidden", "tokens.misnamed", "stream.usage.never"}),
    "llama-cpp-python-0.3.36": (
        {**ALL, "logprobs.most": "honoured", "tokens.strings": "honoured", "tokens.bytes": "absent", "tokens.chosen": "honoured",
         "stream.usage": "ignored", "stream.done": "honoured", "n": "ignored", "greedy": "wrong", "id_prompt": "refused",
         "prompt_logprobs": "refused", "tools.stream": "honoured", "reasoning": "absent", "errors.json": "wrong",
         "errors.model": "ignored", "risky.no_messages": "wrong"},
        {"penalty.hidden", "stream.usage.never", "n.ignored", "model.ignored", "risky.no_messages.hangs", "errors.json"},
        {"tokens.misnamed", "risky.max_tokens_0.hangs"}),
    "ollama-0.17.4": (
        {"logprobs.chat": "honoured", "logprobs.chat_stream": "honoured", "logprobs.completion": "ignored",
         "logprobs.completion_stream": "ignored", "logprobs.too_many": "refused", "tokens.bytes": "honoured", "tokens.strings": "honoured",
         "stream.usage": "honoured", "stream.done": "honoured", "n": "ignored", "tools.forced": "refused", "errors.json": "honoured",
         "errors.model": "honoured", "risky.max_tokens_0": "wrong", "risky.no_messages": "refused"},
        {"logprobs.completion.silent", "n.ignored", "risky.max_tokens_0.hangs"}, {"logprobs.chat.silent", "risky.no_messages.hangs"}),
    "transformers-5.19.0": (
        {**NONE, "tokens.ids": "absent", "stream.done": "absent", "n": "ignored", "tools.forced": "ignored", "errors.json": "honoured",
         "errors.model": "honoured", "risky.max_tokens_0": "wrong", "risky.no_messages": "wrong"},
        {"logprobs.chat.silent", "logprobs.completion.silent", "stream.done.missing", "n.ignored", "tools.ignored"},
        {"penalty.hidden", "tokens.misnamed"}),
    "mlx-lm-0.32.2": (
        {"logprobs.chat": "honoured", "logprobs.chat_stream": "ignored", "logprobs.completion": "honoured",
         "logprobs.completion_stream": "ignored", "logprobs.too_many": "refused", "tokens.strings": "wrong", "tokens.ids": "honoured",
         "tokens.bytes": "absent", "tokens.chosen": "wrong", "greedy": "unknown", "stream.usage": "honoured", "stream.done": "honoured", "n": "ignored",
         "tools.forced": "ignored", "keep_alive": "absent", "errors.json": "honoured", "errors.model": "honoured",
         "risky.max_tokens_0": "refused", "risky.no_messages": "refused"},
        {"tokens.misnamed", "tokens.pieces", "logprobs.chat_stream.silent", "logprobs.completion_stream.silent", "n.ignored"},
        {"penalty.hidden"}),
}


@pytest.mark.parametrize("directory", RECORDED)
def test_parameters_of_recorded_engines_are_detected(start, directory):
    expected, found, not_found = RECORDED[directory]
    server = start.scripted(Recorded(directory))
    code, said = probe(server.url, "--deep", "--risky", "--timeout", "6s")
    assert said["engine"]["name"] == directory.rsplit("-", 1)[0], said["engine"]
    assert said["deep"]["problem"] is None, said["deep"]["problem"]
    got = {name: standing(said["deep"], name) for name in expected}
    assert got == expected, {name: said["deep"]["capabilities"][name] for name in expected if got[name] != expected[name]}
    findings = names(said["deep"])
    assert found <= set(findings), found - set(findings)
    assert not not_found & set(findings), not_found & set(findings)
    assert code == (1 if any(f["severity"] == "fault" for f in findings.values()) else 0)


def test_detection_sends_only_gets(start):
    server = start.scripted(Recorded("vllm-0.32.0"))
    done = plumbline("probe", server.url, check=0)
    assert {s.method for s in server.seen} == {"GET"}
    assert b"vLLM 0.32.0" in done.stdout and b"confidence 100 of 100" in done.stdout and b"owned_by: vllm" in done.stdout
    _, said = probe(server.url, check=0)
    assert said["engine"]["version"].startswith("0.32.0") and said["deep"] is None and said["models"] == ["g"]


def test_without_risky_no_request_with_a_risk_is_sent(start):
    server = start.scripted(Recorded("ollama-0.17.4"))
    said = deep(server.url, check=1)
    assert {said["capabilities"][n]["standing"] for n in said["capabilities"] if n.startswith("risky.")} == {"unknown"}
    for seen in server.seen:
        body = json.loads(seen.body) if seen.body and seen.body.endswith(b"}") else None
        if body is None or not seen.target.endswith("/completions"):
            continue
        assert body.get("max_tokens", 1) > 0 and (body.get("messages") or body.get("prompt")), body


def test_risky_requests_come_last_each_followed_by_a_check(start):
    server = start.scripted(Recorded("ollama-0.17.4"))
    deep(server.url, "--risky", "--timeout", "6s", check=1)
    asked = server.script.asked
    first = min(asked.index("completion-max0"), asked.index("no-messages"))
    assert set(asked[first:]) <= {"completion-max0", "no-messages", "completion"}, asked[first:]
    for name in ("completion-max0", "no-messages"):
        assert asked.count(name) == 1 and asked[asked.index(name) + 1] == "completion", asked[first:]


# --- the simulated engine ---------------------------------------------------------------------------------------------

def test_a_healthy_engine_has_no_fault(start):
    engine = start.engine("--seed", "7")
    code, said = probe(engine.url, "--deep", "--risky", check=0)
    assert said["engine"]["name"] == "plumbline" and said["engine"]["sure"] == "certain"
    for name in ("http", "keep_alive", "chat", "completion", *ALL, "tokens.strings", "tokens.bytes", "tokens.spell", "tokens.chosen",
                 "tokens.ids", "stream.usage", "stream.done", "temperature", "greedy", "seed", "determinism", "n", "max_tokens", "bos",
                 "id_prompt", "system", "echo", "prompt_logprobs", "tools.forced", "tools.stream", "errors.json"):
        assert standing(said["deep"], name) == "honoured", (name, said["deep"]["capabilities"][name])
    assert said["deep"]["capabilities"]["logprobs.most"]["value"] == "20"
    assert standing(said["deep"], "logprobs.too_many") == "refused"
    assert said["deep"]["requests"] <= 66
    assert said["deep"]["fingerprint"] == "simulated-7"


FAULTS = {
    "repeat-penalty=1.3": ({"greedy": "wrong"}, {"penalty.hidden"}, 1),
    "bos=missing": ({"bos": "absent"}, {"bos.none"}, 0),
    "bos=double": ({"bos": "wrong"}, {"bos.double"}, 1),
    "temperature=1": ({"greedy": "wrong"}, {"greedy.not_top", "determinism.texts"}, 1),
    "misaligned": ({}, {"echo.shifted"}, 1),
    "lose-characters": ({"logprobs.text": "wrong"}, {"logprobs.spoil"}, 1),
    "drop-system": ({"system": "ignored"}, {"system.dropped"}, 1),
    "no-done": ({"stream.done": "absent"}, {"stream.done.missing"}, 0),
    "http10": ({"keep_alive": "absent"}, set(), 0),
    "400-on-logprobs": (dict.fromkeys(ALL, "refused"), set(), 0),
    "comments": (ALL, set(), 0),
    "crlf": (ALL, set(), 0),
    "103": ({**ALL, "greedy": "honoured"}, set(), 0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(start, fault):
    expected, found, code = FAULTS[fault]
    engine = start.engine("--seed", "7", "--random-seed", "1", "--fault", fault)
    said = deep(engine.url, check=code)
    got = {name: standing(said, name) for name in expected}
    assert got == expected, {name: said["capabilities"][name] for name in expected}
    assert found <= set(names(said)), (found, said["findings"])


def test_a_stream_slowed_by_logprobs_is_reported(start):
    slow, sound = (start.engine("--seed", "7", "--itl", "3ms", *more) for more in (["--fault", "slow-logprobs=5"], []))
    said = deep(slow.url, check=0)
    assert standing(said, "logprobs.time") == "wrong" and standing(said, "logprobs.text") == "honoured"
    assert names(said)["logprobs.slow"]["severity"] == "warning"
    said = deep(sound.url, check=0)
    assert standing(said, "logprobs.time") == "honoured" and "logprobs.slow" not in names(said)


def test_noise_is_a_note_with_its_size(start):
    engine = start.engine("--seed", "7", "--random-seed", "1", "--noise", "0.001", "--fresh-noise")
    said = deep(engine.url, check=0)
    note = names(said)["determinism.logprobs"]
    assert note["severity"] == note["gravity"] == "note" and re.search(r"0\.00\d", note["title"]), note
    assert standing(said, "determinism") == "honoured"


@pytest.mark.parametrize("flags, name, value", [
    (["--reasoning", "field:reasoning"], "reasoning", "in reasoning"),
    (["--reasoning", "field:reasoning_content"], "reasoning", "in reasoning_content"),
    (["--reasoning", "tags"], "reasoning", "inline, in the content"),
    (["--token-ids"], "tokens.ids", "beside each token"),
    (["--strict-model"], "errors.model", "404"),
    (["--prefix-cache"], "prefix_cache", " of "),
])
def test_supported_parameters_are_detected(start, flags, name, value):
    engine = start.engine("--seed", "7", *flags)
    said = deep(engine.url)
    assert value in said["capabilities"][name]["value"], said["capabilities"][name]


def repeating(different, late=0):
    """Return a server, and a list of what the streams of characters asked for. The first `different` streams with logprobs have
    another text, and the first `late` ones take a second longer."""
    same, asked = "The same words, forty characters of them, and then ", []

    def post(raw, seen):
        if "/chat/" not in seen.target:
            return not_there(raw, seen)
        logprobs, stream = (b'"%s":true' % name in seen.body for name in (b"logprobs", b"stream"))
        word = "land"
        if b"Say this again" in seen.body:
            asked.append(logprobs)
            word = "sea" if logprobs and sum(asked) <= different else "land"
            time.sleep(logprobs and sum(asked) <= late)
        entries = [{"token": t, "logprob": -0.1, "bytes": list(t.encode()), "top_logprobs": []} for t in (same, word)]
        for e in entries:
            e["top_logprobs"] = [{**e, "top_logprobs": None}]
        lists = {"logprobs": {"content": entries}} if logprobs else {}
        if not stream:
            return respond(raw, {"choices": [{"index": 0, "message": {"role": "assistant", "content": same + word},
                                              "finish_reason": "stop", **lists}]})
        events = [{"choices": [{"index": 0, "delta": {"content": same + word}, "finish_reason": None, **lists}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
        return respond(raw, b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n",
                       content_type="text/event-stream")

    return answers_gets_and(post), asked


@pytest.mark.parametrize("different, found", [(7, False), (1000, True)])
def test_noise_that_decides_a_tie_is_no_fault(start, different, found):
    """One different text may be chance: only a difference in each of many repeats is a finding. Its evidence begins shortly before
    the difference."""
    server, asked = repeating(different)
    said = deep(start.scripted(server).url)
    finding = names(said).get("logprobs.spoil")
    assert bool(finding) == found, (asked, said["findings"])
    if found:
        assert "…" in finding["evidence"] and "and then sea" in finding["evidence"] and "and then land" in finding["evidence"], finding


@pytest.mark.parametrize("late, slow", [(1, False), (1000, True)])
def test_a_stream_that_is_late_once_is_not_slow(start, late, slow):
    server, _ = repeating(0, late)
    said = deep(start.scripted(server).url)
    assert (standing(said, "logprobs.time"), "logprobs.slow" in names(said)) == ("wrong" if slow else "honoured", slow)


def test_a_fault_of_one_engine_is_no_fault_of_another(start):
    """The name is not enough: probe notices an engine that claims to be vLLM and gives no logprobs."""
    def script(raw, seen):
        if seen.method == "GET":
            if seen.target == "/v1/models":
                return respond(raw, {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 4}]})
            return respond(raw, {"detail": "Not Found"}, "404 Not Found")
        said = {"message": {"role": "assistant", "content": "a"}} if "/chat/" in seen.target else {"text": "a"}
        return respond(raw, {"id": "x", "object": "x", "created": 1, "model": "m", "choices": [
            {"index": 0, **said, "logprobs": None, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
    said = deep(start.scripted(script).url, check=1)
    assert {"logprobs.chat.silent", "logprobs.completion.silent"} <= set(names(said))


# --- faulty servers -----------------------------------------------------------------------------------------------------

MODELS = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 4}]}


def answers_gets_and(post):
    def script(raw, seen):
        if seen.method == "POST":
            return post(raw, seen)
        if seen.target == "/v1/models":
            return respond(raw, MODELS)
        return respond(raw, {"detail": "Not Found"}, "404 Not Found")
    return script


def never(raw, seen):
    raw.rest()
    return False


def garbage(raw, seen):
    raw.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not http at all\r\n\r\n")
    return False


def endless(raw, seen):
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"choices\":[{\"text\":\"")
    while True:
        raw.send(b"a" * 65536)


def page(raw, seen):
    return respond(raw, b"<!doctype html><title>Hello</title>", content_type="text/html")


def not_json(raw, seen):
    return respond(raw, b"\xff\xfe{{{[[[" * 100)


def reset(raw, seen):
    raw.reset()
    return False


def broken_off(raw, seen):
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"choices\":[")
    return False


def slow_drip(raw, seen):
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        raw.send(b": keepalive\n\n")
        time.sleep(0.05)


def not_there(raw, seen):
    return respond(raw, {"detail": "Not Found"}, "404 Not Found")


SICK = {  # (script, exit code, words of the problem)
    "never": (never, 3, "no answer"),
    "keepalives": (slow_drip, 3, "no answer"),
    "reset": (reset, 4, "no route"),
    "garbage": (garbage, 4, "no route"),
    "endless": (endless, 4, "no route"),
    "page": (page, 4, "no route"),
    "not json": (not_json, 4, "no route"),
    "broken off": (broken_off, 4, "no route"),
    "404": (not_there, 4, "no route"),
}


@pytest.mark.parametrize("sickness", SICK)
def test_a_server_that_gives_no_answer_ends_with_a_clear_message(start, sickness):
    script, code, words = SICK[sickness]
    server, timeout = start.scripted(answers_gets_and(script)), "1s" if code == 3 else "10s"
    begun = time.monotonic()
    said = deep(server.url, "--timeout", timeout, check=code)
    assert words in said["problem"], said["problem"]
    assert time.monotonic() - begun < PATIENCE
    card = plumbline("probe", server.url, "--deep", "--full", "--timeout", timeout, check=code)
    assert words in re.sub(rb"\s+", b" ", card.stdout).decode(), card.stdout


WHOLLY_SICK = {"never": (never, 3), "reset": (reset, 3), "garbage": (garbage, 3), "page": (page, 4), "not json": (not_json, 4),
               "404": (not_there, 4), "broken off": (broken_off, 4)}


@pytest.mark.parametrize("sickness", WHOLLY_SICK)
def test_a_server_that_is_no_engine_is_reported(start, sickness):
    script, code = WHOLLY_SICK[sickness]
    server = start.scripted(script)
    begun = time.monotonic()
    done = plumbline("probe", server.url, check=code)
    assert time.monotonic() - begun < PATIENCE
    if code == 3:
        assert b"nothing answers at http://" in done.stderr and done.stderr.count(b"\n") == 1
    else:
        assert b"unknown" in done.stdout


def test_a_closed_port_is_reported_at_once():
    begun = time.monotonic()
    done = plumbline("probe", f"http://127.0.0.1:{free_port()}", check=3)
    assert b"connection refused" in done.stderr and not done.stdout
    assert time.monotonic() - begun < 20
    _, said = probe(f"http://127.0.0.1:{free_port()}", check=3)
    assert said["reachable"] is False and said["problem"]


def test_a_server_that_never_accepts_times_out():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        begun = time.monotonic()
        done = plumbline("probe", f"http://127.0.0.1:{listener.getsockname()[1]}", check=3)
        assert time.monotonic() - begun < PATIENCE
        assert b"no complete answer within" in done.stderr


def test_an_engine_killed_by_a_request_is_reported(start):
    """Deep probes are harmless to most engines. If one kills the engine, probe names the request."""
    def script(raw, seen):
        body = json.loads(seen.body)
        if "tools" in body:
            server.stop()
            return False
        said = {"message": {"role": "assistant", "content": "a"}} if "/chat/" in seen.target else {"text": "a"}
        return respond(raw, {"id": "x", "object": "x", "created": 1, "model": "m", "choices": [
            {"index": 0, **said, "logprobs": None, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
            fields=[("Connection", "close")]) or False
    server = start.scripted(answers_gets_and(script))
    said = deep(server.url, check=1)
    assert "tool calls" in names(said)["dead"]["title"] and "stopped answering" in said["problem"]


# --- the command ------------------------------------------------------------------------------------------------------

def test_a_signal_ends_it_within_a_second_and_shows_what_was_found(start, tmp_path):
    server = start.scripted(answers_gets_and(never))
    out = tmp_path / "card.json"
    program = Program(tmp_path, "probe", "probe", server.url, "--deep", "--json", "--out", out)
    wait_for("a request", lambda: any(s.method == "POST" for s in server.seen))
    assert program.stop() == 3
    assert json.loads(out.read_text())["deep"]["stopped"] is True


def test_the_key_goes_in_the_header_and_nowhere_else(start, tmp_path):
    server = start.scripted(Recorded("vllm-0.32.0"))
    for more in (["--json"], []):
        done = plumbline("probe", server.url, "--deep", "--api-key-env", "SECRET", *more, env={"SECRET": "open-sesame"}, patience=LONG)
        assert b"open-sesame" not in done.stdout + done.stderr
    assert all(s.low.get("authorization") == "Bearer open-sesame" for s in server.seen)
    assert b"SECRET" in plumbline("probe", server.url, "--api-key-env", "SECRET", check=2).stderr


def test_a_clients_base_url_is_accepted(start):
    engine = start.engine("--seed", "7")
    for url in (engine.url, f"{engine.url}/", f"{engine.url}/v1", f"{engine.url}/v1/"):
        assert probe(url, check=0)[1]["engine"]["name"] == "plumbline"


@pytest.mark.parametrize("args, words", [
    ([], "URL is missing"), (["http://a", "http://b"], "one URL"), (["http://a", "--risky"], "--deep"),
    (["ftp://a"], "http"), (["127.0.0.1:1"], "http://"), (["http://a", "--timeout", "soon"], "--timeout"),
    (["http://user:secret@a"], "user name or password"), (["http://a", "--deeper"], "did you mean --deep?"), (["http://a", "--timeout"], "needs a value"), (["http://a", "--timeout", "0"], "--timeout needs a time"),
])
def test_a_wrong_command_line_is_refused_in_one_sentence(args, words):
    done = plumbline("probe", *args, check=2)
    assert words in done.stderr.decode() and done.stderr.count(b"\n") == 1 and b"secret" not in done.stderr


def test_json_names_are_those_of_the_manual(start):
    engine = start.engine("--seed", "7")
    said = deep(engine.url, "--risky")
    listed = set(re.findall(r"`([a-z_0-9.]+)`", DOCS.read_text()))
    assert set(said["capabilities"]) <= listed, set(said["capabilities"]) - listed
    source = "".join(f.read_text() for f in (DOCS.parents[1] / "backends" / "probe").glob("*.c"))
    findings = set(re.findall(r'probing_finding\(\s*p, "([a-z_0-9.]+)"', source)) | set(re.findall(r'"([a-z_0-9.]+\.(?:silent|hangs))"', source))
    assert len(findings) > 20 and findings <= listed, findings - listed


def test_control_characters_of_an_engine_are_not_printed(start):
    def script(raw, seen):
        if seen.method == "GET" and seen.target == "/v1/models":
            return respond(raw, {"data": [{"id": "m\x1b[31m\x07", "owned_by": "vllm"}]})
        return respond(raw, b"\x1b]0;owned\x07 \xc2\x9b31m", "400 Bad Request", content_type="text/plain")
    done = plumbline("probe", start.scripted(script).url, "--deep", "--full", check=4)
    assert b"\x1b" not in done.stdout and b"\x07" not in done.stdout and b"\xc2\x9b" not in done.stdout


# A confident model changes rarely: 20 tokens of one prompt do not show a penalty of 1.1. Seeds make other models.
@pytest.mark.parametrize("seed", range(1, 7))
def test_a_penalty_is_found_in_a_confident_model(start, seed):
    said = deep(start.engine("--seed", seed, "--repeat-penalty", "1.1", "--fault", "confident=4").url, check=1)
    assert standing(said, "greedy") == "wrong" and "penalty.hidden" in names(said), said["capabilities"]["greedy"]


# Noise changes some of the texts, as a penalty does. Answers at temperature 0 that vary are a warning, no fault.
@pytest.mark.parametrize("seed", range(1, 21))
def test_run_to_run_noise_is_no_penalty(start, seed):
    said = deep(start.engine("--seed", seed, "--random-seed", seed, "--noise", "0.02", "--fresh-noise").url, check=0)
    assert standing(said, "greedy") in ("honoured", "unknown") and "penalty.hidden" not in names(said), said["capabilities"]["greedy"]


def test_the_first_screen_shows_whether_system_messages_reach_the_model(start):
    for fault, words, code in (("drop-system", "system     messages are dropped", 1), ("crlf", "system     messages reach the model", 0)):
        screen = plumbline("probe", start.engine("--seed", "7", "--fault", fault).url, "--deep", check=code).stdout.decode()
        assert words in screen and ("fault      System messages are dropped" in screen) == bool(code), screen


def test_a_constant_count_of_prompt_tokens_does_not_show_a_dropped_message(start):
    def script(raw, seen):
        said = {"message": {"role": "assistant", "content": "a"}} if b'"messages"' in seen.body else {"text": "a"}
        return respond(raw, MODELS if seen.method == "GET" else {"id": "x", "object": "x", "created": 1, "model": "m", "choices": [
            {"index": 0, **said, "logprobs": None, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})
    assert standing(deep(start.scripted(script).url), "system") == "unknown"


def test_a_confident_model_without_a_penalty_has_none(start):
    said = deep(start.engine("--seed", "7", "--fault", "confident=4").url, check=0)
    assert standing(said, "greedy") == "honoured"


def late(what):
    """Answers like an engine, but hangs on requests with all of these words."""
    plain = Recorded("vllm-0.32.0")

    def script(raw, seen):
        if seen.method == "POST" and all(word in seen.body for word in what):
            return never(raw, seen)
        return plain(raw, seen)
    return script


@pytest.mark.parametrize("what, name", [
    ((b'"stream":true', b'"prompt"', b'"logprobs"'), "logprobs.completion_stream"),
    ((b'"echo":true',), "echo"),
    ((b'"n":2',), "n"),
    ((b'[1000,1001',), "id_prompt"),
    ((b'"prompt_logprobs"',), "prompt_logprobs"),
    ((b'"tools"', b'"stream":true'), "tools.stream"),
    ((b'"seed"',), "seed"),
    ((b'"messages"', b'"logprobs"'), "logprobs.chat"),
])
@pytest.mark.slow
def test_a_timeout_counts_as_unknown(start, what, name):
    said = deep(start.scripted(late(what)).url, "--timeout", "4s")
    capability = said["capabilities"][name]
    assert (capability["standing"], capability["value"]) == ("unknown", "no answer in time"), capability
    assert "no answer within 4 s" in capability["evidence"]
    assert "refused" not in {c["standing"] for n, c in said["capabilities"].items() if "no answer within" in (c["evidence"] or "")}


def test_a_hanging_logprobs_stream_does_not_hide_other_results(start):
    said = deep(start.scripted(late((b'"stream":true', b'"prompt"', b'"logprobs"'))).url, "--timeout", "4s")
    assert standing(said, "stream.usage") == "honoured" and standing(said, "stream.done") == "honoured"


def test_a_probe_of_a_slow_engine_does_not_claim_to_have_found_nothing(start):
    url = start.engine("--ttft", "60s").url
    said = " ".join(plumbline("probe", url, "--deep", "--timeout", "500ms", check=3).stdout.decode().split())
    assert "Findings: none, but the probe did not finish" in said and "A longer --timeout may help" in said
    chat = deep(url, "--timeout", "500ms", check=3)["capabilities"]["chat"]
    assert chat["standing"] == "unknown" and "no answer within 0.5 s" in chat["evidence"]
