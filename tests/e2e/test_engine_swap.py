"""Another engine replaces the first behind the same URL, or both alternate. Each client gets what its engine sends
without injection.

The engines are recorded ones (tests/golden), with and without injection, and made-up ones that differ in one member
each.
"""
import itertools
import json
import pathlib
import re
import threading

import pytest

from harness import PATIENCE, Raw, chat, chunk, completion, exported, plumbline, post, post_and_hear, request, respond, wait_for

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
PATHS = {"chat": "/v1/chat/completions", "completion": "/v1/completions"}
USAGE = {"stream_options": {"include_usage": True}}
REQUESTS = {
    "chat": ("chat", {}), "chat, streamed": ("chat", {"stream": True}), "chat, streamed with usage": ("chat", {"stream": True, **USAGE}),
    "completion": ("completion", {}), "completion, streamed": ("completion", {"stream": True}),
    "completion, streamed with usage": ("completion", {"stream": True, **USAGE}),
}


class Recorded:
    """Plays recorded answers of an engine: of Gemma, or of Qwen with characters of several tokens."""

    def __init__(self, name):
        self.name, self.directory = name, GOLDEN / name
        self.qwen = name.endswith("-qwen")
        self.loses = name == "llama-cpp-python-0.3.36-qwen"     # of streams with logprobs, characters of several tokens
        self.kinds = [kind for kind in REQUESTS if not self.qwen or not kind.endswith("streamed")]   # its streams have usage

    def file(self, endpoint, body, asked):
        if self.name == "transformers-5.19.0":     # gives the same answer with and without logprobs
            return endpoint + ("-stream-usage" if body.get("stream") else "")
        asked = "injected" if asked else "plain"
        if self.qwen:
            return f"emoji-{endpoint}-{'stream' if body.get('stream') else 'unary'}-{asked}"
        form = "unary" if not body.get("stream") else "usage" if "stream_options" in body else "stream"
        return f"cut-{endpoint}-{form}-{asked}"

    def answer(self, endpoint, body):
        asked = bool(body.get("logprobs"))
        return (self.directory / f"{self.file(endpoint, body, asked)}.response").read_bytes()

    def __call__(self, raw, endpoint, body):
        raw.send(self.answer(endpoint, body))
        return False

    def direct(self, endpoint, body):
        """Return what a client gets directly from the engine: (names of fields, body)."""
        head, _, rest = self.answer(endpoint, body).partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            whole = b""
            while rest:
                size, _, rest = rest.partition(b"\r\n")
                if not int(size, 16):
                    break
                whole, rest = whole + rest[:int(size, 16)], rest[int(size, 16) + 2:]
            rest = whole
        return rest


NAMES = ("vllm-0.32.0", "llama-cpp-python-0.3.36", "ollama-0.17.4", "mlx-lm-0.32.2", "transformers-5.19.0")
ENGINES = [Recorded(name + model) for model in ("", "-qwen") for name in NAMES]


def kinds(*engines):
    """Requests that all recordings have, with logprobs too unless plumbline knows the engine."""
    return [kind for kind in REQUESTS if all(kind in engine.kinds and not (engine.loses and "streamed" in kind) for engine in engines)]


class Address:
    """One address for several engines. Set .engine at any time; engines of a list alternate."""

    def __init__(self, start, engine):
        self.engine, self.turn, self.injected, self.polled, self.version = engine, 0, 0, 0, "1"
        self.server = start.scripted(self.serve)
        self.url = self.server.url

    def wait_for_poll(self):
        """Wait for the next poll, before which the proxy has dealt with what the last one found."""
        polled = self.polled
        wait_for("the next poll", lambda: self.polled > polled)

    def serve(self, raw, seen):
        if seen.method == "GET":
            self.polled += 1
            told = {"/v1/models": {"object": "list", "data": [{"id": f"m{self.version}", "object": "model"}]}}
            if getattr(self.engine, "name", "").startswith("llama-cpp-python"):
                told["/openapi.json"] = {"info": {"title": "🦙 llama.cpp Python API", "version": "0.3.36"}}
            return respond(raw, told.get(seen.target, {}), "200 OK" if seen.target in told else "404 Not Found")
        endpoint = "chat" if seen.target == PATHS["chat"] else "completion"
        body, engine = json.loads(seen.body), self.engine
        if isinstance(engine, (list, tuple)):
            engine, self.turn = engine[self.turn % len(engine)], self.turn + 1
        self.injected += "logprobs" in body
        return engine(raw, endpoint, body)


def plain(body):
    """Return the answer without members that always differ."""
    body = re.sub(rb'"(id|created)": ?("[^"]*"|\d+)', b"", body)
    return re.sub(rb'"cached_tokens": ?\d+', b"", body)


def ask(proxy, kind):
    endpoint, more = REQUESTS[kind]
    body = chat(**more) if endpoint == "chat" else completion(**more)
    status, _, said = post(proxy.port, PATHS[endpoint], body)
    assert status == 200
    return plain(said)


def direct(engine, kind):
    endpoint, more = REQUESTS[kind]
    return plain(engine.direct(endpoint, chat(**more) if endpoint == "chat" else completion(**more)))


@pytest.mark.parametrize("before", ENGINES, ids=lambda e: e.name)
def test_clients_of_a_replaced_engine_get_its_own_answers(start, before):
    for after in ENGINES:
        if after is before:
            continue
        address = Address(start, before)
        proxy = start.proxy(address.url, workers="1")
        for kind in kinds(before, after):
            address.engine = before
            for i in range(4):
                assert ask(proxy, kind) == direct(before, kind), (kind, i)
            address.engine = after
            for i in range(5):
                assert ask(proxy, kind) == direct(after, kind), (kind, after.name, i)
        assert address.injected > 6, "nothing was injected"
        proxy.stop()


@pytest.mark.parametrize("pair", itertools.combinations(ENGINES, 2), ids=lambda p: "-".join(e.name for e in p))
def test_two_alternating_engines_are_told_apart(start, pair):
    address = Address(start, pair)
    proxy = start.proxy(address.url, workers="1")
    for kind in kinds(*pair):
        answers = {direct(engine, kind) for engine in pair}
        assert len(answers) == 2
        for i in range(8):
            assert ask(proxy, kind) in answers, (kind, i)
    assert address.injected > 6, "nothing was injected"
    assert proxy.metrics()["plumbline_uncut_total"] == 0


def test_an_engine_harmed_by_logprobs_is_recognised_at_once(start):
    """The proxy detects the new engine long before the next poll; until then it adds no logprobs."""
    harmed = next(engine for engine in ENGINES if engine.loses)
    before = [engine for engine in ENGINES if engine.qwen and not engine.loses]
    addresses = [Address(start, engine) for engine in before]
    proxies = [start.proxy(address.url, workers="1", poll="1h") for address in addresses]
    for proxy, engine in zip(proxies, before):
        wait_for("the first detection", lambda: proxy.metrics()['plumbline_manifests_total{backend="primary"}'] == 1)
        for kind in harmed.kinds:
            for i in range(3):
                assert ask(proxy, kind) == direct(engine, kind), (engine.name, kind, i)
    for proxy, address in zip(proxies, addresses):
        assert address.injected, "nothing was injected"
        address.engine = harmed
        first = next(kind for kind in harmed.kinds if "streamed" in kind)
        assert ask(proxy, first) == direct(harmed, first)
        wait_for("the second detection", lambda: proxy.metrics()['plumbline_manifests_total{backend="primary"}'] == 2)
        for kind in harmed.kinds:
            for i in range(4):
                assert ask(proxy, kind) == direct(harmed, kind), (address.engine.name, kind, i)


class Made:
    """A made-up engine; two of them differ in one member.

    logprobs: "null" or "absent" in answers to requests without logprobs.
    usage: "asked": on request, in its own event; "last": always, in the last event with choices; "null": null in each event.
    fingerprint: in no event, in all, or in the last one.
    """

    def __init__(self, logprobs="absent", usage="asked", fingerprint="none"):
        self.logprobs, self.usage, self.fingerprint = logprobs, usage, fingerprint

    def event(self, asked, wants_usage, key, said, finish=None, tokens=None, last=False):
        choice = {"index": 0, key: said, "finish_reason": finish}
        if asked and tokens:
            choice["logprobs"] = {"content": [{"token": t, "logprob": -0.1, "bytes": list(t.encode()), "top_logprobs": []} for t in tokens]}
        elif self.logprobs == "null":
            choice["logprobs"] = None
        event = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        if self.usage == "null":
            event["usage"] = None
        if last and self.usage == "last":
            event["usage"] = {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}
        if self.fingerprint == "all" or (last and self.fingerprint == "last" and not (wants_usage and self.usage == "asked")):
            event["system_fingerprint"] = "fp_1"
        return event

    def stream(self, asked, wants_usage):
        yield self.event(asked, wants_usage, "delta", {"role": "assistant", "content": ""})
        for word in ("good", " day"):
            yield self.event(asked, wants_usage, "delta", {"content": word}, tokens=[word])
        yield self.event(asked, wants_usage, "delta", {}, finish="stop", last=True)
        if wants_usage and self.usage != "last":
            event = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
                     "usage": {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}}
            yield event | ({"system_fingerprint": "fp_1"} if self.fingerprint != "none" else {})

    def body(self, body):
        asked, dumped = bool(body.get("logprobs")), lambda o: json.dumps(o, separators=(",", ":")).encode()
        if not body.get("stream"):
            event = self.event(asked, False, "message", {"role": "assistant", "content": "good day"}, "stop", ["good", " day"])
            return dumped(event | {"usage": {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}})
        events = self.stream(asked, "stream_options" in body)
        return b"".join(b"data: %s\n\n" % dumped(e) for e in events) + b"data: [DONE]\n\n"

    def __call__(self, raw, endpoint, body):
        respond(raw, self.body(body), fields=[("Connection", "close")], content_type="text/event-stream" if body.get("stream") else "application/json")
        return False

    def direct(self, endpoint, body):
        return self.body(body)


TOLD_APART = {   # by the first event, or by members that only injection explains
    "usage when asked, in the last event": ({}, {"usage": "last"}),
    "fingerprint on none, on the last": ({}, {"fingerprint": "last"}),
    "fingerprint on all, on the last": ({"fingerprint": "all"}, {"fingerprint": "last"}),
    "usage absent, null": ({}, {"usage": "null"}),
    "fingerprint on the last, on all": ({"fingerprint": "last"}, {"fingerprint": "all"}),
    "usage null, when asked": ({"usage": "null"}, {}),
    "null, no member": ({"logprobs": "null"}, {}),
    "no member, null": ({}, {"logprobs": "null"}),
}


@pytest.mark.parametrize("case", TOLD_APART)
@pytest.mark.parametrize("kind", ["chat, streamed", "chat, streamed with usage"])
def test_the_first_event_tells_engines_apart_by_one_member(start, case, kind):
    before, after = (Made(**options) for options in TOLD_APART[case])
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1")
    for i in range(5):
        assert ask(proxy, kind) == direct(before, kind)
    address.engine = after
    for i in range(5):
        assert ask(proxy, kind) == direct(after, kind), i
    address.engine = [before, after]
    for i in range(8):
        assert ask(proxy, kind) in (direct(before, kind), direct(after, kind)), i
    assert address.injected > 3, "nothing was injected"


UNARY = ({"logprobs": "null"}, {"logprobs": "absent"})


@pytest.mark.parametrize("options", [UNARY, UNARY[::-1]])
def test_indistinguishable_unary_answers_end_injection(start, options):
    before, after = (Made(**o) for o in options)
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1", plain_share="30%")
    for i in range(5):
        assert ask(proxy, "chat") == direct(before, "chat")
    address.engine = after
    for _ in range(200):
        injected = address.injected
        ask(proxy, "chat")
        if injected == address.injected:
            break
    for i in range(8):
        assert ask(proxy, "chat") == direct(after, "chat"), i
    assert address.injected == injected, "the proxy injected an answer that it cannot cut reliably"


@pytest.mark.parametrize("options", [UNARY, UNARY[::-1]])
def test_a_changed_manifest_resets_what_was_learned(start, options):
    before, after = (Made(**o) for o in options)
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1", poll="1s")
    manifests = 'plumbline_manifests_total{backend="primary"}'
    wait_for("the first manifest", lambda: proxy.metrics()[manifests] == 1)
    for i in range(5):
        assert ask(proxy, "chat") == direct(before, "chat")
    assert address.injected == 4
    address.engine, address.version = after, "2"
    wait_for("the second manifest", lambda: proxy.metrics()[manifests] == 2)
    address.wait_for_poll()
    for i in range(5):
        assert ask(proxy, "chat") == direct(after, "chat"), i
    assert address.injected == 8


def test_ended_injection_stays_ended_with_alternating_known_engines(start):
    """Two replicas have different manifests, and each poll may find the other one."""
    def codes(raw, endpoint, body):
        respond(raw, engine.body(body), fields=[("Content-Encoding", "x")] if "logprobs" in body else [])

    def finds(version, n):
        address.version = version
        wait_for(f"change {n}", lambda: proxy.log().count("has changed") == n)
        address.wait_for_poll()
        injected = address.injected
        for _ in range(3):
            ask(proxy, "chat")
        return address.injected - injected

    engine = Made()
    address = Address(start, engine)
    proxy = start.proxy(address.url, workers="1", poll="1s", config="log: {repeat_after: 1s}\n")
    wait_for("the first manifest", lambda: proxy.metrics()['plumbline_manifests_total{backend="primary"}'] == 1)
    assert finds("2", 1) == 2
    address.engine = codes
    ask(proxy, "chat")
    assert proxy.metrics()['plumbline_injection_ended_total{reason="coding"}'] == 1
    address.engine = engine
    assert finds("1", 2) == 0
    assert finds("2", 3) == 0
    assert finds("3", 4) == 2, "a new engine is tried"


def test_the_first_request_after_an_outage_is_plain(start):
    before, after = (Made(**o) for o in UNARY)
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1")
    for i in range(5):
        assert ask(proxy, "chat") == direct(before, "chat")
    address.server.stop()
    assert post(proxy.port, PATHS["chat"], chat())[0] == 502
    address.server = start.scripted(address.serve, port=address.server.port)
    address.engine = after
    for i in range(5):
        assert ask(proxy, "chat") == direct(after, "chat"), i


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_replaced_engine_is_recognised_without_a_capture(start, kind):
    transformers, vllm = Recorded("transformers-5.19.0"), Recorded("vllm-0.32.0")
    address = Address(start, transformers)
    proxy = start.proxy(address.url, workers="1", capture=False)
    for i in range(4):
        assert ask(proxy, kind) == direct(transformers, kind), i
    assert address.injected == 3
    address.engine = vllm
    for i in range(4):
        assert ask(proxy, kind) == direct(vllm, kind), i


class Announced(Made):
    """Sends `first`, which has no data, before each stream, and the rest when the client has got `first`."""

    def __init__(self, first, **options):
        super().__init__(**options)
        self.first, self.heard = first, threading.Event()

    def __call__(self, raw, endpoint, body):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(self.first))
        assert self.heard.wait(PATIENCE)
        raw.send(chunk(self.body(body)) + chunk(b""))

    def ask(self, proxy):
        return post_and_hear(proxy.port, PATHS["chat"], chat(stream=True), chunk(self.first), self.heard)[2]


@pytest.mark.parametrize("first", [b": ping\n\n", b"retry: 5\n\n", b"\n"])
def test_a_replaced_engine_is_recognised_after_comments(start, first):
    before, after = Announced(first, logprobs="null"), Announced(first, logprobs="absent")
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1")
    for i in range(4):
        assert before.ask(proxy) == first + before.body({"stream": True}), i
    assert address.injected == 3
    address.engine = after
    # The client also gets the comment of the discarded answer.
    assert after.ask(proxy) == 2 * first + after.body({"stream": True})
    for i in range(4):
        assert after.ask(proxy) == first + after.body({"stream": True}), i
    assert proxy.metrics()["plumbline_asked_again_total"] == 1


class RefusesPlain(Announced):
    """Answers requests with added members, and refuses or breaks off those without."""

    def __init__(self, first=b"", second="429", **options):
        super().__init__(first, **options)
        self.second = second

    def __call__(self, raw, endpoint, body):
        if "logprobs" in body and self.first:
            super().__call__(raw, endpoint, body)
        elif "logprobs" in body:
            respond(raw, self.body(body), fields=[("X-Try", "first"), ("Connection", "close")],
                    content_type="text/event-stream" if body.get("stream") else "application/json")
        elif self.second == "429":
            respond(raw, {"error": {"message": "too many requests"}}, "429 Too Many Requests", [("Retry-After", "7")])
        elif self.second == "json":
            respond(raw, {"choices": []}, fields=[("X-Try", "second")])
        return False


def taught(start, engine, stream):
    """A proxy that already injects, in front of an address where `engine`, with an unknown form, answers next."""
    address = Address(start, Made())
    proxy = start.proxy(address.url, workers="1")
    for _ in range(2):
        ask(proxy, "chat, streamed" if stream else "chat")
    address.engine = engine
    return proxy


def test_a_refused_second_request_gives_the_refusals_head(start):
    proxy = taught(start, RefusesPlain(fingerprint="all"), True)
    status, fields, _ = post(proxy.port, PATHS["chat"], chat(stream=True))
    assert status == 429 and ("Retry-After", "7") in fields and "X-Try" not in dict(fields)
    assert proxy.metrics()["plumbline_asked_again_total"] == 1


def test_a_document_may_replace_a_stream_on_the_second_request(start):
    proxy = taught(start, RefusesPlain(fingerprint="all", second="json"), True)
    status, fields, body = post(proxy.port, PATHS["chat"], chat(stream=True))
    assert (status, json.loads(body)) == (200, {"choices": []})
    assert dict(fields)["Content-Type"] == "application/json" and dict(fields)["X-Try"] == "second"


@pytest.mark.parametrize("second", ["429", "json"])
def test_another_type_or_status_after_comments_is_recorded_broken(start, second):
    engine = RefusesPlain(b": ping\n\n", second, fingerprint="all")
    proxy = taught(start, engine, True)
    with pytest.raises(EOFError):
        engine.ask(proxy)
    proxy.settled(3)
    legs = {key: value for key, value in proxy.metrics().items() if key.startswith("plumbline_legs_total")}
    assert [key for key, value in legs.items() if value == 1 and 'outcome="broken"' in key], legs
    assert not [key for key, value in legs.items() if value and 'outcome="client_gone"' in key], legs
    assert proxy.metrics()["plumbline_clients_gone_total"] == 0


@pytest.mark.parametrize("second", ["429", "nothing"])
def test_a_whole_answer_is_cut_if_the_second_request_is_refused(start, second):
    engine = RefusesPlain(second=second, fingerprint="all")
    proxy = taught(start, engine, False)
    status, fields, body = post(proxy.port, PATHS["chat"], chat())
    assert status == 200 and ("X-Try", "first") in fields and plain(body) == direct(engine, "chat")
    proxy.settled(3)
    leg = exported(proxy.capture)[-1]["legs"][0]
    assert leg["status"] == 200 and leg["outcome"] == "complete" and "injected_logprobs" in leg["marks"]
    assert leg["reading"]["choices"][0]["text"] == "good day"
    metrics = proxy.metrics()
    assert metrics["plumbline_asked_again_total"] == 1 and metrics["plumbline_uncut_total"] == 0


def test_a_first_event_over_the_memory_limit_is_requested_without_logprobs(start):
    class Large(Made):
        def body(self, body):
            return b"data: " + b"x" * 3_000_000 + b"\n\n" if "logprobs" in body else super().body(body)

    engine = Large()
    proxy = start.proxy(Address(start, engine).url, workers="1", capture=False, config="memory_limit: 2MiB\n")
    ask(proxy, "chat, streamed")
    status, fields, body = post(proxy.port, PATHS["chat"], chat(stream=True))
    assert status == 200 and ("Content-Type", "text/event-stream") in fields
    assert body == engine.body({"stream": True})
    assert proxy.metrics()["plumbline_asked_again_total"] == 1 and proxy.metrics()["plumbline_uncut_total"] == 0
    assert "for an hour" in proxy.log()


def test_a_client_may_disconnect_during_the_second_request(start):
    class Hangs(Made):
        def __call__(self, raw, endpoint, body):
            if "logprobs" in body:
                return super().__call__(raw, endpoint, body)
            asked_again.set()
            assert going.wait(30)
            return False

    asked_again, going = threading.Event(), threading.Event()
    proxy = taught(start, Hangs(fingerprint="all"), False)
    with Raw(proxy.port) as raw:
        raw.send(request("POST", PATHS["chat"], chat()))
        assert asked_again.wait(30)
    proxy.settled(3)
    going.set()
    assert exported(proxy.capture)[-1]["legs"][0]["outcome"] == "client_gone"
    assert proxy.metrics()["plumbline_exchanges_in_flight"] == 0


def test_an_unterminated_stream_is_told_apart(start):
    class Short(Made):
        def stream(self, asked, wants_usage):
            yield self.event(asked, wants_usage, "delta", {"content": "good"}, "stop", ["good"])

        def body(self, body):
            return super().body(body).partition(b"\n\ndata: [DONE]")[0] if body.get("stream") else super().body(body)

    before, after = Short(logprobs="null"), Short(logprobs="absent", fingerprint="all")
    address = Address(start, before)
    proxy = start.proxy(address.url, workers="1")
    for i in range(4):
        assert ask(proxy, "chat, streamed with usage") == direct(before, "chat, streamed with usage"), i
    address.engine = after
    for i in range(4):
        assert ask(proxy, "chat, streamed with usage") == direct(after, "chat, streamed with usage"), i
    assert address.injected > 3 and proxy.metrics()["plumbline_asked_again_total"] == 1


def test_a_comment_before_the_first_data_is_not_held_back(start):
    class Waits(Made):
        def __call__(self, raw, endpoint, body):
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b": keepalive\n\n"))
            if "logprobs" in body:
                assert going.wait(30)
            raw.send(chunk(self.body(body)) + chunk(b""))

    going, engine = threading.Event(), Waits()
    proxy = start.proxy(Address(start, engine).url, workers="1")
    ask(proxy, "chat, streamed")
    with Raw(proxy.port) as raw:
        raw.send(request("POST", PATHS["chat"], chat(stream=True)))
        raw.until(b": keepalive\n\n")
        going.set()
        assert b"[DONE]" in raw.until(b"[DONE]")


def test_some_requests_stay_plain(start):
    address = Address(start, Made())
    proxy = start.proxy(address.url, workers="1", plain_share="25%")
    for _ in range(200):
        ask(proxy, "chat, streamed")
    assert 115 < address.injected < 185      # 150 plus five standard deviations
    shown = json.loads(plumbline("proxy", "--primary", "http://127.0.0.1:1", "--check-config", check=0).stdout)
    assert shown["logprobs"]["plain_share"] == 0.01
