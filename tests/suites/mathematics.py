"""Reads right answers of the suite mathematics without a library for algebra, and compares them with proofs."""
import math
import re
from fractions import Fraction

GRID = [Fraction(n, 12) for n in range(-480, 481)]
WHOLE = range(-60, 61)
NEAR = 1e-6


def prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def root(f, low, high):
    """Return the root of an increasing function, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return low


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def python(latex):
    for pattern, form in ((r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"), (r"\\sqrt\[3\]\{([^{}]*)\}", r"((\1)**(1/3))"),
                          (r"\\sqrt\{([^{}]*)\}", r"((\1)**0.5)"), (r"\\infty", "inf"), (r"\^", "**"),
                          (r"(?<=[\dxyn)])(?=[xyn(])", "*")):
        latex = re.sub(pattern, form, latex)
    return latex


def value(latex, **names):
    return eval(python(latex), {"inf": math.inf, **names})


def near(a, b):
    return abs(a - b) <= NEAR * max(1, abs(a), abs(b))


def in_intervals(latex, x):
    parts = [re.fullmatch(r"([\[(])(.*),(.*)([\])])", part.strip()).groups() for part in latex.split(r"\cup")]
    return any((value(low) <= x if left == "[" else value(low) < x) and (x <= value(high) if right == "]" else x < value(high))
               for left, low, high, right in parts)


def is_right(category, latex, proof):
    if category == "sets":
        return {value(v) for v in latex.removeprefix(r"\{").removesuffix(r"\}").split(",")} == proof
    if category == "intervals":
        return all(in_intervals(latex, x) == proof(x) for x in GRID)
    if category == "tuples":
        return value(latex) == proof
    if category == "equations":
        left, right = latex.split("=")
        holds = [near(value(left, x=x, y=y), value(right, x=x, y=y)) for x, y in proof]
        return all(holds) and not near(value(left, x=0.37, y=91), value(right, x=0.37, y=91))
    if category == "matrices":
        rows = re.fullmatch(r"\\begin\{pmatrix\}(.*)\\end\{pmatrix\}", latex)[1].split(r"\\")
        return [[value(v.strip()) for v in row.split("&")] for row in rows] == proof
    if category == "expressions":
        return all(near(value(latex, x=x, n=x), proof(x)) for x in range(1, 30) if x != 4)
    return near(value(latex), proof)


def evaluate(expression):
    return eval(expression, {"GRID": GRID, "WHOLE": WHOLE, "Fraction": Fraction, "prime": prime, "root": root, "product": product})
