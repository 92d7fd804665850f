"""`lab run`: sends a workload through the proxy to a pair of engines, and checks what plumbline read and recorded."""
import contextlib
import dataclasses
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time

import agreement
from places import ROOT, LabError, Unknown
from services import call, free_port, tail
from workload import exchanges

COPY_LIMIT = 600    # seconds to wait for the reference


@dataclasses.dataclass
class Verdict:
    """The result of one pair."""
    primary: str
    reference: str
    exchanges: int = 0
    legs: int = 0
    primary_tokens: int = 0      # with a logprob
    reference_tokens: int = 0
    wrong: list = dataclasses.field(default_factory=list)
    analyze: str = ""
    seconds: float = 0


def find_plumbline(given):
    """Return the binary to test: the given one, or build/plumbline, which is built if it is missing."""
    if given:
        if not os.access(given, os.X_OK):
            raise Unknown(f"{given} is not a program")
        return os.path.abspath(given)
    built = ROOT / "build" / "plumbline"
    if not built.exists():
        for command in (["meson", "setup", ROOT / "build", ROOT], ["ninja", "-C", ROOT / "build", "plumbline"]):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if done.returncode:
                raise LabError(f"{command[0]} cannot build plumbline:\n{(done.stdout + done.stderr)[-1000:]}")
    return str(built)


class Proxy:
    """A running plumbline proxy with a primary and a reference."""

    def __init__(self, plumbline, directory, primary, reference):
        self.port, self.admin = free_port(), free_port()
        self.log = directory / "proxy.log"
        self.capture = directory / "capture"
        config = directory / "proxy.yaml"
        config.write_text(
            f"listen: 127.0.0.1:{self.port}\nadmin: 127.0.0.1:{self.admin}\n"
            f"primary:\n  name: {primary.name}\n  url: {primary.url}\n"
            f"references:\n  - name: {reference.name}-reference\n    url: {reference.url}\n    max_concurrency: 1\n"
            f"    models: {{{primary.model}: {reference.model}}}\n"
            f"capture:\n  path: {self.capture}\n")
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen([plumbline, "proxy", "-c", config], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self._wait("the proxy to listen", self._listens, 20)

    def _wait(self, what, condition, limit):
        end = time.monotonic() + limit
        while not condition():
            if self.process.poll() is not None:
                raise LabError(f"the proxy ended with {self.process.returncode}:\n{tail(self.log)}")
            if time.monotonic() > end:
                raise LabError(f"waited {limit} s in vain for {what}:\n{tail(self.log)}")
            time.sleep(0.1)

    def _listens(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return call(self.admin, "GET", "/readyz", limit=2)[0] == 200
        return False

    def _quiet(self):
        """Whether nothing waits for an engine or for the disk."""
        text = call(self.admin, "GET", "/metrics")[1].decode()
        waiting = re.findall(r"(?m)^plumbline_(?:exchanges_pending|copies_pending|copies_running|copies_waiting|exchanges_in_flight)(?:\{.*\})? (\d+)", text)
        return not any(map(int, waiting))

    def settle(self):
        self._wait("the copies to end", self._quiet, COPY_LIMIT)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


def run(plumbline, directory, primary, reference, count, max_tokens, say):
    """Run one pair. The directory keeps its capture, logs and results."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    begun = time.monotonic()
    verdict = Verdict(primary.name, reference.name)
    proxy = Proxy(plumbline, directory, primary, reference)
    try:
        seen = []
        for path, body in exchanges(count, primary.model, max_tokens):
            seen.append(send(proxy.port, path, body))
            proxy.settle()   # one request at a time: some engines abort a running answer for the next request
            say(f"\r{primary.name} and {reference.name}: {len(seen)} of {count}")
        ended = proxy.stop()
        if ended:
            verdict.wrong.append(f"the proxy ended with {ended}: {proxy.log}")
    finally:
        proxy.stop()
    judge(verdict, seen, export(plumbline, proxy.capture, directory))
    done = subprocess.run([plumbline, "analyze", proxy.capture], capture_output=True, text=True)
    (directory / "analyze.txt").write_text(done.stdout + done.stderr)
    verdict.analyze = (done.stdout.strip() or done.stderr.strip()).split("\n")[0]
    if done.returncode not in (0, 1, 4):
        verdict.wrong.append(f"analyze ended with {done.returncode}: {verdict.analyze}")
    verdict.seconds = time.monotonic() - begun
    (directory / "verdict.json").write_text(json.dumps(dataclasses.asdict(verdict), indent=1) + "\n")
    return verdict


def send(port, path, body):
    """Send a request; return (status, content type, body)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=COPY_LIMIT)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.getheader("content-type", ""), answer.read()
    except (OSError, http.client.HTTPException) as e:
        return 0, "", repr(e).encode()
    finally:
        connection.close()


def export(plumbline, capture, directory):
    file = directory / "export.jsonl"
    with open(file, "wb") as out:
        done = subprocess.run([plumbline, "capture", "export", "--jsonl", capture], stdout=out, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise LabError(f"the capture cannot be exported: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in file.read_text().splitlines()]


def judge(verdict, seen, rows):
    wrong, primary, reference = verdict.wrong, verdict.primary, f"{verdict.reference}-reference"
    verdict.exchanges = len(rows)
    if len(rows) != len(seen):
        wrong.append(f"{len(seen)} requests were sent, {len(rows)} exchanges recorded")
    for i, (row, client) in enumerate(zip(rows, seen)):
        legs = {leg["backend"]: leg for leg in row["legs"]}
        if set(legs) != {primary, reference}:
            wrong.append(f"exchange {i}: legs of {sorted(legs)}")
        for name, leg in legs.items():
            where = f"exchange {i} ({row['endpoint']}, {'streamed' if row['streamed'] else 'unary'}), {name}"
            verdict.legs += 1
            if leg["outcome"] != "complete" or leg["status"] != 200:
                wrong.append(f"{where}: {leg['outcome']}, status {leg['status']}, {leg['error']}")
            wrong.extend(f"{where}: {line}" for line in agreement.disagreements(leg))
            scored = sum(lp is not None for c in (leg["reading"] or {}).get("choices", []) if c["columns"]
                         for lp in c["columns"]["lp"])
            if name == primary:
                verdict.primary_tokens += scored
            else:
                verdict.reference_tokens += scored
        if primary in legs:
            wrong.extend(f"exchange {i}: {line}" for line in client_saw(client, legs[primary]))


def client_saw(client, leg):
    """Check that the client got the primary's answer, without the logprobs that the proxy requested."""
    if client[0] != 200:
        return [f"the client got {client[0]}: {client[2][:200]!r}"]
    got, want = agreement.expect.answer(*client), agreement.said(leg)
    if "choices" not in got or "choices" not in want:
        return ["the client's answer has no choices"]
    plain = ("index", "text", "reasoning", "finish", "calls")
    texts = [[{k: c[k] for k in plain} for c in a["choices"]] for a in (got, want)]
    out = [] if texts[0] == texts[1] else [f"the client read {texts[0]}, the primary said {texts[1]}"]
    if any(c["tokens"] for c in got["choices"]):
        out.append("the client got logprobs that it did not request")
    return out


def table(verdicts):
    rows = [["primary", "reference", "exchanges", "legs read", "tokens scored", "wrong", "time"]]
    for v in verdicts:
        rows.append([v.primary, v.reference, str(v.exchanges), str(v.legs), f"{v.primary_tokens} + {v.reference_tokens}",
                     str(len(v.wrong)), f"{v.seconds:.0f} s"])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
