"""The proxy without memory: allocations that fail under all kinds of traffic at once."""
import collections
import gzip
import hashlib
import http.client
import mmap
import resource
import struct
import subprocess

import pytest

from harness import *

HERE = pathlib.Path(__file__).parent
ALL = (1 << 32) - 1
SMALL = 128 << 10               # MEM_SMALL of base/mem.h
SECONDS, AROUND = (6, 1) if LONG else (1.5, 0.5)      # of starving; of plenty before and after it
SEEDS, ENOUGH = ([1, 2, 3], 100) if LONG else ([1], 20)

pytestmark = [pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer has a malloc of its own"), pytest.mark.slow]


# --- the engine: answers of a size that is asked for, with logprobs where these are --------------------------------------

def alternatives(seen):
    return {"logprobs": {"content": [{"token": "x", "logprob": -0.5, "bytes": [120], "top_logprobs": []}] * 20}} if seen else {}


def document(asked):
    choice = {"index": 0, "message": {"role": "assistant", "content": "x" * asked["max_tokens"]}, "logprobs": None, "finish_reason": "stop"}
    return {"id": "a", "object": "chat.completion", "choices": [{**choice, **alternatives(asked.get("logprobs"))}]}


def stream(asked):
    for i in range(asked["max_tokens"]):
        choice = {"index": 0, "delta": {"content": f"word {i} "}, "logprobs": None, "finish_reason": None}
        yield {"id": "a", "object": "chat.completion.chunk", "choices": [{**choice, **alternatives(asked.get("logprobs"))}]}


def packed(value):
    return json.dumps(value, separators=(",", ":")).encode()


def streamed(asked):
    return b"".join(b"data: " + packed(event) + b"\n\n" for event in stream(asked)) + b"data: [DONE]\n\n"


def coded(data):
    return gzip.compress(data, 1, mtime=0)


def engine(raw, seen):
    if not seen.target.endswith("/chat/completions"):
        respond(raw, {"sum": hashlib.sha256(seen.body).hexdigest()})
        return
    asked = json.loads(seen.body)
    if not asked.get("stream"):
        if seen.low.get("accept-encoding") == "gzip":
            respond(raw, coded(packed(document(asked))), fields=[("Content-Encoding", "gzip")])
        else:
            respond(raw, packed(document(asked)))
        return
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for event in streamed(asked).split(b"\n\n")[:-1]:
        raw.send(chunk(event + b"\n\n"))
    raw.send(b"0\r\n\r\n")


# --- the clients ------------------------------------------------------------------------------------------------------------

# Whether an answer is whole. That what was added is cut out is promised only as long as there is memory to do it in: it may be
# there, of a stream in some events.

def same(forms):
    return lambda answer: answer in forms


def same_by_event(plain, uncut):
    def judge(answer):
        got = answer.split(b"\n\n")
        return len(got) == len(plain) and all(g in (p, u) for g, p, u in zip(got, plain, uncut))
    return judge


def unary(prompt, words):
    asked = chat("y" * prompt, max_tokens=words)
    return "/v1/chat/completions", packed(asked), (), same([packed(document(asked)), packed(document({**asked, "logprobs": True}))])


def zipped(words):
    """Whose logprobs the client asked for, so that the coding stays: to the client a KB, and much to read."""
    asked = chat("z", max_tokens=words, logprobs=True, top_logprobs=5)
    return "/v1/chat/completions", packed(asked), [("Accept-Encoding", "gzip")], same([coded(packed(document(asked)))])


def sse(n):
    asked = chat("tell", max_tokens=n, stream=True)
    plain, uncut = (streamed(a).split(b"\n\n") for a in (asked, {**asked, "logprobs": True}))
    return "/v1/chat/completions", packed(asked), (), same_by_event(plain, uncut)


def upload(size):
    body = os.urandom(1 << 16) * (size >> 16)
    return "/v1/files", body, [("Content-Type", "application/octet-stream")], same([packed({"sum": hashlib.sha256(body).hexdigest()})])


def kinds_of_traffic():
    return [unary(20, 20), unary(1000, 2000), unary(300_000, 20), unary(20, 400_000), unary(1_000_000, 600_000), zipped(20), zipped(600_000), sse(20),
            sse(400), upload(1 << 20)]


class Client(threading.Thread):
    """One request after the other, all of one kind; what became of them is counted, and what should not be is kept."""

    def __init__(self, port, kind):
        super().__init__(daemon=True)
        self.port, self.kind, self.stopping = port, kind, threading.Event()
        self.ends, self.wrong = collections.Counter(), []

    def run(self):
        raw = None
        while not self.stopping.is_set():
            try:
                raw = raw or Raw(self.port)
                end, keep = self.ask(raw)
            except (EOFError, OSError):
                end, keep = "cut", False
            self.ends[end] += 1
            if not keep and raw:
                raw.close()
                raw = None
        if raw:
            raw.close()

    def ask(self, raw):
        target, body, fields, is_whole = self.kind
        try:
            raw.send(request("POST", target, body, fields))
        except OSError:
            pass                # refused while it was being sent: the answer may be there
        status, got, answer = raw.answer()
        keep = ("Connection", "close") not in got
        if status == 200 and is_whole(answer):
            return "whole", keep
        if status == 503 and json.loads(answer)["error"]["code"] == "memory":
            return "shed", keep
        self.wrong.append((status, target, len(body), answer[:300]))
        return "wrong", False

    def stop(self):
        self.stopping.set()
        self.join(PATIENCE)
        assert not self.is_alive()


def lives(proxy):
    assert proxy.process.poll() is None, f"ended with {proxy.process.returncode}:\n{proxy.log()[-4000:]}"


def under_traffic(proxy, kinds, seconds, meanwhile=lambda: None, at_last=lambda: None, until=lambda ends, figures: True):
    """Each kind by two clients, for so long, and until so much of it has ended. Returns how requests ended; each scrape meanwhile must balance.
    at_last: before the last answers."""
    clients = [Client(proxy.port, kind) for kind in kinds for _ in range(2)]
    for client in clients:
        client.start()
    def ends():
        return sum((client.ends for client in clients), collections.Counter())
    begun, scrapes, reached = time.monotonic(), 0, False
    while time.monotonic() - begun < seconds or (not reached and time.monotonic() - begun < PATIENCE):
        meanwhile()
        with contextlib.suppress(OSError, EOFError, http.client.HTTPException):
            figures = proxy.metrics()
            books = books_of(figures)
            assert all(balances(book) for book in books.values()), books
            scrapes += 1
            reached = until(ends(), figures)
        time.sleep(0.05)
    at_last()
    for client in clients:
        client.stop()
    lives(proxy)
    wrong = [w for client in clients for w in client.wrong]
    assert not wrong, wrong[:3]
    assert scrapes
    return ends()


# --- how memory runs out -----------------------------------------------------------------------------------------------------

class Shim:
    """tests/e2e/starve/starve.c, switched through the file that it maps."""

    def __init__(self, directory):
        library, self.path = directory / "starve.so", directory / "starve"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "starve/starve.c"], check=True)
        self.path.write_bytes(bytes(32))
        self.file = open(self.path, "r+b")
        self.memory = mmap.mmap(self.file.fileno(), 32)
        self.env = {"LD_PRELOAD": str(library), "STARVE": str(self.path)}

    def set(self, least, share=ALL, seed=1):
        self.memory[8:24] = struct.pack("<QQ", share, seed)
        self.memory[0:8] = struct.pack("<Q", least)

    @property
    def failed(self):
        return struct.unpack("<Q", self.memory[24:32])[0]


CONFIG = """
logprobs: {inject: both}
references:
  - name: reference
    url: %s
    max_concurrency: 8
"""


def shed(figures):
    return figures["plumbline_requests_shed_total"] + sum(b["dropped"].get("memory", 0) for b in books_of(figures).values())


def losses(figures):
    return shed(figures) + sum(figures[f"plumbline_{name}_total"] for name in ("truncated", "recorder_unread", "uncut"))


def begin(start, content, env=None):
    primary, reference = start.scripted(engine), start.scripted(engine)
    proxy = start.proxy(primary.url, config=CONFIG % reference.url + f"capture: {{content: {content}}}\n", env=env)
    ends = under_traffic(proxy, kinds_of_traffic(), AROUND)
    assert set(ends) == {"whole"}, ends         # and now the engine's kind of answers is known
    proxy.settled()                             # nothing is under way that was begun with memory at hand
    return proxy


def prove_recovery(proxy):
    """As if nothing had been: every answer is whole, the books are exact, what was recorded is sound."""
    def answers():
        with contextlib.suppress(OSError, EOFError):
            return post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    wait_for("an answer", answers)
    time.sleep(0.05)            # the reserve is filled again every 10 ms
    proxy.settled()
    before = proxy.metrics()
    ends = under_traffic(proxy, kinds_of_traffic(), AROUND)
    assert set(ends) == {"whole"}, ends
    books = proxy.settled()
    assert all(balances(book) for book in books.values()), books
    after = proxy.metrics()
    assert shed(after) == shed(before)
    recorded = books["exchanges"]["recorded"] - books_of(before)["exchanges"]["recorded"]
    assert recorded == sum(ends.values()), (recorded, ends)
    wait_for("all memory to be given back", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0)
    assert proxy.stop() == 0, proxy.log()[-4000:]
    plumbline("capture", "verify", proxy.capture, check=0)


@pytest.mark.parametrize("content", ["full", "redacted"])
def test_what_is_large_can_fail_as_long_as_it_likes(start, tmp_path, content):
    shim = Shim(tmp_path)
    proxy = begin(start, content, shim.env)
    before = losses(proxy.metrics())
    shim.set(SMALL + 1)
    ends = under_traffic(proxy, kinds_of_traffic(), SECONDS, until=lambda ends, figures: shim.failed > ENOUGH and ends["whole"] > ENOUGH)
    lost = losses(proxy.metrics()) - before
    assert shim.failed > ENOUGH and lost > 0, (shim.failed, lost, "or this test tests nothing")
    assert ends["whole"] > ENOUGH, ends
    shim.set(0)
    prove_recovery(proxy)


@pytest.mark.parametrize("seed", SEEDS)
def test_anything_can_fail_now_and_then(start, tmp_path, seed):
    shim = Shim(tmp_path)
    proxy = begin(start, "full", shim.env)
    shim.set(1, ALL // 300, seed)
    ends = under_traffic(proxy, kinds_of_traffic(), SECONDS, until=lambda ends, figures: shim.failed > 10 and ends["whole"] > 10 and ends["shed"] > 0)
    assert shim.failed > 10, shim.failed
    assert ends["whole"] > 10 and ends["shed"] > 0, ends
    shim.set(0)
    prove_recovery(proxy)


def test_when_the_machine_gives_no_more_answers_are_given_and_records_are_lost(start):
    proxy = begin(start, "full")
    crowd, limit = [Raw(proxy.port) for _ in range(1000)], 0

    def squeeze():
        """What the process may have is what it has, and less as soon as it has given something back."""
        nonlocal limit
        lives(proxy)
        status = pathlib.Path(f"/proc/{proxy.pid}/status").read_text()
        now = int(re.search(r"VmData:\s+(\d+) kB", status)[1]) << 10
        limit = min(limit, now) if limit else now
        resource.prlimit(proxy.pid, resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
        # Heads without an end, which want small pieces of memory, many of them.
        for raw in crowd[:200]:
            with contextlib.suppress(OSError):
                raw.send(b"POST /v1/files HTTP/1.1\r\nX: " + b"y" * 60000)
        del crowd[:200]

    def relax():
        """What was given back is the machine's for good: till then, new clients may have to wait."""
        resource.prlimit(proxy.pid, resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ends = under_traffic(proxy, kinds_of_traffic(), SECONDS, squeeze, relax, lambda ends, figures: ends["whole"] > 0 and losses(figures) > 0)
    assert ends["whole"] > 0, ends
    assert losses(proxy.metrics()) > 0, ends
    prove_recovery(proxy)
