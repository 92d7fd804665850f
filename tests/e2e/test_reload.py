"""SIGHUP: the proxy reads its configuration again, and no client notices."""
import json
import os
import signal
import threading
import time

import pytest

from harness import LONG, PATIENCE, SANITIZED, Program, Raw, balances, chat, chunk, events, exported, free_port, plumbline, post, request, respond, wait_for

PATH = "/v1/chat/completions"
ADOPTED = 'plumbline_config_reloads_total{outcome="adopted"}'
REFUSED = 'plumbline_config_reloads_total{outcome="refused"}'


def file_of(start, proxy):
    return start.directory / f"proxy-{proxy.port}.yaml"


def hang_up(proxy, outcome=ADOPTED):
    """Send SIGHUP and wait for the result. A sanitizer can lose a signal: then send it again."""
    before = proxy.metrics()[outcome]
    for _ in range(5):
        proxy.process.send_signal(signal.SIGHUP)
        try:
            return wait_for(outcome, lambda: proxy.metrics()[outcome] > before, 10 if SANITIZED == "tsan" else PATIENCE)
        except AssertionError:
            if SANITIZED != "tsan":
                raise
    raise AssertionError(f"{outcome} stays at {before}:\n{proxy.log()[-3000:]}")


def reload(start, proxy, config):
    file_of(start, proxy).write_text(config)
    hang_up(proxy)


def anonymous(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    return 0


def named(name, pause=0.0, connections=None):
    """An engine that answers its name; `connections` gets the connections of its requests."""
    def script(raw, seen):
        if connections is not None:
            connections.add(raw)
        time.sleep(pause)
        respond(raw, {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": name}}]})
    return script


def said(body):
    return json.loads(body)["choices"][0]["message"]["content"]


class Load:
    """Clients with kept connections and streams; they store any error."""

    def __init__(self, port, keep_alive=3, streams=2):
        self.port, self.ended, self.problems, self.answers, self.streamed = port, False, [], 0, 0
        self.threads = [threading.Thread(target=self.guard, args=(what, i)) for what, n in ((self.ask, keep_alive), (self.stream, streams))
                        for i in range(n)]
        for thread in self.threads:
            thread.start()

    def guard(self, what, i):
        try:
            with Raw(self.port) as raw:
                while not self.ended:
                    what(raw, i)
        except Exception as problem:        # noqa: BLE001: the test reports every error
            self.problems.append(repr(problem))

    def ask(self, raw, i):
        raw.send(request("POST", PATH, chat(f"Question {self.answers} of {i}.", max_tokens=4)))
        status, _, body = raw.answer()
        if status != 200 or not json.loads(body)["choices"]:
            self.problems.append((status, body))
        self.answers += 1

    def stream(self, raw, i):
        raw.send(request("POST", PATH, chat(f"Stream {self.streamed} of {i}.", stream=True, max_tokens=40)))
        status, _, body = raw.answer()
        got = events(body)
        if status != 200 or got[-1] != b"[DONE]" or len(got) < 10:
            self.problems.append((status, body))
        self.streamed += 1

    def end(self):
        self.ended = True
        for thread in self.threads:
            thread.join(PATIENCE)
        assert not self.problems, self.problems[:3]


def varied(i, primary, references):
    """Write the i-th configuration, with other shares, references, limits and transports."""
    config = f"""
drain_timeout: {5 + i % 7}s
relay_window: {(16, 64, 256)[i % 3]}KiB
clients: {{idle_timeout: {60 + i}s, limit: {500 + i}}}
logprobs: {{inject: {('both', 'references', 'off')[i % 3]}, top: {1 + i % 5}}}
primary: {{name: prod, url: '{primary}', idle_timeout: {30 + i % 2}s, on_client_gone: {('cancel', 'finish')[i % 2]}}}
references:
  - {{name: always, url: '{references[0]}', sample: {10 * (i % 11)}%, max_concurrency: {1 + i % 9}}}
"""
    if i % 3:
        config += f"  - {{name: sometimes, url: '{references[1]}', sample: {{share: 50%, salt: 's{i % 4}'}}, queue_limit: {1 + i % 3}MiB}}\n"
    if i % 4 == 1:
        config += f"  - {{name: next-{i % 8}, url: '{references[i % 2]}', role: candidate, on_client_gone: cancel}}\n"
    return config


def test_fifty_reloads_under_load_lose_nothing(start):
    primary, references = start.engine("--itl", "2ms"), [start.engine(), start.engine()]
    urls = [engine.url for engine in references]
    proxy = start.proxy(None, config=varied(0, primary.url, urls), workers="2")
    load = Load(proxy.port)
    try:
        for i in range(1, 51):
            reload(start, proxy, varied(i, primary.url, urls))
            time.sleep(0.02)
        wait_for("all clients to have had answers", lambda: load.answers > 50 and load.streamed > 5 or load.problems)
    finally:
        load.end()
    books = proxy.settled(load.answers + load.streamed)
    assert all(balances(book) for book in books.values()), books
    assert {"exchanges", "always", "sometimes", "next-1", "next-5"} <= set(books)
    assert books["exchanges"]["recorded"] == books["exchanges"]["completed"] == load.answers + load.streamed
    metrics = proxy.metrics()
    assert metrics[ADOPTED] == 50 and metrics[REFUSED] == 0 and metrics["plumbline_upstream_failures_total"] == 0
    assert proxy.stop() == 0
    plumbline("capture", "verify", proxy.capture, check=0)
    assert len(exported(proxy.capture)) == load.answers + load.streamed


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer's own memory grows")
def test_reloads_leave_no_memory_behind(start):
    primary, references = start.engine(), [start.engine(), start.engine()]
    urls = [engine.url for engine in references]
    proxy = start.proxy(None, config=varied(0, primary.url, urls), capture=False)
    half = 300 if LONG else 100
    for i in range(1, 2 * half + 1):
        reload(start, proxy, varied(i, primary.url, urls))
        if i % 20 == 0:
            assert post(proxy.port, PATH, chat(f"Question {i}.", max_tokens=2))[0] == 200
        if i == half:
            time.sleep(1.2)     # the proxy frees memory of the last exchanges once a second
            used = anonymous(proxy.pid)
    wait_for("the memory of the last exchanges to be freed", lambda: anonymous(proxy.pid) - used < 512 * 1024)


def test_a_bad_file_changes_nothing_and_says_where(start):
    engine = start.scripted(named("old"))
    good = f"primary: {{name: prod, url: '{engine.url}'}}\n"
    proxy = start.proxy(None, config=good)
    file = file_of(start, proxy)
    file.write_text(good + "relay_window: 64KiB\nrelay_windo: 1\n")
    hang_up(proxy, REFUSED)
    metrics = proxy.metrics()
    assert metrics["plumbline_config_last_reload_successful"] == 0
    reason, = [key for key in metrics if key.startswith("plumbline_config_refused_info")]
    assert f"{file}:3" in reason and "relay_windo" in reason
    assert f"{file}:3" in proxy.log() and "is refused and changes nothing. " in proxy.log()
    assert said(post(proxy.port, PATH, chat())[2]) == "old"
    file.unlink()
    hang_up(proxy, REFUSED)
    assert said(post(proxy.port, PATH, chat())[2]) == "old"
    reload(start, proxy, good)
    metrics = proxy.metrics()
    assert metrics["plumbline_config_last_reload_successful"] == 1
    assert not [key for key in metrics if key.startswith("plumbline_config_refused_info")]


def test_a_backend_at_the_proxys_address_is_refused(start):
    engine = start.scripted(named("old"))
    proxy = start.proxy(None, config=f"primary: {{name: prod, url: '{engine.url}'}}\n")
    file_of(start, proxy).write_text(f"primary: {{name: prod, url: 'http://localhost:{proxy.port}'}}\n")
    hang_up(proxy, REFUSED)
    assert f"proxy-{proxy.port}.yaml:1: backend prod: " in proxy.log() and "is the proxy itself" in proxy.log()
    assert said(post(proxy.port, PATH, chat())[2]) == "old"


def test_a_backend_at_the_proxys_old_address_is_refused(tmp_path):
    """The file also moves the listener, which a running proxy cannot do."""
    file, port = tmp_path / "proxy.yaml", free_port()
    file.write_text(f"primary: http://127.0.0.1:1\nlisten: 127.0.0.1:{port}\n")
    proxy = Program(tmp_path, "proxy", "proxy", "-c", file).up(port)
    try:
        file.write_text(f"primary: http://127.0.0.1:{port}\nlisten: 127.0.0.1:{free_port()}\n")
        proxy.process.send_signal(signal.SIGHUP)
        wait_for("the refusal", lambda: "is refused and changes nothing" in proxy.log())
        assert "proxy.yaml:1: backend primary: " in proxy.log() and f"(listen 127.0.0.1:{port})" in proxy.log()
    finally:
        assert proxy.stop() == 0


def test_a_pipe_is_not_waited_for(start):
    engine = start.scripted(named("a"))
    config = f"primary: {engine.url}\n"
    proxy = start.proxy(None, config=config)
    path = file_of(start, proxy)
    path.unlink()
    os.mkfifo(path)
    hang_up(proxy, REFUSED)
    assert "is not a regular file" in proxy.log()
    assert post(proxy.port, PATH, chat())[0] == 200
    path.unlink()
    reload(start, proxy, config)


def test_a_reload_applies_to_new_exchanges_only(start):
    go_on = threading.Event()

    def slow(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"data: {\"n\":1}\n\n"))
        go_on.wait(PATIENCE)
        raw.send(chunk(b"data: {\"n\":2}\n\n") + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    old, new = start.scripted(slow), start.scripted(named("new"))
    reference = start.scripted(named("trusted", pause=0.5))
    proxy = start.proxy(None, config=f"primary: {{name: prod, url: '{old.url}'}}\nreferences: [{{name: trusted, url: '{reference.url}'}}]\n")
    with Raw(proxy.port) as raw:
        raw.send(request("POST", PATH, chat("first", stream=True)))
        raw.until(b'"n":1')
        reload(start, proxy, f"primary: {{name: prod, url: '{new.url}'}}\n")
        assert said(post(proxy.port, PATH, chat("meanwhile"))[2]) == "new"
        go_on.set()
        raw.until(b"0\r\n\r\n")
        raw.send(request("POST", PATH, chat("second")))
        assert said(raw.answer()[2]) == "new"
    proxy.settled(1, "trusted")
    books = proxy.settled(3)
    assert books["trusted"]["recorded"] == books["trusted"]["completed"] == 1
    assert len(old.seen) == 1 and len(new.seen) == 2 and len(reference.seen) == 1
    legs = sorted([leg["backend"] for leg in e["legs"]] for e in exported(proxy.capture))
    assert legs == [["prod"], ["prod"], ["prod", "trusted"]]


def test_an_unchanged_backend_keeps_its_connections(start):
    at_primary, at_reference = set(), set()
    primary, reference = start.scripted(named("p", connections=at_primary)), start.scripted(named("r", connections=at_reference))
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences: [{{name: trusted, url: '{reference.url}', max_concurrency: %d}}]\n"
    proxy = start.proxy(None, config=config % 4, workers="1")
    for i in range(5):
        assert post(proxy.port, PATH, chat(f"Question {i}."))[0] == 200
        proxy.settled(i + 1, "trusted")
        reload(start, proxy, config % (5 + i))
    assert len(at_primary) == len(at_reference) == 1


def test_changed_keys_that_need_a_restart_are_named(start):
    engine = start.scripted(named("p"))
    config = f"primary: {{name: prod, url: '{engine.url}'}}\n"
    proxy = start.proxy(None, config=config, capture=False, workers="1")
    reload(start, proxy, config + f"memory_limit: 64MiB\nshare_port: true\ncapture: {{path: '{start.directory}/elsewhere'}}\n")
    line, = [line for line in proxy.log().splitlines() if "keep their values until a restart" in line]
    for key in ("memory_limit", "share_port", "capture.path"):
        assert key in line
    assert "listen" not in line and "workers" not in line       # the flags have not changed
    assert post(proxy.port, PATH, chat())[0] == 200
    assert not os.path.exists(start.directory / "elsewhere")
    assert proxy.metrics()["plumbline_memory_limit_bytes"] == 256 << 20


def test_each_segment_has_its_settings(start):
    engine = start.scripted(named("p"))
    config = f"primary: {{name: prod, url: '{engine.url}'}}\nrelay_window: %dKiB\n"
    proxy = start.proxy(None, config=config % 64)
    for i, window in enumerate((64, 64, 128)):
        reload(start, proxy, config % window)
        assert post(proxy.port, PATH, chat(f"Question {i}."))[0] == 200
        proxy.settled(i + 1)
    assert proxy.metrics()["plumbline_recorder_segments_total"] == 2
    assert proxy.stop() == 0
    assert len(exported(proxy.capture)) == 3


def test_without_a_file_sighup_ends_the_proxy(start):
    engine = start.scripted(named("p"))
    proxy = start.proxy(engine.url, capture=False)
    assert proxy.stop(signal.SIGHUP) == 0
