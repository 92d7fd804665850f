"""Grading of programs: `grade` runs them against their tests, and nothing escapes the sandbox."""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

from harness import BINARY, exported, plumbline, wait_for
from test_replay import replay

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "configs" / "suites" / "code.jsonl"
BENCHMARK = ROOT / "configs" / "benchmarks" / "livecodebench-form.jsonl"
PROOFS = ROOT / "tests" / "suites" / "proofs"

# Like the command: root enters the sandbox as nobody.
nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
sandbox = shutil.which("bwrap") and subprocess.run(
    ["bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
     "/usr/bin/true"], capture_output=True, **nobody).returncode == 0
pytestmark = pytest.mark.skipif(not sandbox, reason="bubblewrap can't make its namespaces here")


def solutions(name):
    parts = re.split(r"(?m)^# (\S+)\n", (PROOFS / f"{name}.txt").read_text())[1:]
    return dict(zip(parts[::2], parts[1::2]))


class Programmer(http.server.ThreadingHTTPServer):
    """An engine that answers each question with a prepared text, or with several: a list of choices."""
    daemon_threads = True

    def __init__(self, answers):
        self.answers = answers
        super().__init__(("127.0.0.1", 0), Programmer.Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def say(self, value):
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.say({"object": "list", "data": [{"id": "programmer", "object": "model"}]})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            choices = self.server.answers[body["messages"][-1]["content"]]
            self.say({"id": "1", "object": "chat.completion", "created": 1, "model": "programmer", "choices": [
                {"index": i, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
                for i, (text, finish) in enumerate(choices if isinstance(choices, list) else [choices])]})


@contextlib.contextmanager
def programmer(answers):
    server = Programmer(answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def fenced(code, words="Here it is:\n\n"):
    return f"{words}```python\n{code}\n```\nIt does what was asked."


def tasks(n):
    """Return (id, question, right program, function) of the suite's first tasks."""
    known = solutions("code")
    rows = [json.loads(line) for line in SUITE.read_text().splitlines()[:n]]
    return [(r["id"], r["messages"][-1]["content"], known[r["id"]], r["function"]) for r in rows]


def capture_of(start, rows, *sides):
    """Record the first tasks with both sides: {question: (text, finish)}."""
    capture = start.directory / "answers"
    for i, answers in enumerate(sides):
        with programmer(answers) as engine:
            source = [SUITE, "--limit", len(rows)] if i == 0 else [capture]
            replay(source[0], engine, *source[1:], *(["--capture", capture] if i == 0 else []), "--name", f"side{i}", "--no-logprobs")
    return capture


def grade(capture, *flags, check=0):
    return json.loads(plumbline("grade", capture, "--json", *flags, check=check).stdout)


def group(capture):
    return json.loads(plumbline("analyze", capture, "--base", "side0", "--test", "side1", "--json", check=None).stdout)["groups"][0]


def gold(capture):
    return group(capture)["by_decoding"]["greedy"]["gold"]


def limits(capture):
    return [limit["key"] for limit in group(capture)["limits"]]


@pytest.mark.slow
def test_right_programs_are_right_and_wrong_ones_wrong(start):
    rows = tasks(12)
    right = {question: (fenced(code), "stop") for _, question, code, _ in rows}
    wrong = dict(right)
    spoilt = [lambda f: f"def {f}(*a):\n    return 'wrong'", lambda f: f"def {f}(*a):\n    raise ValueError('no')",
              lambda f: f"def {f}(*a):\n    return open('/etc/passwd').read()", lambda f: "def other():\n    pass",
              lambda f: f"def {f}(*a):\n    while True: pass"]
    for (_, question, _, function), spoil in zip(rows[2:], spoilt):     # the last of these tasks has only two tests
        wrong[question] = (fenced(spoil(function)), "stop")
    capture = capture_of(start, rows, right, wrong)
    assert "ungraded" in limits(capture), "unexecuted programs are reported"
    said = grade(capture, "--time-limit", "5s")     # a busy machine may stop a right program for seconds
    assert "ungraded" not in limits(capture)
    assert (said["wanted"], said["right"], said["wrong"], said["failed"]) == (24, 19, 5, [])
    assert sum(kind["n"] for kind in said["wrong_by"]) == 5 and len(said["wrong_by"]) >= 4
    told = gold(capture)
    assert (told["judged"], told["both_right"], told["broke"], told["fixed"], told["base_score"]) == (12, 7, 5, 0, 1)
    # Each grade is a leg, which names the graded leg and the program.
    legs = [leg for e in exported(capture) for leg in e["legs"] if "grading" in leg["marks"]]
    assert len(legs) == 24 and all("scored" in leg["marks"] and leg["backend"] == "tests" for leg in legs)
    shown = plumbline("capture", "show", "--", exported(capture)[0]["id"], capture, check=0).stdout
    assert b"tests passed" in shown
    assert plumbline("grade", capture, check=0).stdout.decode().endswith(f"plumbline analyze {capture} --base side0 --test side1\n")
    plumbline("capture", "verify", capture, check=0)


def test_a_limit_leaves_no_choice_of_an_answer_ungraded(start):
    rows = tasks(1)
    capture = capture_of(start, rows, {question: [(fenced(code), "stop")] * 2 for _, question, code, _ in rows})
    assert grade(capture, "--limit", 1)["right"] == 1
    said = grade(capture)
    assert (said["already"], said["right"]) == (1, 1)


def test_grading_resumes_after_a_limit(start):
    rows = tasks(6)
    right = {question: (fenced(code), "stop") for _, question, code, _ in rows}
    capture = capture_of(start, rows, right)
    assert grade(capture, "--dry-run")["wanted"] == 6
    assert grade(capture, "--limit", 2)["right"] == 2
    again = grade(capture)
    assert (again["already"], again["right"]) == (2, 4)
    last = grade(capture)
    assert (last["already"], last["wanted"], last["right"]) == (6, 0, 0)


def test_an_answer_cut_before_its_program_is_not_wrong(start):
    rows = tasks(3)
    cut = {question: ("Let me think about it", "length") for _, question, _, _ in rows}
    said = grade(capture_of(start, rows, cut))
    assert said["right"] == said["wrong"] == 0 and said["not_graded"] == [{"why": "cut before the program", "n": 3}]


def test_programs_that_read_stdin_are_graded_by_their_output(start):
    known = solutions("livecodebench-form")
    rows = [json.loads(line) for line in BENCHMARK.read_text().splitlines()]
    whole = [r for r in rows if not r["starter_code"]]

    class Answers(dict):
        def __missing__(self, question):
            row = next(r for r in rows if r["question_content"] in question)
            return fenced(known[row["question_id"]]), "stop"
    capture = start.directory / "answers"
    with programmer(Answers()) as engine:
        replay(BENCHMARK, engine, "--capture", capture, "--no-logprobs")
    said = grade(capture)
    assert whole and said["right"] == len(rows) and said["wrong"] == 0


ESCAPES = {
    "network": "import socket\n    socket.create_connection(('127.0.0.1', PORT), 2)",
    "files": "open('/etc/hostname').read()",
    "writing": "open('/usr/escaped', 'w')",
    "processes": "import os\n    assert len([p for p in os.listdir('/proc') if p.isdigit()]) > 0",
    "environment": "import os\n    assert 'PLUMBLINE_SECRET' in os.environ",
    "descriptors": "import os\n    assert [os.fstat(n) for n in range(3, 200) if is_file(os, n)]",
    "memory": "x = bytearray(1 << 31)",
    "much in files": "for i in range(20):\n        open(f'/tmp/{i}', 'wb').write(bytes(8 << 20))",
    "files elsewhere": "open('/dev/shm/x', 'wb').write(bytes(1 << 20))",
    "files at the root": "open('/x', 'wb').write(b'x')",
    "many processes": "import os\n    for _ in range(100):\n        if os.fork() == 0:\n            import time; time.sleep(100)",
}
IS_FILE = """def is_file(os, n):
    import stat
    try:
        return stat.S_ISREG(os.fstat(n).st_mode) and os.fstat(n).st_nlink > 0
    except OSError:
        return False
"""


@pytest.mark.slow
def test_a_program_sees_nothing_of_the_machine(start, monkeypatch):
    """Each program tries to leave the sandbox. If it can, it gives the right result, and its grade is 1."""
    monkeypatch.setenv("PLUMBLINE_SECRET", "seen")
    with programmer({}) as listener:
        rows = tasks(len(ESCAPES))
        answers = {}
        for (_, question, code, function), way in zip(rows, ESCAPES.values()):
            name = f"kept_{function}"
            body = way.replace("PORT", str(listener.server_port))
            code = re.sub(rf"\b{function}\b", name, code)
            answers[question] = (fenced(f"{IS_FILE}\n{code}\n\ndef {function}(*a):\n    {body}\n    return {name}(*a)"), "stop")
        said = grade(capture_of(start, rows, answers), "--time-limit", "5s", "--memory-limit", 512)
    assert (said["right"], said["wrong"], said["failed"]) == (0, len(ESCAPES), [])


def test_ctrl_c_keeps_what_was_graded(start):
    rows = tasks(8)
    slow = {question: (fenced(f"import time\n{code}\ntime.sleep(0.4)"), "stop") for _, question, code, _ in rows}
    capture = capture_of(start, rows, slow)
    process = subprocess.Popen([BINARY, "grade", str(capture), "--json", "--concurrency", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for("a first grade", lambda: any("grading" in leg["marks"] for e in exported(capture) for leg in e["legs"]) or process.poll() is not None,
             pause=0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    said = json.loads(out)
    assert process.returncode == 3 and said["stopped"] and 0 < said["right"] < 8
    again = grade(capture)
    assert again["already"] == said["right"] and again["already"] + again["right"] == 8


def test_without_programs_there_is_nothing_to_grade(start):
    capture = start.directory / "answers"
    replay(ROOT / "configs" / "suites" / "reasoning.jsonl", start.engine(), "--capture", capture, "--limit", 3)
    assert grade(capture, check=4)["wanted"] == 0
    told = plumbline("grade", capture, check=4).stdout.decode()
    assert told.startswith("None of the 3 answers can be graded.") and "0 right" not in told


def test_answers_that_cannot_be_graded_are_reported_with_the_reason(start):
    capture = start.directory / "answers"
    replay(ROOT / "configs" / "suites" / "mathematics.jsonl", start.engine(), "--capture", capture, "--limit", 3)
    told = plumbline("grade", capture, check=4).stdout.decode()
    assert told.startswith("0 answers graded") and "None of" not in told
    assert "3 answers not graded: without a marked mathematical value" in " ".join(told.split())
