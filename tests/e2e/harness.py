"""Helpers of the end-to-end tests: the real binary, scripted engines, raw sockets. The tests judge the answers.

Environment variables:
  PLUMBLINE            the binary under test (build/plumbline)
  PLUMBLINE_WORKERS    number of event loops of each proxy (1)
  PLUMBLINE_TRANSPORT  each proxy's transport to backends (auto)
  PLUMBLINE_SANITIZER  asan or tsan, if the binary has one: some time limits are longer
  PLUMBLINE_LONG       if set, tests that take minutes run too
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.request

BINARY = os.environ.get("PLUMBLINE", "build/plumbline")
WORKERS = os.environ.get("PLUMBLINE_WORKERS", "1")
TRANSPORT = os.environ.get("PLUMBLINE_TRANSPORT", "auto")
SANITIZED = os.environ.get("PLUMBLINE_SANITIZER", "")
PATIENCE = 120  # seconds; machines stall, and sanitizers are slow
LONG = os.environ.get("PLUMBLINE_LONG", "")
CANCEL_LIMIT = 0.1 * (5 if SANITIZED else 1)


BLOCK = 500


def own_ports():
    """Yield ports that no other test process uses and that the kernel does not give to outgoing connections.

    Otherwise a test could mistake another test's server for its own. A socket name in the abstract namespace reserves a
    block of ports until this process ends.
    """
    for first in random.sample(range(10000, 32000, BLOCK), 22000 // BLOCK):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0plumbline-tests-ports-{first}")
        except OSError:
            claim.close()
            continue
        while True:
            yield from ((port, claim) for port in range(first, first + BLOCK))
    raise AssertionError("every block of ports is taken")


PORTS = own_ports()


def free_port():
    for port, _ in PORTS:
        with contextlib.suppress(OSError), socket.socket() as s:
            s.bind(("127.0.0.1", port))
            return port


def wait_for(what, condition, patience=PATIENCE, pause=0.01):
    """Poll until condition() is true and return its value; fail with `what` after `patience` seconds.

    pause is the first pause in seconds; it grows to 0.1.
    """
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what}: not within {patience} s"
        time.sleep(pause)
        pause = min(1.3 * pause, max(pause, 0.1))


def interrupt(process, number=signal.SIGINT):
    """Send a signal and wait until it is delivered. The kernel merges a second signal with a pending one."""
    process.send_signal(number)

    def taken():
        if process.poll() is not None:
            return True
        with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status") as status:
            return not any(int(line.split()[1], 16) >> (number - 1) & 1 for line in status if line.startswith(("SigPnd", "ShdPnd")))
    wait_for(f"signal {number} to be taken", taken)


def accepts(port):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


class Program:
    """A plumbline process that writes its log to a file."""

    def __init__(self, directory, name, *args, env=None, prefix=(), pass_fds=()):
        self.log_path = pathlib.Path(directory) / f"{name}-{time.monotonic_ns()}.log"
        self.out = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [*prefix, BINARY, *map(str, args)], stdout=self.out, stderr=self.out, stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})}, pass_fds=pass_fds)

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        return self.log_path.read_text(errors="replace")

    def up(self, port):
        def ready():
            assert self.process.poll() is None, f"{BINARY} ended at start:\n{self.log()}"
            return accepts(port)
        wait_for(f"port {port}", ready)
        return self

    def rss(self, kind="VmRSS"):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith(kind):
                return int(line.split()[1]) * 1024
        return 0

    def terminate(self, how=signal.SIGTERM):
        """Send a signal that ends the process."""
        self.process.send_signal(how)
        if SANITIZED == "tsan" and how in (signal.SIGTERM, signal.SIGHUP):
            # TSan delays a signal while its thread is busy, and can lose it: send it again.
            try:
                wait_for("the signal's effect", lambda: self.process.poll() is not None or "Draining" in self.log(), PATIENCE / 3)
            except AssertionError:
                self.process.send_signal(how)

    def stop(self, how=signal.SIGTERM, patience=PATIENCE):
        """End the process; return its exit code (negative: killed by that signal)."""
        if self.process.poll() is None:
            self.terminate(how)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"did not end within {patience} s of signal {how}:\n{self.log()[-4000:]}")
        self.out.close()
        return self.process.returncode


def ended_well(program, code):
    """Check that the program ended with code 0 and without a sanitizer's message."""
    assert code == 0, program.log()[-4000:]
    assert "Sanitizer" not in program.log() and "runtime error" not in program.log(), program.log()[-6000:]


class Engine(Program):
    """The simulated engine."""

    def __init__(self, directory, *args, port=None, prefix=()):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(directory, "engine", "engine", "--listen", f"127.0.0.1:{self.port}", *args, prefix=prefix)
        self.up(self.port)


class Proxy(Program):
    def __init__(self, directory, primary, *args, reference=(), candidate=(), capture=True, config=None, env=None,
                 workers=WORKERS, poll="off", plain_share="0", prefix=()):
        self.port = free_port()
        self.admin_port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.capture = pathlib.Path(directory) / f"capture-{self.port}" if capture is True else capture
        flags = ["--listen", f"127.0.0.1:{self.port}", "--admin", f"127.0.0.1:{self.admin_port}", "--workers", workers, "--transport", TRANSPORT]
        if config is not None:
            file = pathlib.Path(directory) / f"proxy-{self.port}.yaml"
            file.write_text(config)
            flags += ["-c", file]
        if poll:  # None: as in the configuration. "off": a scripted engine gets only traffic
            flags += ["--poll", poll]
        if plain_share:  # None: as in the configuration. "0": every request that can be injected is injected
            flags += ["--plain-share", plain_share]
        if primary:
            flags += ["--primary", primary]
        for url in [reference] if isinstance(reference, str) else reference:
            flags += ["--reference", url]
        for url in [candidate] if isinstance(candidate, str) else candidate:
            flags += ["--candidate", url]
        if self.capture:
            flags += ["--capture", self.capture]
        super().__init__(directory, "proxy", "proxy", *flags, *args, env=env, prefix=prefix)
        self.up(self.port)
        wait_for("admin", lambda: accepts(self.admin_port))

    def admin(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=PATIENCE) as answer:
            return answer.read().decode()

    def metrics(self):
        """Scrape the metrics; return {'name{labels}': value}."""
        figures = {}
        for line in self.admin("/metrics").splitlines():
            if line and not line.startswith("#"):
                key, value = line.rsplit(" ", 1)
                figures[key] = float(value)
        return figures

    def books(self):
        """Scrape the ledger once; return {book: {completed, recorded, pending, dropped, excluded}}."""
        return books_of(self.metrics())

    def settled(self, completed=None, book="exchanges", copies=True, patience=PATIENCE):
        """Wait until `completed` exchanges are complete, nothing is pending and no copy runs; return the books.

        A copy may end before its exchange or long after it. copies=False: do not wait for copies.
        """
        def quiet():
            figures = self.metrics()
            books = books_of(figures)
            done = all(b["pending"] == 0 for b in books.values())
            done = done and (completed is None or all(books[b]["completed"] >= completed for b in (book, "exchanges")))
            if copies:
                done = done and not any(v for k, v in figures.items() if k.startswith(("plumbline_copies_running{", "plumbline_copies_waiting{", "plumbline_scores_waiting{")))
            return books if done else None
        what = f"the ledger to settle ({completed})"
        # Twice, because a scrape reads the books before it reads the copies.
        return wait_for(what, quiet, patience) and wait_for(what, quiet, patience)


def books_of(metrics):
    books = {}
    for key, value in metrics.items():
        match = re.match(r'plumbline_(?:exchanges|copies)_(completed|recorded|pending|dropped|excluded)(?:_total)?(?:\{(.*)\})?$', key)
        if not match:
            continue
        what, labels = match.group(1), dict(re.findall(r'(\w+)="([^"]*)"', match.group(2) or ""))
        book = books.setdefault(labels.get("reference", "exchanges"), {"completed": 0, "recorded": 0, "pending": 0, "dropped": {}, "excluded": {}})
        if what in ("dropped", "excluded"):
            book[what][labels.get("cause") or labels.get("reason")] = int(value)
        else:
            book[what] = int(value)
    return books


def balances(book):
    return book["recorded"] + book["pending"] + sum(book["dropped"].values()) + sum(book["excluded"].values()) == book["completed"]


def plumbline(*args, patience=PATIENCE, env=None, check=None):
    """Run a command to its end. check: the exit code that it must have."""
    done = subprocess.run([BINARY, *map(str, args)], capture_output=True, timeout=patience, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(env or {})})
    assert done.returncode >= 0, f"died by signal {-done.returncode}: {args}\n{done.stderr.decode(errors='replace')[-4000:]}"
    if check is not None:
        assert done.returncode == check, (done.returncode, done.stdout.decode(errors="replace")[-2000:], done.stderr.decode(errors="replace")[-4000:])
    return done


def listed_in_help(*verb, under):
    """Return the names that a command's --help lists between this heading and its examples."""
    text = plumbline(*verb, "--help", check=0).stdout.decode()
    return re.findall(r"^  (\S+) +\S", text[text.index(under):text.index("examples:")], re.M)


def export_forms():
    """Return the names of the formats that `capture export` writes."""
    return listed_in_help("capture", "export", under="forms:")


def exported(capture):
    done = plumbline("capture", "export", "--jsonl", capture, check=0)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


# --- raw HTTP ---------------------------------------------------------------------------------------------------------

class Raw:
    """A client that sends and receives exact bytes."""

    def __init__(self, port, timeout=PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = bytearray()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def more(self):
        """Read once; return False at the end of the stream."""
        data = self.socket.recv(1 << 20)
        self.got += data
        return bool(data)

    def until(self, mark):
        """Read until the mark; remove and return everything up to its end."""
        while mark not in self.got:
            if not self.more():
                raise EOFError(f"ended before {mark!r}: {self.got!r}")
        return self.take(self.got.index(mark) + len(mark))

    def take(self, n):
        taken = bytes(self.got[:n])
        del self.got[:n]
        return taken

    def exactly(self, n):
        while len(self.got) < n:
            if not self.more():
                raise EOFError(f"ended after {len(self.got)} of {n} bytes")
        return self.take(n)

    def rest(self):
        with contextlib.suppress(ConnectionResetError):
            while self.more():
                pass
        return self.take(len(self.got))

    def answer(self, head_only=False):
        """Read an answer; return (status, [(name, value)], body). `interim` gets the interim answers before it."""
        self.interim = []
        while True:
            head = self.until(b"\r\n\r\n").decode("latin1")
            status = int(head.split(" ", 2)[1])
            fields = [tuple(line.split(": ", 1)) for line in head.split("\r\n")[1:] if line]
            if status >= 200:
                break
            self.interim.append((status, fields))
        low = {name.lower(): value for name, value in fields}
        if head_only or status in (204, 304):
            return status, fields, b""
        if low.get("transfer-encoding", "").lower() == "chunked":
            return status, fields, self.chunked()
        if "content-length" in low:
            return status, fields, self.exactly(int(low["content-length"]))
        return status, fields, self.rest()

    def chunked(self):
        body = bytearray()
        while True:
            size = int(self.until(b"\r\n").split(b";")[0], 16)
            if size == 0:
                self.until(b"\r\n")
                return bytes(body)
            body += self.exactly(size)
            assert self.exactly(2) == b"\r\n"

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def request(method, target, body=b"", fields=(), version="1.1", length=True):
    if isinstance(body, dict):
        body = json.dumps(body).encode()
        fields = [("content-type", "application/json"), *fields]
    head = f"{method} {target} HTTP/{version}\r\nHost: test\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in fields)
    if body and length:
        head += f"Content-Length: {len(body)}\r\n"
    return head.encode("latin1") + b"\r\n" + body


def post(port, target, body, fields=(), **kw):
    """Send one POST on a new connection; return (status, fields, body)."""
    with Raw(port) as raw:
        raw.send(request("POST", target, body, fields, **kw))
        return raw.answer()


def post_and_hear(port, target, body, mark, heard):
    """Like post(). Sets the event `heard` when the answer has arrived up to `mark`, so that an engine can wait for it."""
    heard.clear()
    with Raw(port) as raw:
        raw.send(request("POST", target, body))
        begun = raw.until(mark)
        heard.set()
        raw.got[:0] = begun
        return raw.answer()


def get(port, target, fields=()):
    with Raw(port) as raw:
        raw.send(request("GET", target, b"", fields))
        return raw.answer()


def chat(text="Tell me about the sea.", **more):
    return {"model": "simulated", "messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 16, **more}


def completion(text="Once upon a time", **more):
    return {"model": "simulated", "prompt": text, "temperature": 0, "max_tokens": 16, **more}


def events(body):
    """Return the data of each server-sent event."""
    return [b"\n".join(line[5:].lstrip(b" ") for line in block.split(b"\n") if line.startswith(b"data:"))
            for block in body.replace(b"\r\n", b"\n").split(b"\n\n") if block.strip()]


# --- scripted engines -------------------------------------------------------------------------------------------------

class Seen:
    """A request that the scripted engine received."""

    def __init__(self, head, body):
        self.raw_head = head
        lines = head.decode("latin1").split("\r\n")
        self.method, self.target, self.version = lines[0].split(" ")
        self.fields = [tuple(line.split(": ", 1)) for line in lines[1:] if line]
        self.low = {name.lower(): value for name, value in self.fields}
        self.body = body


class Scripted:
    """An engine for one test: for each request, script(connection, seen) sends the answer.

    connection is a Raw with the accepted socket, seen the request. If the script returns False, the connection closes.
    With read_body=False the script reads the body.
    """

    def __init__(self, script, read_body=True, port=None):
        self.script, self.read_body = script, read_body
        self.port = port or free_port()
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=512)
        self.url = f"http://127.0.0.1:{self.port}"
        self.seen, self.connections, self.closed = [], 0, False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        raw = Raw.__new__(Raw)
        raw.socket, raw.got = sock, bytearray()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                head = raw.until(b"\r\n\r\n")
                seen = Seen(head, b"")
                if self.read_body:
                    if seen.low.get("transfer-encoding") == "chunked":
                        seen.body = raw.chunked()
                    else:
                        seen.body = raw.exactly(int(seen.low.get("content-length", 0)))
                self.seen.append(seen)      # only now, when the body is complete
                if self.script(raw, seen) is False:
                    break
        except (OSError, EOFError):
            pass
        finally:
            with contextlib.suppress(OSError):
                sock.close()

    def stop(self):
        self.closed = True
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)     # ends the blocking accept()
        self.listener.close()


def respond(raw, body, status="200 OK", fields=(), content_type="application/json"):
    if not isinstance(body, bytes):
        body = json.dumps(body, separators=(",", ":")).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in fields)
    raw.send(head.encode() + b"\r\n" + body)


def complete(raw, seen, answer, model="m"):
    """Answer like an unknown engine with one model: answer(raw, seen) sends the answer to a completion."""
    if seen.target == "/v1/models":
        return respond(raw, {"object": "list", "data": [{"id": model, "object": "model"}]})
    if not seen.target.endswith("/completions"):
        return respond(raw, {}, "404 Not Found")
    return answer(raw, seen)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)
