"""One proxy takes over from another under load: by an inherited socket, and by a shared port."""
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from harness import BINARY, PATIENCE, WORKERS, Program, Raw, chat, chunk, exported, free_port, get, plumbline, request, respond, wait_for

PATH = "/v1/chat/completions"
ANSWER = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}
LEFT = "has taken over the admin port"

# As systemd starts a service: its sockets become descriptors 3 and up.
ACTIVATE = """import fcntl, os, sys
names, fds = sys.argv[1], [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 20) for fd in sys.argv[2].split(",")]
for i, fd in enumerate(fds):
    os.dup2(fd, 3 + i)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)), LISTEN_FDNAMES=names)
os.execv(sys.argv[3], sys.argv[3:])"""


@pytest.fixture
def held(start):
    """An engine whose streams end when .finish is set. It sends other answers at once."""
    finish = threading.Event()

    def script(raw, seen):
        if b'"stream": true' not in seen.body:
            respond(raw, ANSWER)
            return
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"data: {\"n\":1}\n\n"))
        finish.wait(PATIENCE)
        raw.send(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    engine = start.scripted(script)
    engine.finish = finish
    yield engine
    finish.set()


class Lives:
    """Processes that follow each other on one port. Each gives the backend its own name, which /metrics shows."""

    def __init__(self, directory, engine, how):
        self.directory, self.engine, self.how, self.begun = directory, engine, how, []
        self.capture = directory / "capture"
        self.sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range({"shared": 0, "inherited": 1, "both": 2}[how])]
        ports = [s.getsockname()[1] for s in self.sockets] + [free_port(), free_port()]
        self.port, self.admin = ports[0], ports[1]

    def begin(self, name, more=""):
        file = self.directory / f"{name}.yaml"
        file.write_text(f"primary: {{name: {name}, url: '{self.engine.url}', poll: off}}\ncapture: '{self.capture}'\nlogprobs: {{inject: 'off'}}\ndrain_timeout: 10m\n" + more
                        + ("share_port: true\n" if self.how == "shared" else "")
                        + (f"listen: 127.0.0.1:{self.port}\n" if not self.sockets else "")
                        + (f"admin: 127.0.0.1:{self.admin}\n" if len(self.sockets) < 2 else ""))
        fds = [s.fileno() for s in self.sockets]
        prefix = [sys.executable, "-c", ACTIVATE, "clients:admin", ",".join(map(str, fds))] if fds else ()
        proxy = Program(self.directory, name, "proxy", "-c", file, "--workers", WORKERS, prefix=prefix, pass_fds=fds)
        self.begun.append(proxy)

        def listens():
            assert proxy.process.poll() is None, proxy.log()
            return "The admin port listens" in proxy.log()
        wait_for(f"{name} to listen", listens)
        return proxy

    def asked(self):
        """Return (answer of /readyz, name of the process that sent the metrics)."""
        text = get(self.admin, "/metrics")[2].decode()
        return get(self.admin, "/readyz")[0], [name for name in ("one", "two", "three", "four") if f'backend="{name}"' in text]

    def stop(self):
        for proxy in self.begun:
            proxy.process.kill()
            proxy.process.wait()
        for s in self.sockets:
            s.close()


@pytest.fixture
def lives(tmp_path, held):
    begun = []

    def make(how):
        begun.append(Lives(tmp_path, held, how))
        return begun[-1]
    yield make
    for one in begun:
        one.stop()


def drain(proxy):
    proxy.process.send_signal(signal.SIGTERM)
    wait_for("the drain", lambda: "Draining" in proxy.log())


def streaming(port):
    raw = Raw(port)
    raw.send(request("POST", PATH, chat(stream=True)))
    raw.until(b'"n":1')
    return raw


class Load:
    """Clients with a connection for each request. Where a port is shared, the kernel may reset who waits for a socket that is being
    closed: whoever has not seen a byte then asks again."""

    def __init__(self, port, forgiving):
        self.port, self.forgiving, self.stopped, self.failed, self.answered = port, forgiving, False, [], [0] * 3
        self.threads = [threading.Thread(target=self.run, args=(k,)) for k in range(3)]
        for thread in self.threads:
            thread.start()

    def run(self, k):
        while not self.stopped:
            try:
                self.answered[k] += self.ask()
            except (OSError, EOFError, AssertionError) as e:
                self.failed.append(repr(e))

    def ask(self):
        try:
            raw = Raw(self.port)
        except ConnectionResetError:
            if self.forgiving:      # its handshake was not complete
                return 0
            raise
        with raw:
            try:
                raw.send(request("POST", PATH, chat()))
                status, *_ = raw.answer()
            except OSError:
                if self.forgiving and not raw.got:
                    return 0
                raise
            assert status == 200, status
            return 1

    def go_on(self, n=20):
        before = sum(self.answered)
        wait_for("answers", lambda: self.failed or sum(self.answered) > before + n)

    def stop(self):
        self.stopped = True
        for thread in self.threads:
            thread.join()
        assert not self.failed, self.failed[:5]
        return sum(self.answered)


@pytest.mark.parametrize("how", ["inherited", "shared"])
def test_a_handover_under_load_loses_no_request(lives, held, how):
    lives = lives(how)
    old = lives.begin("one")
    load, streams = Load(lives.port, how == "shared"), []
    for name in ("two", "three", "four"):
        streams.append(streaming(lives.port))       # one of the processes that will end
        load.go_on()
        new = lives.begin(name)
        assert get(lives.admin, "/readyz")[0] == 200
        drain(old)
        wait_for("the admin port to be left", lambda: LEFT in old.log())
        for _ in range(10):
            assert lives.asked() == (200, [name])
        load.go_on()
        assert old.process.poll() is None, "its stream runs"
        old = new
    held.finish.set()
    for raw in streams:
        assert raw.rest().endswith(b"0\r\n\r\n")
    answered = load.stop()
    for proxy in lives.begun[:-1]:
        assert proxy.process.wait(PATIENCE) == 0
    assert lives.begun[-1].stop() == 0
    rows = exported(lives.capture)
    assert len(rows) == answered + len(streams)
    assert len(list(lives.capture.glob("*.seg"))) == 4, "each process has a segment"
    plumbline("capture", "verify", lives.capture, check=0)


def test_a_draining_process_reports_it_until_another_listens(lives, held):
    lives = lives("shared")
    old = lives.begin("one")
    stream = streaming(lives.port)
    drain(old)
    assert lives.asked() == (503, ["one"]), "no other process could answer"
    new = lives.begin("two")
    wait_for("the admin port to be left", lambda: LEFT in old.log())
    for _ in range(10):
        assert lives.asked() == (200, ["two"])
    held.finish.set()
    assert stream.rest().endswith(b"0\r\n\r\n")
    assert old.process.wait(PATIENCE) == 0 and new.stop() == 0


def test_a_request_at_an_inherited_admin_socket_waits_for_the_next_process(lives, held):
    lives = lives("both")
    old = lives.begin("one")
    stream = streaming(lives.port)
    drain(old)
    wait_for("the admin port to be left", lambda: LEFT in old.log())
    with Raw(lives.admin) as asking, Raw(lives.port) as client:
        asking.send(request("GET", "/readyz"))
        client.send(request("POST", PATH, chat()))
        new = lives.begin("two")
        assert asking.answer()[0] == 200 and client.answer()[0] == 200
    assert lives.asked() == (200, ["two"])
    held.finish.set()
    assert stream.rest().endswith(b"0\r\n\r\n")
    assert old.process.wait(PATIENCE) == 0 and new.stop() == 0


@pytest.mark.parametrize("ends", [False, True], ids=["stays", "sends no more"])
def test_a_large_admin_answer_is_complete(lives, ends):
    life = lives("both")
    life.sockets[1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)     # accepted sockets inherit it
    others = "".join(f"  - {{name: other{i}, url: '{life.engine.url}', poll: off}}\n" for i in range(6))    # for a longer answer
    proxy = life.begin("one", "references:\n" + others)
    with socket.socket() as late:
        late.settimeout(PATIENCE)
        late.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        late.connect(("127.0.0.1", life.admin))
        late.sendall(request("GET", "/metrics"))
        if ends:
            late.shutdown(socket.SHUT_WR)
        time.sleep(0.1)
        head, page = b"".join(iter(lambda: late.recv(1024), b"")).split(b"\r\n\r\n", 1)
    assert b"Content-Length: %d\r\n" % len(page) in head and len(page) > 16384
    assert page.startswith(b"# HELP ") and page.endswith(b"\n") and page.count(b"# HELP plumbline_build_info ") == 1
    assert proxy.process.poll() is None


def test_an_admin_port_is_not_shared_by_accident(start, held):
    proxy = start.proxy(held.url)
    done = plumbline("proxy", "--primary", held.url, "--listen", f"127.0.0.1:{free_port()}", "--admin", f"127.0.0.1:{proxy.admin_port}")
    assert done.returncode == 2 and b"in use" in done.stderr


def test_a_backend_at_the_inherited_socket_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as inherited:
        port = inherited.getsockname()[1]

        def check(url):
            done = subprocess.run([sys.executable, "-c", ACTIVATE, "clients", str(inherited.fileno()), BINARY, "proxy", "--primary", url, "--check-config"],
                                  capture_output=True, pass_fds=[inherited.fileno()], timeout=PATIENCE)
            return done.returncode, done.stderr.decode()
        code, said = check(f"http://localhost:{port}")
        assert code == 2 and "is the proxy itself" in said and f"127.0.0.1:{port}" in said, said
        assert check("http://127.0.0.1:8080") == (0, "")
