"""Starting, stopping, and refusing to start."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest

from harness import BINARY, PATIENCE, Program, Raw, accepts, chat, chunk, completion, free_port, get, interrupt, plumbline, post, request, respond, wait_for

PATH = "/v1/chat/completions"


def stream(n, pause):
    def script(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(n):
            raw.send(chunk(b"data: {\"n\":%d}\n\n" % i))
            time.sleep(pause)
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    return script


def test_version_and_help():
    said = plumbline("--version", check=0).stdout.decode()
    for library in ("libuv", "libcurl", "llhttp", "LMDB", "msgpack"):
        assert library.lower() in said.lower(), said
    everything = plumbline("--help", check=0).stdout.decode()
    for command in ("proxy", "engine", "analyze", "capture"):
        assert command in everything
        text = plumbline(command, "--help", check=0).stdout.decode()
        assert "usage:" in text.lower() and "example" in text.lower(), command
    assert plumbline("no-such-command").returncode == 2
    assert plumbline("proxy", "--no-such-flag").returncode == 2


def test_sigterm_finishes_streams_and_refuses_new_connections(start):
    engine = start.scripted(stream(10, 0.1))
    proxy = start.proxy(engine.url)
    raw = Raw(proxy.port)
    raw.send(request("POST", PATH, chat(stream=True)))
    raw.until(b'"n":1')
    proxy.terminate()
    wait_for("the listener to close", lambda: not accepts(proxy.port))
    assert raw.rest().endswith(b"0\r\n\r\n")
    assert proxy.process.wait(PATIENCE) == 0
    rows = plumbline("capture", "export", "--jsonl", proxy.capture, check=0).stdout
    assert b'"complete"' in rows


def test_streams_are_cut_after_drain_timeout(start):
    engine = start.scripted(stream(200, 0.1))
    proxy = start.proxy(None, config=f"drain_timeout: 300ms\nprimary: {{name: p, url: '{engine.url}'}}\n")
    raw = Raw(proxy.port)
    raw.send(request("POST", PATH, chat(stream=True)))
    raw.until(b'"n":1')
    begun = time.monotonic()
    proxy.terminate()
    assert not raw.rest().endswith(b"0\r\n\r\n")
    assert proxy.process.wait(PATIENCE) == 0
    assert 0.2 < time.monotonic() - begun < 15, "the stream takes 20 s"
    assert b'"stopped"' in plumbline("capture", "export", "--jsonl", proxy.capture, check=0).stdout


def test_a_second_signal_stops_at_once(start):
    finished, whole = [], stream(200, 0.1)

    def script(raw, seen):
        whole(raw, seen)
        finished.append(True)
    engine = start.scripted(script)
    proxy = start.proxy(engine.url)
    raw = Raw(proxy.port)
    raw.send(request("POST", PATH, chat(stream=True)))
    raw.until(b'"n":1')
    proxy.terminate()
    wait_for("the drain", lambda: "Draining" in proxy.log())
    assert proxy.process.poll() is None
    proxy.process.send_signal(signal.SIGTERM)
    proxy.process.wait(PATIENCE)
    assert "Second signal" in proxy.log() and not finished, "the proxy waited for the stream"


def test_admin(start):
    engine = start.scripted(stream(1, 0))
    proxy = start.proxy(engine.url, reference=engine.url)
    assert "ok" in proxy.admin("/healthz").lower()
    assert "ready" in proxy.admin("/readyz").lower() or "ok" in proxy.admin("/readyz").lower()
    text = proxy.admin("/metrics")
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z0-9_]+(\{[^}]*\})? [-+0-9.eEinfNa]+', line), line
    told = {*re.findall(r"^# TYPE (\w+)", text, re.M), "plumbline_self_scoring"}  # only with primary.self: test_self_primary.py
    manual = (pathlib.Path(__file__).parents[2] / "docs/proxy.md").read_text()
    cells = re.findall(r"^\| (`plumbline_[^|]*)\|", manual, re.M)
    current = {name for name in told if not name.startswith("plumbline_units_")}  # former names, in their own row
    assert current == {name for cell in cells for name in re.findall(r"`(plumbline_\w+)`", cell)}, "docs/proxy.md lists other metrics"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/nothing"])
def test_admin_answers_head_as_get_without_the_body(start, path):
    proxy = start.proxy(start.scripted(stream(1, 0)).url)
    heads = []
    for method in ("GET", "HEAD"):
        with Raw(proxy.admin_port) as raw:
            head, body = raw.send(request(method, path)).rest().split(b"\r\n\r\n", 1)
        assert (method == "HEAD") == (body == b"")
        heads.append(re.sub(rb"(?<=Content-Length: )[1-9]\d*", b"N", head))     # that of /metrics changes
    assert heads[0] == heads[1] and b"Content-Length: N" in heads[0]


def test_admin_refuses_other_methods_with_allow(start):
    proxy = start.proxy(start.scripted(stream(1, 0)).url)
    with Raw(proxy.admin_port) as raw:
        status, fields, _ = raw.send(request("POST", "/metrics", b"")).answer()
    assert status == 405 and dict((k.lower(), v) for k, v in fields)["allow"] == "GET, HEAD"


def config(tmp_path, text):
    file = tmp_path / "proxy.yaml"
    file.write_text(text)
    return file


WRONG = {
    "unknown key": ("listen: 127.0.0.1:0\nprimray: {url: 'http://127.0.0.1:1'}\n", 2, "primray", "primary"),
    "unknown inner key": ("listen: 127.0.0.1:0\nprimary:\n  url: 'http://127.0.0.1:1'\n  nmae: x\n", 4, "nmae", "name"),
    "wrong type": ("listen: 127.0.0.1:0\nprimary: {url: 'http://127.0.0.1:1'}\nworkers: many\n", 3, "workers", None),
    "wrong choice": ("primary: {url: 'http://127.0.0.1:1'}\nlogprobs: {inject: bath}\n", 2, "bath", "both"),
    "bad url": ("primary: {url: 'ftp://127.0.0.1:1'}\n", 1, "ftp", "http"),
    "bad share": ("primary: {url: 'http://127.0.0.1:1'}\nreferences:\n  - {name: r, url: 'http://h', sample: 120%}\n", 3, "120%", None),
    "same names": ("primary: {name: a, url: 'http://h'}\nreferences:\n  - {name: a, url: 'http://h'}\n", 3, "a", None),
    "credentials in the url": ("primary: {url: 'http://user:hush@h'}\n", 1, "api_key", None),
    "itself behind itself": ("primary: {url: 'http://localhost:8080/base'}\n", 1, "is the proxy itself", "listen 127.0.0.1:8080"),
    "admin at the clients' door": ("primary: {url: 'http://h'}\nadmin: :8080\n", 2, "admin", "listen 127.0.0.1:8080"),
    "not YAML": ("primary: {url: 'http://h'\nlisten: x\n", None, "", None),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_config_error_has_its_line_and_the_nearest_key(tmp_path, name):
    text, line, key, nearest = WRONG[name]
    file = config(tmp_path, text)
    for more in ([], ["--check-config"]):
        done = plumbline("proxy", "-c", file, *more)
        said = done.stderr.decode().strip()
        assert done.returncode == 2, said
        assert len(said.splitlines()) == 1, said
        assert f"proxy.yaml:{line}" in said if line else "proxy.yaml" in said, said
        assert key in said and (nearest or "") in said, said
        assert "hush" not in said


MISTYPED = {
    "prox": "did you mean proxy?", "capture lss": "did you mean ls?", "capture xyzzy": "the verbs are ls, show", "xyzzy": "--help lists them",
    "proxy --listn :1 --primary http://h": "did you mean --listen?", "proxy --listn=:1": "did you mean --listen?", "proxy --primry": "did you mean --primary?",
    "proxy --xyzzy": "--xyzzy is not a known option", "proxy --primary": "needs a value", "proxy --primary http://h --check-config=1": "takes no value",
    "engine --listn :1": "did you mean --listen?", "replay x --concurency 3": "did you mean --concurrency?", "capture ls x --jsn": "did you mean --json?",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_an_error_suggests_the_nearest_name(line):
    done = plumbline(*line.split(), check=2)
    assert MISTYPED[line] in done.stderr.decode() and done.stderr.count(b"\n") == 1, done.stderr


def test_check_config_prints_the_parsed_settings(tmp_path):
    file = config(tmp_path, "primary: {name: prod, url: 'http://127.0.0.1:1'}\nreferences:\n  - {name: t, url: 'http://h', api_key_env: KEY}\n")
    done = plumbline("proxy", "-c", file, "--check-config", env={"KEY": "hush"}, check=0)
    json.loads(done.stdout)
    assert b"prod" in done.stdout and b"hush" not in done.stdout + done.stderr


def test_the_packages_socket_and_its_file_name_one_address():
    packaging = pathlib.Path(__file__).parents[2] / "packaging"
    held, = re.findall(r"^ListenStream=(.*)$", (packaging / "systemd/plumbline.socket").read_text(), re.M)
    shown = json.loads(plumbline("proxy", "-c", packaging / "plumbline.yaml", "--check-config", check=0).stdout)
    assert held == shown["listen"] == "127.0.0.1:8080"


def test_a_port_in_use_is_refused_in_one_line(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for flags in (["--listen", f"127.0.0.1:{port}"], ["--listen", "127.0.0.1:0", "--admin", f"127.0.0.1:{port}"]):
            done = plumbline("proxy", *flags, "--primary", "http://127.0.0.1:1", "--capture", tmp_path / "c")
            said = done.stderr.decode().strip()
            assert done.returncode == 2 and str(port) in said and "in use" in said, said


def limited(n):
    """Return the command prefix that sets the limit of file descriptors."""
    return ["sh", "-c", f'ulimit -n {n}; exec "$@"', "sh"]


@pytest.mark.parametrize("workers", [1, 4])
def test_too_few_descriptors_are_a_one_line_error(start, tmp_path, workers):
    engine = start.scripted(lambda raw, seen: respond(raw, {"choices": []}))
    enough = 3 + 32 + 6 * workers
    for n in (4, 8, 12, 16, 24, 32, enough - 1):
        done = subprocess.run([*limited(n), BINARY, "proxy", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--workers", str(workers), "--primary", engine.url,
                               "--capture", tmp_path / "c"], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and "too few file descriptors" in done.stderr, (n, done)
    proxy = start.proxy(engine.url, reference=engine.url, prefix=limited(enough), workers=workers)
    for _ in range(3):
        assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    assert proxy.settled(3, "reference")["exchanges"]["recorded"] == 3
    assert proxy.stop() == 0


def test_an_engine_with_many_workers_needs_more_descriptors(start):
    workers, enough = 16, 3 + 32 + 6 * 16
    for n in range(35, enough, 7):
        done = subprocess.run([*limited(n), BINARY, "engine", "--listen", "127.0.0.1:0", "--workers", str(workers)], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and "too few file descriptors" in done.stderr, (n, done)
    engine = start.engine("--workers", str(workers), prefix=limited(enough))
    for _ in range(3):
        assert post(engine.port, "/v1/chat/completions", chat())[0] == 200


def test_playback_workers_share_descriptors(start):
    proxy = start.proxy(start.engine().url)
    for _ in range(3):
        assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    proxy.settled(3)
    assert proxy.stop() == 0
    for n in range(36, 3 + 32 + 6 * 16, 5):
        done = subprocess.run([*limited(n), BINARY, "engine", "--from", proxy.capture, "--listen", "127.0.0.1:0", "--workers", "16"],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 3 and "file descriptors" in done.stderr.splitlines()[-1], (n, done)


@pytest.mark.parametrize("words", [("engine", "--listen", "127.0.0.1:0"), ("replay", "in.jsonl", "--to", "http://127.0.0.1:9", "--capture", "c"),
                                   ("stress", "in.jsonl", "--to", "http://127.0.0.1:9", "--capture", "c"), ("capture", "ls", "c")])
def test_other_commands_need_few_descriptors(tmp_path, words):
    for n in (4, 8, 16, 34):
        done = subprocess.run([*limited(n), BINARY, *words], capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path)
        assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and "too few file descriptors" in done.stderr, (n, done)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("what", ["a foreign directory", "a file", "a newer format", "an unreadable directory"])
def test_a_foreign_directory_is_refused_and_unchanged(tmp_path, what):
    place = tmp_path / "place"
    if what == "a file":
        place.write_text("hello")
    else:
        place.mkdir()
    if what == "a foreign directory":
        (place / "letter.txt").write_text("dear")
    if what == "a newer format":
        (place / "CAPTURE").write_text('{"plumbline_capture": 99, "created": "2030-01-01", "hash_key": "00"}')
    if what == "an unreadable directory":
        if os.geteuid() == 0:
            place = place / ("x" * 300)     # root can read everything, so use a name that no file system accepts
        else:
            place.chmod(0)
    before = sorted(p.name for p in tmp_path.rglob("*") if p.name != "x" * 300)
    done = plumbline("proxy", "--listen", "127.0.0.1:0", "--primary", "http://127.0.0.1:1", "--capture", place)
    said = done.stderr.decode().strip()
    assert done.returncode == 2 and len(said.splitlines()) == 1 and "capture" in said.lower(), said
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


def test_commands_on_an_empty_capture_say_so(start):
    proxy = start.proxy(start.scripted(stream(1, 0)).url)
    proxy.stop()
    done = plumbline("analyze", proxy.capture)
    assert done.returncode == 4 and done.stderr.strip() + done.stdout.strip()
    done = plumbline("capture", "show", "0190aaaa-0000-7000-8000-000000000000", proxy.capture)
    assert done.returncode in (2, 4) and done.stderr.strip()
    assert plumbline("capture", "ls", "/nowhere/at/all").returncode == 2


def test_requests_are_counted_by_route_and_status_and_legs_by_outcome(start):
    def engine(raw, seen):
        if b"busy" in seen.body:
            return respond(raw, {"error": {"message": "later"}}, "429 Too Many Requests")
        return False if b"break" in seen.body else respond(raw, {"choices": []})
    primary, reference = start.scripted(engine), start.scripted(lambda raw, seen: False)
    proxy = start.proxy(primary.url, "--inject", "off", reference=reference.url)
    for text in ("one", "two", "busy", "break"):
        post(proxy.port, "/v1/chat/completions", chat(text))
    post(proxy.port, "/v1/completions", completion("one"))
    get(proxy.port, "/version")
    proxy.settled(6)
    figures = {key: value for key, value in proxy.metrics().items() if value and key.startswith(("plumbline_requests_total", "plumbline_legs_total"))}
    assert figures == {
        'plumbline_requests_total{route="chat",status="200"}': 2, 'plumbline_requests_total{route="chat",status="429"}': 1,
        'plumbline_requests_total{route="chat",status="502"}': 1, 'plumbline_requests_total{route="completion",status="200"}': 1,
        'plumbline_requests_total{route="other",status="200"}': 1,
        'plumbline_legs_total{backend="primary",role="primary",outcome="complete"}': 5, 'plumbline_legs_total{backend="primary",role="primary",outcome="broken"}': 1,
        'plumbline_legs_total{backend="reference",role="reference",outcome="broken"}': 5}


def test_the_log_is_json_without_a_terminal(start):
    proxy = start.proxy(f"http://127.0.0.1:{free_port()}")
    for i in range(30):
        post(proxy.port, PATH, chat())
    proxy.stop()
    lines = [json.loads(line) for line in proxy.log().splitlines() if line.startswith("{")]
    assert lines and all({"time", "level", "module", "message"} <= set(line) for line in lines)
    assert sum("refused" in line["message"] for line in lines) <= 15, "one problem, many lines"


def test_a_drain_answers_new_and_running_requests(start):
    engine = start.scripted(stream(1, 0))
    proxy = start.proxy(engine.url)
    begun = time.monotonic()
    fresh, asking, idle = Raw(proxy.port), Raw(proxy.port), Raw(proxy.port)
    idle.send(request("POST", PATH, chat(stream=True)))
    idle.until(b"0\r\n\r\n")
    wanted = request("POST", PATH, chat(stream=True))
    asking.send(wanted[:20])
    wait_for("the connections", lambda: proxy.metrics()["plumbline_connections"] >= 3)
    proxy.terminate()
    wait_for("the drain", lambda: "Draining" in proxy.log())
    fresh.send(wanted)
    in_time = time.monotonic() - begun < 0.9    # the proxy waits a second for the first request
    asking.send(wanted[20:])
    assert idle.rest() == b""
    assert asking.rest().endswith(b"0\r\n\r\n")
    assert fresh.rest().endswith(b"0\r\n\r\n") or not in_time
    assert proxy.process.wait(PATIENCE) == 0


def test_a_port_is_shared_only_with_the_option(tmp_path, start):
    engine = start.scripted(stream(1, 0))
    config = f"share_port: true\nprimary: {{name: p, url: '{engine.url}'}}\n"
    proxy = start.proxy(None, config=config)
    also = Program(tmp_path, "also", "proxy", "-c", tmp_path / f"proxy-{proxy.port}.yaml", "--listen", f"127.0.0.1:{proxy.port}")
    wait_for("the second", lambda: "Listening" in also.log())
    alone = plumbline("proxy", "--primary", engine.url, "--listen", f"127.0.0.1:{proxy.port}")
    assert alone.returncode == 2 and b"in use" in alone.stderr
    assert also.stop() == 0


def test_help_and_version_are_commands_too():
    assert plumbline("version", check=0).stdout == plumbline("--version", check=0).stdout
    assert plumbline("help", check=0).stdout == plumbline("--help", check=0).stdout
    assert plumbline("help", "score", check=0).stdout == plumbline("score", "--help", check=0).stdout
    assert b"did you mean score?" in plumbline("help", "scor", check=2).stderr
