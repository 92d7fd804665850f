"""Math-Verify as judge of marked mathematical values: what it gets, which verdicts count, and what cannot stop it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from harness import BINARY, exported, plumbline, wait_for
from test_judge_model import capture_of, greedy

PYTHON = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "build/sdks")).absolute() / "math" / "bin" / "python"
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def runs(*words):
    return subprocess.run(words, capture_output=True, **NOBODY).returncode == 0


SANDBOX = shutil.which("bwrap") and runs("bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib",
                                         "--symlink", "usr/lib64", "/lib64", "/usr/bin/true")
sandboxed = pytest.mark.skipif(not SANDBOX, reason="bubblewrap can't make its namespaces here")
with_library = pytest.mark.skipif(not SANDBOX or not PYTHON.exists() or not runs(PYTHON, "-c", "import math_verify, antlr4"),
                                  reason=f"Math-Verify is not installed for {PYTHON}, or there is no sandbox")

HANGS = r"\{9^{9^{9^{9}}}\}", r"\{1+9^{9^{9^{9}}}\}"

# Values that differ or may differ. Math-Verify alone calls many of them equal.
TRAPS = [
    (r"7\text{ apples}", r"7\text{ oranges}"), (r"5\text{ m}", r"5\text{ km}"), (r"5\text{ m}", "5"), (r"\text{at least }5", "5"),
    ("x=5", "y=5"), (r"50\%", "50"), (r"90^\circ", "90"), (r"\pi", "3.141593"), (r"e", "2.718282"), (r"\frac{1}{3}", "0.333333"),
    ("1.0000000", "1.0000001"), ("10_2", "10_3"), ("10_2", "10"), ("12:30", "12/30"), ("5!!", "(5!)!"), (r"1\ldots 10", "11"),
    (r"5\ 3", "8"), (r"\{1,2\}", "(1,2)"), ("(1,2)", "(2,1)"), ("1,2", "2,1"), ("(1,234)", "(1234)"), ("1,22", "1.22"),
    ("2x+z=1", "1"), ("x=3=4", "x=4"), ("z=1+1=2", "z=3+3=2"), ("f(x)", "f(y)"), ("f(x)=x^2", "g(x)=x^2"), ("3n+1", "3k+1"),
    (r"\angle ABC", r"\angle abc"), (r"\vec{v}", "v"), (r"\mathcal{O}", "O"), (r"\frac{\pi}{10^{20}}", r"\frac{\pi}{10^{21}}"),
    ("x^2=4", "x=2"), ("|x|", "x"), (r"\sqrt{x^2}", "x"), (r"\log_2 x", r"\log_3 x"), (r"\sin 30^\circ", r"\sin 30"),
    (r"A\cup B", r"A\cap B"), (r"0.\overline{3}", "0.3"), ("f'(x)", "f(x)"), ("-x^2", "(-x)^2"), ("2^{3^2}", "(2^3)^2"),
    ("x<1", r"x\le 1"), ("a_1=3", "a_2=3"), (r"\infty", r"-\infty"), (r"2\frac{1}{2}", r"2\cdot\frac{1}{2}"),
    (r"x\equiv 2\pmod 5", "x=2"), (r"\pm 2", "2"), (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&3\\2&4\end{pmatrix}"),
    (r"\emptyset", r"\{0\}"), (r"(0,1)\cup(2,3)", r"(0,1)\cap(2,3)"), (r"\bar{z}", "z"), ("10^{-20}", "10^{-21}"),
    (r"\frac{1}{2x}", r"\frac{1}{2}x"), ("xy", "x+y"), (r"x\in\mathbb{R}", r"x\in\mathbb{Z}"),
]
SAME = [
    (r"\frac{1}{2}", "0.5"), (r"2\sqrt{3}", r"\sqrt{12}"), (r"\{1,2\}", r"\{2,1\}"), ("(x-1)^2", "x^2-2x+1"), ("x>5", "5<x"),
    (r"\left[0,\tfrac12\right)", r"[0,0.5)"), (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix}1\\\frac{4}{2}\end{bmatrix}"),
    (r"(1,\frac{1}{2})", "(1,0.5)"), (r"\frac{\sqrt2}{2}", r"\frac{1}{\sqrt2}"), ("x+y=1", "2x+2y=2"),
]
DIFFERENT = [
    (r"2\sqrt{3}", r"3\sqrt{2}"), ("[0,1)", "(0,1)"), (r"\frac{\pi}{3}", r"\frac{\pi}{6}"), (r"\{1,2\}", r"\{1,3\}"), ("x>5", "x<5"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\3\end{pmatrix}"), ("(1,2)", "(1,3)"), ("x^2+1", "x^2-1"),
]


def boxed(pairs, words=r"So the answer is $\boxed{{{}}}$."):
    return [tuple(words.format(value) for value in pair) for pair in pairs]


def judge(capture, *flags, check=0):
    return json.loads(plumbline("judge", capture, "--with", "math-verify", "--python", PYTHON, "--json", *flags, check=check, patience=300).stdout)


def verdicts(capture):
    """Return {number of the pair: [(which is first, verdict, why), ...]}."""
    found = {}
    for e in exported(capture):
        number = int(json.loads(e["request"]["body"])["messages"][-1]["content"].split("number ")[1].split()[0])
        base = next(leg["id"] for leg in e["legs"] if "judging" not in leg["marks"])
        for leg in e["legs"]:
            if "judging" in leg["marks"]:
                *why, last = leg["reading"]["choices"][0]["text"].split("\n")
                found.setdefault(number, []).append((leg["score_of"] == base, json.loads(last)["verdict"], *why))
    return found


def each_once(capture, n):
    """Whether each pair was judged once in each order."""
    found = verdicts(capture)
    return sorted(found) == list(range(n)) and all(sorted(v[0] for v in of) == [False, True] for of in found.values())


@with_library
def test_its_verdict_is_stored_next_to_the_rules_with_its_version(start):
    pairs = boxed(SAME + DIFFERENT)
    capture = capture_of(start, pairs)
    before = greedy(capture)
    undecided = before["meaning"]["classes"]["undecided"]
    assert undecided >= 14
    said = judge(capture)
    assert (said["judge"], said["to_judge"], said["requests"]) == ("math-verify", undecided, 2 * undecided)
    assert (said["asked"]["judged"], said["asked"]["replies"], said["asked"]["failed"]) == (undecided, 2 * undecided, [])
    after = greedy(capture)
    own, = after.pop("judges")
    assert after == before, "the figures of the rules do not change"
    assert own["name"] == "math-verify" and own["model"].startswith("math-verify 0.") and "sympy 1." in own["model"]
    for number, of in verdicts(capture).items():
        assert {v[1] for v in of} == {"same" if number < len(SAME) else "different"}, (pairs[number], of)
    text = " ".join(plumbline("analyze", capture, "--full").stdout.decode().split())
    assert "A judge (math-verify, math-verify 0." in text
    again = judge(capture)
    assert (again["requests"], again["already"], again["asked"]) == (0, undecided, None), "no pair is judged twice"


@with_library
def test_none_of_the_traps_is_called_the_same(start):
    capture = capture_of(start, boxed(TRAPS))
    judge(capture)
    wrong = [(TRAPS[n], of) for n, of in verdicts(capture).items() if any(v[1] == "same" for v in of)]
    assert wrong == []
    assert len(TRAPS) >= 40 and len(verdicts(capture)) >= 40
    classes = greedy(capture)["meaning"]["classes"]
    assert classes["identical"] + classes["format"] + classes["wording"] == 0, "nor decided by the rules"


@with_library
def test_text_around_the_values_must_be_equal(start):
    value, other = r"$\boxed{2\sqrt{3}}$", r"$\boxed{\sqrt{12}}$"
    capture = capture_of(start, [(f"It is {value}.", f"It is not {other}."), (f"It is {value}.", f"It is {other}, if x is even."),
                                 (f"It is {value} km.", f"It is {other} m."), (f"It is {value}.", "It is the length of the diagonal."),
                                 (f"It is {value}.", f"It is {other}.")])
    said = judge(capture)
    assert said["left_out"]["unlike"] == 3 and said["left_out"]["unmarked"] == 1
    assert list(verdicts(capture)) == [4]


@pytest.mark.long
@pytest.mark.slow
@with_library
def test_hostile_values_stay_undecided_within_the_time_limit(start):
    nested = r"\sqrt{2+" * 300 + "1" + "}" * 300
    hostile = [HANGS, ("100000000!", "100000001!"), (nested, nested.replace("1", "3")), (r"\frac{1}{", r"\frac{2}{"), ("(" * 2000, "[" * 2000),
               (r"\int_0^{\infty}x^{9^{9^9}}dx", r"\int_0^{\infty}x^{9^{9^8}}dx"), (r"\end{document}2", r"\input{/etc/passwd}2"),
               ("9" * 4000, "9" * 4001), (r"\sum_{k=1}^{10^{12}}\frac{1}{k}", r"\sum_{k=1}^{10^{12}}\frac{1}{k+1}"),
               (r"\left(" * 100 + "2", "2" + r"\right)" * 100), ("__import__('os').getpid()+2", "exec('2')+3"), (("\x012", "\ufffe2"))]
    huge = [("2+" * 1_000_000 + "2", "3+" * 1_000_000 + "2")]
    capture = capture_of(start, boxed(hostile + huge + SAME[1:3]))
    began = time.monotonic()
    said = judge(capture, "--timeout", "1s", "--memory-limit", "512")
    assert time.monotonic() - began < 240
    assert said["asked"]["failed"] == [] and said["left_out"]["unmarked"] >= 1
    found = verdicts(capture)
    assert len(hostile) + len(huge) in found and len(hostile) + len(huge) + 1 in found, "the pairs after it are judged"
    for number, of in found.items():
        known = "same" if number >= len(hostile) + len(huge) else None
        assert all(v[1] == known if known else v[1] != "same" for v in of), (number, of)
    assert all("it did not end in time" in v[2] for v in found[0])


def children(pid):
    return [int(c) for t in pathlib.Path(f"/proc/{pid}/task").iterdir() for c in (t / "children").read_text().split()]


def under_way(capture, *flags):
    """Start a run and wait until it has started its batches."""
    process = subprocess.Popen([BINARY, "judge", capture, "--with", "math-verify", "--python", PYTHON, "--timeout", "1s", *flags, "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"To judge:" in process.stderr.readline()
    wait_for("the batches to begin", lambda: children(process.pid))
    time.sleep(3)
    assert process.poll() is None, "it still runs"
    return process


def slow_pairs(n):
    """Pairs of which every third takes all of its time, in both orders."""
    return boxed([HANGS if i % 3 == 0 else (f"{i + 1}\\sqrt{{8}}", f"{2 * i + 2}\\sqrt{{2}}") for i in range(n)])


@pytest.mark.long
@pytest.mark.slow
@with_library
def test_a_killed_worker_loses_and_repeats_nothing(start):
    n = 12
    capture = capture_of(start, slow_pairs(n))
    process = under_way(capture, "--concurrency", "1")
    victim, = children(process.pid)
    os.kill(victim, signal.SIGKILL)
    said = json.loads(process.communicate(timeout=300)[0])
    assert process.returncode == 0 and said["asked"]["judged"] == n and said["asked"]["failed"] == []
    assert each_once(capture, n)


@pytest.mark.long
@pytest.mark.slow
@with_library
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_resumes(start, how):
    n = 18
    capture = capture_of(start, slow_pairs(n))
    process = under_way(capture, "--concurrency", "2")
    process.send_signal(how)
    process.communicate(timeout=300)
    assert process.returncode == (3 if how == signal.SIGTERM else -signal.SIGKILL)
    judge(capture, "--timeout", "1s")
    assert each_once(capture, n)
    assert judge(capture)["requests"] == 0


@sandboxed
def test_without_the_library_one_sentence_says_how_to_install_it(start):
    if runs("/usr/bin/python3", "-s", "-c", "import math_verify"):
        pytest.skip("/usr/bin/python3 has the library")
    capture = capture_of(start, boxed(SAME[:1]))
    done = plumbline("judge", capture, "--with", "math-verify", check=3)
    said = done.stderr.decode().strip()
    assert "pip install math-verify" in said and "--python" in said and "\n" not in said


def test_engine_options_conflict_with_a_library(start):
    for flags in (["--with", "oracle"], ["--with", "math-verify", "--url", "http://127.0.0.1:9"], ["--python", "/usr/bin/python3"]):
        assert plumbline("judge", start.directory, *flags, check=2).stdout == b""
