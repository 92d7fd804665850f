"""Helpers that compute right answers independently: exact numbers, dates, and trying all cases."""
import calendar
import heapq
import math
from datetime import date
from decimal import Decimal
from fractions import Fraction as F
from itertools import combinations as combos
from itertools import groupby, permutations as perms, product

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
D6 = range(1, 7)


def only(cases):
    """Return the only case. A riddle must not have two solutions."""
    found = set(cases)
    assert len(found) == 1, found
    return found.pop()


def least(start, moves, is_end):
    """Return the least total cost from start to an end; moves(state) yields (cost, state)."""
    queue, seen = [(0, start)], set()
    while queue:
        cost, state = heapq.heappop(queue)
        if is_end(state):
            return cost
        if state not in seen:
            seen.add(state)
            for more, then in moves(state):
                heapq.heappush(queue, (cost + more, then))
    raise AssertionError("there is no way")


def shortest(roads, a, b):
    both = [(x, y, n) for (x, y), n in roads.items()] + [(y, x, n) for (x, y), n in roads.items()]
    return least(a, lambda at: [(n, y) for x, y, n in both if x == at], lambda at: at == b)


def ferry():
    """The states of farmer, wolf, goat, cabbage: which of them have crossed."""
    def moves(state):
        for i in range(4):
            if state[i] == state[0]:
                then = tuple(not s if k in (0, i) else s for k, s in enumerate(state))
                farmer, wolf, goat, cabbage = then
                if not (goat != farmer and goat in (wolf, cabbage)):
                    yield 1, then
    return least((False,) * 4, moves, all)


def bridge(minutes):
    people = range(len(minutes))

    def moves(state):
        torch, over = state[0], set(state[1:])
        here = [p for p in people if (p in over) == torch]
        for n in (1, 2):
            for group in combos(here, n):
                yield max(minutes[p] for p in group), (not torch, *sorted(over ^ set(group)))
    return least((False,), moves, lambda state: len(state) == len(minutes) + 1)


def jugs(a, b, wanted):
    def moves(state):
        x, y = state
        to_y, to_x = min(x, b - y), min(y, a - x)
        for then in ((a, y), (x, b), (0, y), (x, 0), (x - to_y, y + to_y), (x + to_x, y - to_x)):
            yield 1, then
    return least((0, 0), moves, lambda state: wanted in state)


NAMES = {name: value for name, value in globals().items() if not name.startswith("_")}


def evaluate(expression):
    return eval(expression, dict(NAMES))


def is_same(gold, value):
    """Compare a right answer (a text) with a computed value."""
    if isinstance(value, (int, F, Decimal)) and not isinstance(value, bool):
        return F(gold) == F(value)
    return gold == str(value)
