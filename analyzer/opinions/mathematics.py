"""Asks Math-Verify whether mathematical values are equal: one line of JSON for each question, in their order.

The input is one JSON object: {"use", "seconds", "questions": [[first, second], ...]}. "use" is "pair" for two answers of which
neither is known to be right, or "gold" for a right answer and one to be graded. The first line of the output names the versions,
or what is missing. Each further line is {"verdict": "same" | "different" | "cannot_tell", "why": "..."}.

A child process answers one question after another. If a question takes more processor time than "seconds", or ends the child, it
stays undecided, and another child goes on with the next question.
"""
import json
import logging
import os
import re
import resource
import select
import signal
import sys
import time
from functools import lru_cache

NESTING_LIMIT = 24    # beyond it errors of recursion become "different" inside of SymPy
PRECISION = 30        # digits to which two answers are compared
NEAR = 1e-12          # relative
PATIENCE = 4          # times the processor time may pass on a busy machine

# \text{...} and its like: what is in the braces is words.
TEXT = re.compile(r"\\(?:text(?:bf|rm|it|normal)?|mathrm|mathit|mbox|operatorname)(?![A-Za-z])")
MATRIX = re.compile(r"\\(?:begin|end)\{[pbB]?matrix\}")
COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
SPACE = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))|~")
THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\{,\}|,)\s*\d{3})+(?![\d,])")
# Math-Verify reads 1 \ldots 10 as 11, 5!! as (5!)!, 12:30 as a fraction, 5 3 as a sum, and of x = 3 = 4 the end alone.
MISREAD = re.compile(r"\\[lcdv]?dots|\\colon|\\mid|\\approx|\\sim|\\equiv|\\p?mod|\.\.|\u2026|:|!\s*!|\d\s+\d|=[^,;&]*=")
CIRCLE = r"\\circ(?![A-Za-z])|\\degree(?![A-Za-z])|\u00b0"
ANGLE = re.compile(rf"\\(?:sin|cos|tan|cot|sec|csc).*?(?:{CIRCLE})", re.DOTALL)
# Math-Verify leaves these out, or takes what carries them for the same thing without them.
SIGNS = re.compile(rf"%|{CIRCLE}|'|\\prime|\$|[\u20ac\u00a3\u00a5\u00a2]|\\(?:vec|bar|overline|hat|dot|ddot|tilde|math(?:bf|cal|bb|frak)|boldsymbol)(?![A-Za-z])")
SUBSCRIPT = re.compile(r"_\s*(?:\{[^{}]*\}|\\[A-Za-z]+|.)", re.DOTALL)
LIST_TOKEN = re.compile(r"\\(?:[{}]|[lr]brace|[A-Za-z]+|.)|[()\[\],;]", re.DOTALL)


def plain(latex):
    """With blanks for what makes space, and numbers without separators of thousands. (1,234) is a pair."""
    def without_commas(m):
        before = m.string[:m.start()]
        inside = sum(before.count(c) for c in "([{") > sum(before.count(c) for c in ")]}")
        return m[0] if inside else re.sub(r"\D", "", m[0])
    return THOUSANDS.sub(without_commas, SPACE.sub(" ", latex.replace(r",\!", ",")))


def nesting(latex):
    depth = deepest = 0
    for c in latex:
        depth += (c in "({[") - (c in ")}]")
        deepest = max(deepest, depth)
    return deepest


def names(latex):
    """Variables, units and words, in any order."""
    return set(re.findall(r"[^\W\d_]+", COMMAND.sub(" ", TEXT.sub(" ", MATRIX.sub(" ", latex)))))


def signs(latex):
    return sorted(SIGNS.findall(latex)), sorted(re.sub(r"[\s{}_]", "", s) for s in SUBSCRIPT.findall(latex))


def lists(latex):
    """What stands around each list of values: "P" parentheses or square brackets, "S" the braces of a set, "" nothing."""
    found, open_lists = [], [["", False]]
    for token in LIST_TOKEN.findall(latex):
        if token in ("(", "[", r"\{", r"\lbrace"):
            open_lists.append(["P" if token in "([" else "S", False])
        elif token in (")", "]", r"\}", r"\rbrace") and len(open_lists) > 1:
            found.append(open_lists.pop())
        elif token in (",", ";"):
            open_lists[-1][1] = True
    return sorted(kind for kind, is_list in found + open_lists if is_list)


def items(latex):
    """Those of a list without brackets."""
    depth, parts = 0, [""]
    for token in re.findall(r"\\.|.", latex, re.DOTALL):
        depth += (token in ("(", "[", "{", r"\{")) - (token in (")", "]", "}", r"\}"))
        if depth == 0 and token in ",;":
            parts.append("")
        else:
            parts[-1] += token
    return parts


def objection(first, second):
    """Why Math-Verify's word on these two answers would not count; or None."""
    for latex in (first, second):
        if MISREAD.search(latex) or ANGLE.search(latex):
            return "Math-Verify reads such a value as another one"
        if nesting(latex) > NESTING_LIMIT:
            return "the value is nested too deeply"
    if names(first) != names(second):
        return "the names or words differ"
    if signs(first) != signs(second):
        return "the signs, units or subscripts differ"
    if lists(first) != lists(second):
        return "one is a list, and the other one is not such a list"
    return None


@lru_cache(maxsize=64)
def read_pair(latex):
    from latex2sympy2_extended import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse
    # Nothing is left out of an answer: units stay what they are.
    normal = NormalizationConfig(basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none", equations=False)
    config = [LatexExtractionConfig(boxed_match_priority=-1, normalization_config=normal)]
    return parse(f"${latex}$", config, fallback_mode="no_fallback", parsing_timeout=None)


def numbers(a, b):
    """Both as numbers, with numbers for their symbols; or None."""
    from sympy import Expr, N, Rational
    if not (isinstance(a, Expr) and isinstance(b, Expr)):
        return None
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    values = {s: Rational(7 * i + 9, 5 * i + 4) for i, s in enumerate(symbols)}
    x, y = (complex(N(e.subs(values), PRECISION)) for e in (a, b))
    return x, y


def near(a, b):
    """Whether they agree as numbers; None: that can't be told."""
    both = numbers(a, b)
    return both and abs(both[0] - both[1]) <= NEAR * max(map(abs, both))


def judge_values(first, second):
    from math_verify import verify
    a, b = read_pair(first), read_pair(second)
    if not a or not b:
        return "cannot_tell", "a value could not be parsed"
    if verify(a, b, float_rounding=PRECISION // 2, numeric_precision=PRECISION, timeout_seconds=None, raise_on_error=True):
        return ("cannot_tell", "equal after rounding only") if near(a[0], b[0]) is False else ("same", "")
    if verify(a, b, timeout_seconds=None, raise_on_error=True) or near(a[0], b[0]):
        return "cannot_tell", "equal after rounding only"
    return "different", ""


def judge_pair(first, second):
    first, second = plain(first), plain(second)
    why = objection(first, second)
    if why:
        return "cannot_tell", why
    verdict, why = judge_values(first, second)
    in_order = zip(items(first), items(second))
    if verdict == "same" and "" in lists(first) and any(judge_values(*pair)[0] != "same" for pair in in_order):
        return "cannot_tell", "the values stand in another order"
    return verdict, why


def judge_gold(right, answer):
    """As benchmarks do it: with units left out and decimals rounded to six places."""
    from math_verify import parse, verify
    a, b = (parse(f"${latex}$", parsing_timeout=None) for latex in (right, answer))
    if verify(a, b, timeout_seconds=None, raise_on_error=True):
        return "same", ""
    if all(any(not isinstance(v, str) for v in side) for side in (a, b)):
        return "different", ""
    return "cannot_tell", "a value could not be parsed"


def judge(use, first, second):
    try:
        verdict, why = (judge_gold if use == "gold" else judge_pair)(first, second)
    except (Exception, RecursionError) as e:
        return "cannot_tell", f"Math-Verify failed: {type(e).__name__}"
    # Where memory ran out, SymPy gave up and Math-Verify says "not equal".
    limit, used = resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if verdict == "different" and 0 < limit < 2 * used:
        return "cannot_tell", "it took too much memory"
    return verdict, why


def work(use, questions, seconds, out):
    """In a process that ends with this, or by the timer, whatever it is doing then."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for first, second in questions:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        verdict, why = judge(use, first, second)
        os.write(out, (json.dumps({"verdict": verdict, "why": why}) + "\n").encode())
    os._exit(0)


def read_line(pipe, rest, seconds):
    """The next line of a child, and what came behind it; None: it ended, or the time is over."""
    deadline = time.monotonic() + seconds
    while b"\n" not in rest:
        ready, _, _ = select.select([pipe], [], [], max(0, deadline - time.monotonic()))
        piece = os.read(pipe, 65536) if ready else b""
        if not piece:
            return None, rest
        rest += piece
    line, _, rest = rest.partition(b"\n")
    return line.decode(), rest


def answer(use, questions, seconds):
    """Starts a child and prints its answers. The number of questions that are done with."""
    out, end = os.pipe()
    child = os.fork()
    if child == 0:
        work(use, questions, seconds, end)
    os.close(end)
    done, rest = 0, b""
    while done < len(questions):
        line, rest = read_line(out, rest, PATIENCE * seconds)
        if line is None:
            break
        print(line, flush=True)
        done += 1
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(out)
    if done < len(questions):
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGKILL)
        print(json.dumps({"verdict": "cannot_tell", "why": "it did not end in time" if late else "it ended the process"}), flush=True)
        done += 1
    return done


def main():
    task = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)
    try:
        import importlib.metadata
        import math_verify
        versions = {name: importlib.metadata.version(name) for name in ("math-verify", "sympy")}
        # The first questions load what all children then have.
        for pair in ((r"x+y=\frac{1}{2}", "2x+2y=1"), (r"\{x^2-1\}", r"\{(x-1)(x+1)\}"), (r"\sqrt{8}", r"2\sqrt{3}")):
            judge_pair(*pair)
        if not math_verify.parse(r"$\frac{1}{2}$", parsing_timeout=None):
            raise ImportError("it can't read LaTeX: its parser, antlr4-python3-runtime, is missing")
    except ImportError as e:
        print(json.dumps({"missing": str(e)}))
        return
    print(json.dumps(versions), flush=True)
    done, questions = 0, task["questions"]
    while done < len(questions):
        done += answer(task["use"], questions[done:], task["seconds"])


main()
