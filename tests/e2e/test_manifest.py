"""Stacks: plumbline detects each backend's engine, adapts requests to it, and records changes."""
import json
import random
import re
import threading
import time

import pytest

from harness import PATIENCE, chat, exported, get, plumbline, post, respond, wait_for
from read_capture import Capture
from test_pairs import held_against_rows


class Stack:
    """A scripted engine that identifies itself as a given engine, and keeps the received bodies."""

    def __init__(self, kind, version="1.0", text="a", fingerprint=None):
        self.kind, self.version, self.text, self.fingerprint = kind, version, text, fingerprint
        self.bodies, self.paths = [], []

    def told(self, path):
        models = {"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "vllm", "root": "org/m",
                                              "max_model_len": 2048}]}
        if self.kind == "vllm":
            return {"/v1/models": models, "/version": {"version": self.version}}.get(path)
        if self.kind == "ollama":
            models["data"] = [{"id": "m", "object": "model", "owned_by": "library"}]
            return {"/v1/models": models, "/api/version": {"version": self.version}, "/": b"Ollama is running",
                    "/api/show": {"template": "{{ .Prompt }}", "parameters": "repeat_penalty   1.3\nnum_ctx  4096",
                                  "details": {"format": "gguf", "quantization_level": "Q4_K_M"}}}.get(path)
        if self.kind == "llama.cpp":
            models["data"] = [{"id": "m", "owned_by": "llamacpp"}]
            return {"/v1/models": models, "/props": {"build_info": self.version, "default_generation_settings":
                    {"n_ctx": 512, "params": {"temperature": 0.7, "top_k": 33, "repeat_penalty": 1.0}}}}.get(path)
        if self.kind == "llama-cpp-python":
            return {"/v1/models": {"data": [{"id": "m", "owned_by": "me", "permissions": []}]},
                    "/openapi.json": {"info": {"title": "\U0001f999 llama.cpp Python API", "version": self.version}}}.get(path)
        return {"/v1/models": {"data": [{"id": "m"}]}}.get(path) if self.kind == "unknown" else None

    def __call__(self, raw, seen):
        self.paths.append((seen.method, seen.target))
        if not seen.target.endswith("completions"):
            body = self.told(seen.target)
            if body is None:
                respond(raw, {"detail": "Not Found"}, "404 Not Found")
            else:
                respond(raw, body)
            return
        self.bodies.append(json.loads(seen.body))
        chat_like = seen.target.endswith("/chat/completions")
        said = {"message": {"role": "assistant", "content": self.text}} if chat_like else {"text": self.text}
        answer = {"id": "x", "object": "x", "created": 1, "model": "m", "choices": [{"index": 0, **said, "logprobs": None,
                  "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        if self.fingerprint:
            answer["system_fingerprint"] = self.fingerprint
        respond(raw, answer, fields=[("x-served-by", f"pod-{self.version}")])

    def asks(self):
        """Return the requests other than traffic."""
        return [path for path in self.paths if not path[1].endswith("completions")]


def info(proxy, backend):
    for key in proxy.metrics():
        if key.startswith("plumbline_backend_info{"):
            labels = dict(re.findall(r'(\w+)="([^"]*)"', key))
            if labels["backend"] == backend:
                return labels
    return None


def recognised(proxy, backend, dialect):
    wait_for(f"{backend} to be {dialect}", lambda: (info(proxy, backend) or {}).get("dialect") == dialect)


def ask(proxy, n=1, **more):
    for i in range(n):
        status, _, _ = post(proxy.port, "/v1/chat/completions", chat(f"question {i}", **more))
        assert status == 200


def begin(start, stack, reference=None, top="", primary="", below=""):
    engine = start.scripted(stack)
    other = start.scripted(reference) if reference else None
    config = f"primary:\n  name: prod\n  url: {engine.url}\n{primary}"
    if other:
        config += f"references:\n  - name: ref\n    url: {other.url}\n{below}"
    return start.proxy(None, config=config + top, poll=None)


def test_each_leg_names_its_recorded_stack(start):
    proxy = begin(start, Stack("vllm", "0.32.0"), Stack("ollama", "0.17.4"), primary="  replica_header: X-Served-By\n"
                  "  stack: {hardware.accelerator: 2 x H100, rack: B7, engine.version: wrong}\n")
    recognised(proxy, "prod", "vllm")
    recognised(proxy, "ref", "ollama")
    ask(proxy, 3)
    proxy.settled(3)
    proxy.settled(3, "ref")
    assert proxy.stop() == 0
    manifests = Capture([proxy.capture]).manifests()
    by_backend = {}
    for m in manifests.values():
        if "engine" in m["facts"]:
            assert m["backend"] not in by_backend, "one manifest each"
            by_backend[m["backend"]] = m
    prod, ref = by_backend["prod"]["facts"], by_backend["ref"]["facts"]
    assert prod["engine.version"] == "0.32.0" and prod["model.context"] == "2048" and prod["model.source"] == "org/m"
    assert prod["hardware.accelerator"] == "2 x H100" and prod["note.rack"] == "B7"
    assert prod["note.engine.version"] == "wrong", "the engine's information has priority over the configuration"
    assert ref["sampling.repetition_penalty"] == "1.3" and ref["model.quantization"] == "Q4_K_M"
    assert ref["model.template"].startswith("blake2b-256:")
    for e in exported(proxy.capture):
        for leg in e["legs"]:
            assert manifests[leg["manifest"]]["backend"] == leg["backend"]
            assert leg["dialect"] == {"prod": "vllm", "ref": "ollama"}[leg["backend"]]
            assert leg["replica"] == ("pod-0.32.0" if leg["backend"] == "prod" else None)
    plumbline("capture", "verify", proxy.capture, check=0)


def test_a_deployment_during_a_capture_splits_its_legs(start, tmp_path):
    stack = Stack("vllm", "0.32.0", fingerprint="vllm-0.32.0-aaaa")
    proxy = begin(start, stack, Stack("vllm", "0.32.0"), primary="  poll: 1s\n")
    recognised(proxy, "prod", "vllm")
    ask(proxy, 4)
    stack.version, stack.text, stack.fingerprint = "0.33.0", "b", "vllm-0.33.0-bbbb"
    wait_for("the change", lambda: info(proxy, "prod")["version"] == "0.33.0")
    ask(proxy, 6)
    stack.version, stack.text, stack.fingerprint = "0.32.0", "a", "vllm-0.32.0-aaaa"
    wait_for("the change back", lambda: info(proxy, "prod")["version"] == "0.32.0")
    ask(proxy, 2)
    proxy.settled(12)
    proxy.settled(12, "ref")
    assert "The stack of prod has changed: engine.version 0.32.0 -> 0.33.0" in proxy.log()
    assert proxy.stop() == 0

    versions = {m["id"]: m["facts"].get("engine.version") for m in Capture([proxy.capture]).manifests().values()}
    legs = sorted((e for e in exported(proxy.capture)), key=lambda e: e["id"])
    told = [versions[leg["manifest"]] for e in legs for leg in e["legs"] if leg["backend"] == "prod"]
    assert told == ["0.32.0"] * 4 + ["0.33.0"] * 6 + ["0.32.0"] * 2
    assert sorted(versions.values()) == ["0.32.0", "0.32.0", "0.33.0"], "the old version is the same stack again"

    sheet = json.loads(plumbline("manifest", proxy.capture, "--format", "json", check=0).stdout)
    assert json.loads(plumbline("analyze", proxy.capture, "--json").stdout)["manifest"] == sheet
    prod = next(s for s in sheet["stacks"] if s["backend"] == "prod")
    assert [(s["answers"], len(s["changes"])) for s in prod["states"]] == [(6, 0), (6, 1)]
    assert prod["states"][1]["changes"] == [{"name": "engine.version", "was": "0.32.0", "is": "0.33.0"}]
    assert {r["name"]: r["answers"] for r in prod["replicas"]} == {"vllm-0.32.0-aaaa": 6, "vllm-0.33.0-bbbb": 6}
    items = {i["name"]: i for i in prod["items"]}
    assert items["engine.version"]["value"] == "0.32.0" and items["engine.version"]["status"] == "told"
    assert items["evaluation.reference"]["value"] == "ref"
    assert items["hardware.driver"]["status"] == "unknown" and items["hardware.driver"]["must"]
    assert prod["requests"]["temperature"] == {"set": 12, "low": 0.0, "high": 0.0}

    text = plumbline("manifest", proxy.capture, check=0).stdout.decode()
    assert "engine.version: 0.32.0 -> 0.33.0" in text and "Still unknown" in text
    markdown = plumbline("manifest", proxy.capture, "--format", "markdown", "--backend", "prod", check=0).stdout.decode()
    assert "| Engine version | 0.32.0 | GET /version |" in markdown and "Stack of ref" not in markdown

    by_stack = plumbline("analyze", proxy.capture, "--full", "--by", "stack").stdout.decode()
    assert "0.33.0" in by_stack and "0.32.0" in by_stack
    by_replica = plumbline("analyze", proxy.capture, "--full", "--by", "replica").stdout.decode()
    for by in ("stack", "replica"):
        alone = plumbline("analyze", proxy.capture, "--by", by, "--json").stdout
        assert plumbline("analyze", proxy.capture, "--by", by, "--json", "--jobs", "3").stdout == alone
        held_against_rows(proxy.capture, tmp_path, "--by", by)
    assert "vllm-0.33.0-bbbb" in by_replica
    plain = plumbline("analyze", proxy.capture, "--full").stdout.decode()
    assert "changed" in plain and "--by stack" in plain


@pytest.mark.slow
def test_a_new_fingerprint_triggers_a_poll(start):
    stack = Stack("vllm", "0.32.0", fingerprint="one")
    proxy = begin(start, stack, primary="  poll: 1h\n")
    recognised(proxy, "prod", "vllm")
    ask(proxy)
    proxy.settled(1)
    stack.version, stack.fingerprint = "0.33.0", "two"
    ask(proxy)
    wait_for("the change", lambda: info(proxy, "prod")["version"] == "0.33.0", patience=PATIENCE + 10)


def test_a_wrong_dialect_is_logged_once(start):
    stack = Stack("ollama", "0.17.4")
    proxy = begin(start, Stack("vllm"), stack, below="    dialect: vllm\n    poll: 1s\n")
    recognised(proxy, "ref", "ollama")
    wait_for("some polls", lambda: len([p for p in stack.paths if p[1] == "/api/version"]) >= 3)
    errors = [line for line in proxy.log().splitlines() if "is configured as vllm" in line]
    assert len(errors) == 1 and "answers like ollama" in errors[0] and '"level":"error"' in errors[0], errors
    assert "/api/version" in errors[0] or "Ollama is running" in errors[0], "with the evidence"
    assert proxy.metrics()['plumbline_dialect_mismatch{backend="ref"}'] == 1
    assert proxy.metrics()['plumbline_dialect_mismatch{backend="prod"}'] == 0
    assert info(proxy, "ref")["configured"] == "vllm"


def test_an_unknown_engine_is_generic(start):
    proxy = begin(start, Stack("unknown"), primary="  poll: 1s\n")
    line = wait_for("the line", lambda: [x for x in proxy.log().splitlines() if "is an unknown engine" in x])
    time.sleep(1.5)
    assert len(line) == 1 and len([x for x in proxy.log().splitlines() if "is an unknown engine" in x]) == 1
    assert info(proxy, "prod")["dialect"] == "generic"


def test_poll_off_sends_nothing(start):
    one, two = Stack("vllm"), Stack("ollama")
    proxy = begin(start, one, two, primary="  poll: off\n", below="    poll: off\n    dialect: ollama\n    stack: {rack: C1}\n")
    ask(proxy, 2)
    proxy.settled(2)
    proxy.settled(2, "ref")
    time.sleep(0.5)
    assert one.asks() == [] and two.asks() == []
    assert info(proxy, "ref")["dialect"] == "ollama" and info(proxy, "prod")["dialect"] == "generic"
    assert proxy.stop() == 0
    manifests = Capture([proxy.capture]).manifests()
    assert [m["facts"] for m in manifests.values()] == [{"note.rack": "C1"}], "the configured value is recorded, too"


def test_a_single_request_engine_is_never_polled_for_models(start):
    """A poll would make llama-cpp-python end a running stream early."""
    stack = Stack("llama-cpp-python", "0.3.36")
    proxy = begin(start, stack, primary="  poll: 1s\n")
    recognised(proxy, "prod", "llama-cpp-python")
    wait_for("more polls", lambda: len(stack.asks()) >= 3)
    assert {path for _, path in stack.asks()} == {"/openapi.json"}
    assert info(proxy, "prod")["version"] == "0.3.36"


def test_a_single_request_engine_is_polled_only_when_idle(start):
    """Also an engine that does not identify itself."""
    stack, events, answering = Stack("unknown"), [], threading.Event()

    def script(raw, seen):
        events.append((seen.target, answering.is_set()))
        if seen.target.endswith("completions"):
            answering.set()
            time.sleep(3)
            answering.clear()
            stack(raw, seen)
        else:
            stack(raw, seen)
    engine = start.scripted(script)
    proxy = start.proxy(None, poll=None,
                        config=f"primary: {{name: prod, url: '{engine.url}', dialect: llama-cpp-python, poll: 1s}}\n")
    wait_for("a poll", lambda: events)
    time.sleep(0.5)
    ask(proxy)
    asked = len(events)
    wait_for("a poll after it", lambda: len(events) > asked)
    assert not [path for path, busy in events if busy], events


def test_polling_changes_nothing(start):
    """The proxy sends only GETs and /api/show, with its own key for that backend, never with a client's."""
    stack = Stack("ollama")
    engine = start.scripted(stack)
    proxy = start.proxy(None, poll=None, env={"PROD_KEY": "sk-own"},
                        config=f"primary: {{name: prod, url: '{engine.url}', api_key_env: PROD_KEY}}\n")
    recognised(proxy, "prod", "ollama")
    assert all(method == "GET" or target == "/api/show" for method, target in stack.asks())
    asked = [s for s in engine.seen if not s.target.endswith("completions")]
    assert all(s.low.get("authorization") == "Bearer sk-own" for s in asked)
    status, _, _ = post(proxy.port, "/v1/chat/completions", chat(), [("authorization", "Bearer client")])
    assert status == 200
    traffic = [s for s in engine.seen if s.target.endswith("completions")]
    assert [s.low.get("authorization") for s in traffic] == ["Bearer client"]
    assert "sk-own" not in proxy.log()


def test_stopping_does_not_wait_for_an_engine_that_never_answers(start):
    def hang(raw, seen):
        raw.socket.settimeout(PATIENCE)
        raw.socket.recv(1)     # ends when the proxy gives up
        return False

    def took():
        engine = start.scripted(hang)
        proxy = start.proxy(engine.url, poll="10m")
        wait_for("a poll", lambda: engine.seen)
        began = time.monotonic()
        assert proxy.stop() == 0
        return time.monotonic() - began
    assert min(took() for _ in range(3)) < 3, "a poll takes 4 s; a busy machine may delay one end, but not each"


GREEDY = {
    "vllm": {"temperature": 0, "top_p": 1, "top_k": 0, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0,
             "frequency_penalty": 0},
    "ollama": {"temperature": 0, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0},
    "llama.cpp": {"temperature": 0, "top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1, "cache_prompt": False},
}


@pytest.mark.parametrize("kind", GREEDY)
def test_align_greedy_uses_the_references_parameters(start, kind):
    stack = Stack(kind)
    proxy = begin(start, Stack("vllm"), stack, below=f"    align: greedy\n    set: {{top_p: 0.5}}\n")
    recognised(proxy, "ref", kind)
    ask(proxy, temperature=0.9)
    proxy.settled(1, "ref")
    sent = stack.bodies[0]
    for name, value in {**GREEDY[kind], "top_p": 0.5}.items():
        assert sent[name] == value, (name, sent)
    assert proxy.stop() == 0
    leg = next(leg for leg in exported(proxy.capture)[0]["legs"] if leg["backend"] == "ref")
    assert leg["align"] == "greedy" and leg["edits"]


@pytest.mark.parametrize("content", ["full", "metadata"])
def test_the_list_says_if_parameters_are_only_those_of_the_client(start, content):
    proxy = begin(start, Stack("vllm"), Stack("vllm"), below="    set: {temperature: 0.3}\n",
                  top=f"logprobs: {{inject: 'off'}}\ncapture: {{content: {content}}}\n")
    recognised(proxy, "ref", "vllm")
    body = chat()
    del body["temperature"]
    assert post(proxy.port, "/v1/chat/completions", body)[0] == 200
    proxy.settled(1, "ref")
    assert proxy.stop() == 0
    ref = next(s for s in json.loads(plumbline("manifest", proxy.capture, "--format", "json", check=0).stdout)["stacks"] if s["backend"] == "ref")
    text = plumbline("manifest", proxy.capture, "--backend", "ref", check=0).stdout.decode()
    if content == "full":
        assert ref["requests"]["temperature"] == {"set": 1, "low": 0.3, "high": 0.3} and ref["requests_as_asked"] == 0
        assert "as the client sent them" not in text
    else:
        assert ref["requests"]["temperature"]["set"] == 0 and ref["requests_as_asked"] == 1
        assert "1 as the client sent them" in text


def test_align_same_sends_the_primarys_defaults(start):
    stack = Stack("vllm")
    proxy = begin(start, Stack("llama.cpp"), stack, below="    align: same\n")
    recognised(proxy, "prod", "llama.cpp")
    recognised(proxy, "ref", "vllm")
    body = chat()
    del body["temperature"]
    assert post(proxy.port, "/v1/chat/completions", body)[0] == 200
    proxy.settled(1, "ref")
    sent = stack.bodies[0]
    assert sent["temperature"] == pytest.approx(0.7) and sent["top_k"] == 33, sent


def test_a_strict_engine_gets_nothing_that_it_refuses(start):
    stack = Stack("unknown")
    proxy = begin(start, Stack("vllm"), stack, below="    dialect: transformers\n    poll: off\n")
    recognised(proxy, "ref", "transformers")
    ask(proxy, n=1, max_completion_tokens=5, user="u", logprobs=True, top_logprobs=2, store=None, presence_penalty=0.5)
    proxy.settled(1, "ref")
    sent = stack.bodies[0]
    assert not {"logprobs", "top_logprobs", "user", "store", "presence_penalty", "max_completion_tokens", "n",
                "stream_options"} & set(sent), sent
    assert sent["messages"] and sent["model"]
    assert proxy.stop() == 0
    leg = next(leg for leg in exported(proxy.capture)[0]["legs"] if leg["backend"] == "ref")
    assert "dropped" in leg["marks"] and leg["dialect"] == "transformers"


def test_unsupported_requests_for_a_reference_are_logged_once(start):
    proxy = begin(start, Stack("unknown"), Stack("unknown"), below="    dialect: tgi\n    poll: off\n    align: same\n    thinking: off\n")
    ask(proxy, 3)
    proxy.settled(3, "ref")
    lines = [line for line in proxy.log().splitlines() if "can't be aligned" in line]
    assert len(lines) == 1 and '"level":"error"' in lines[0], lines
    assert "Copies to ref " in lines[0] and "thinking" in lines[0] and "defaults of the primary" in lines[0], lines


def test_a_chat_is_sent_as_a_completion_with_a_template(start):
    stack = Stack("vllm")
    proxy = begin(start, Stack("vllm"), stack, below="    completions_template: chatml\n")
    recognised(proxy, "ref", "vllm")
    ask(proxy)
    status, _, _ = post(proxy.port, "/v1/chat/completions", chat(tools=[{"type": "function", "function": {"name": "f"}}]))
    assert status == 200
    proxy.settled(2, "ref")
    assert [p for p in stack.paths if p[0] == "POST"] == [("POST", "/v1/completions")]
    sent = stack.bodies[0]
    assert sent["prompt"] == "<|im_start|>user\nquestion 0<|im_end|>\n<|im_start|>assistant\n" and "messages" not in sent
    assert sent["max_tokens"] == 16 and isinstance(sent["logprobs"], int)
    assert proxy.stop() == 0
    first, second = (next(leg for leg in e["legs"] if leg["backend"] == "ref") for e in exported(proxy.capture))
    assert first["reading"]["choices"][0]["text"] == "a"
    assert second["outcome"] == "bad_request" and "template" in second["error"]


def test_a_single_request_engine_gets_one_at_a_time(start):
    proxy = begin(start, Stack("vllm"), Stack("unknown"), below="    dialect: llama-cpp-python\n    poll: off\n")
    assert "one copy at a time" in proxy.log()


def test_a_live_engine_is_detected(start):
    engine = start.engine()
    done = plumbline("manifest", engine.url, "--format", "json", check=0)
    sheet = json.loads(done.stdout)["stacks"][0]
    assert next(i for i in sheet["items"] if i["name"] == "model")["value"] == "simulated"
    assert plumbline("manifest", "http://127.0.0.1:1").returncode == 3
    assert plumbline("manifest").returncode == 2
    assert plumbline("manifest", "--format", "yaml", "x").returncode == 2
    get(engine.port, "/health")


def test_a_capture_without_a_stack_says_so(start):
    engine = start.engine()
    proxy = start.proxy(engine.url)
    ask(proxy)
    proxy.settled(1)
    assert proxy.stop() == 0
    done = plumbline("manifest", proxy.capture)
    assert done.returncode == 4 and b"plumbline knows nothing about it" in done.stdout


@pytest.mark.slow
def test_manifests_survive_rotation_and_retention(start):
    """Each leg's manifest is found, although older segments were deleted."""
    stack = Stack("vllm", text="x" * 40000)
    engine = start.scripted(stack)
    directory = start.directory / "small"
    proxy = start.proxy(None, poll=None, capture=directory, config=f"""
primary: {{name: prod, url: '{engine.url}'}}
capture: {{max_size: 4MiB, segment_size: 1MiB}}
""")
    recognised(proxy, "prod", "vllm")
    noise = random.Random(7)
    for _ in range(120):
        stack.text = "".join(noise.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-", k=60000))
        ask(proxy)
    proxy.settled(120)
    assert proxy.stop() == 0
    capture = Capture([directory])
    manifests = capture.manifests()
    legs = [leg for e in exported(directory) for leg in e["legs"]]
    assert len(capture.segments) > 1 and legs
    assert all(leg["manifest"] in manifests for leg in legs)
    assert len(manifests) == 1
    # Parts of the oldest exchange may have been in the deleted segment; nothing is damaged.
    assert json.loads(plumbline("capture", "verify", "--json", directory).stdout)["damaged"] == 0


def test_copies_wait_for_the_references_detection(start):
    """llama-cpp-python needs one request at a time, and loses characters with logprobs. The first copy respects that."""
    asked = threading.Event()

    def llama(raw, seen):
        if seen.method == "GET":
            asked.wait(1)       # a poll gives up after 2 s
            known = seen.target == "/openapi.json"
            return respond(raw, {"info": {"title": "🦙 llama.cpp Python API", "version": "0.3.36"}} if known else {}, "200 OK" if known else "404 Not Found")
        respond(raw, b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n', content_type="text/event-stream")
    reference = start.scripted(llama)
    proxy = start.proxy(start.engine().url, reference=reference.url, poll="1h")
    assert post(proxy.port, "/v1/chat/completions", chat(stream=True))[0] == 200
    asked.set()
    proxy.settled(1, "reference")
    assert [b'"logprobs"' in seen.body for seen in reference.seen if seen.method == "POST"] == [False]
