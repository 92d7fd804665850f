"""Compares the analyzer's formulas with an independent implementation in numpy and scipy."""
import collections
import functools
import math
import os
import pathlib
import random
import subprocess

import numpy
import pytest
from scipy import optimize, stats

FORMULAS = pathlib.Path(os.environ["PLUMBLINE"]).resolve().parent / "tests" / "formulas" / "formulas"


def ask(questions):
    """Evaluate [(name, numbers)]; return the numbers of each answer."""
    lines = "".join(name + " " + " ".join(map(repr, map(float, numbers))) + "\n" for name, numbers in questions)
    done = subprocess.run([FORMULAS], input=lines, capture_output=True, text=True, check=True)
    answers = done.stdout.splitlines()
    assert len(answers) == len(questions) and "?" not in answers
    return [[float(x) for x in answer.split()] for answer in answers]


@pytest.fixture
def rng():
    return random.Random(20260519)


def test_mcnemar(rng):
    cases = [(rng.randint(0, 400), rng.randint(0, 400)) for _ in range(200)] + [(0, 0), (0, 9)]
    for (b, c), (p,) in zip(cases, ask([("mcnemar", x) for x in cases])):
        want = min(1, 2 * stats.binom.cdf(min(b, c), b + c, 0.5)) if b + c else 1
        assert p == pytest.approx(want, rel=1e-9)


def test_welch(rng):
    for n, m in ((2, 2), (2, 50), (30, 7), (400, 400)):
        a, b = [rng.gauss(1, 0.1) for _ in range(n)], [rng.gauss(1.2, 0.5) for _ in range(m)]
        (ends,) = ask([("welch", [n, *a, *b])])
        assert [stats.ttest_ind(numpy.subtract(a, end), b, equal_var=False).pvalue for end in ends] == pytest.approx([0.05] * 2, rel=1e-5)


def adjusted(p):
    """Compute it by the definition."""
    n = len(p)
    order = sorted(range(n), key=lambda i: p[i])
    out = [0.0] * n
    for rank, i in enumerate(order):
        out[i] = max(min(1, p[order[j]] * (n - j)) for j in range(rank + 1))
    return out


def test_adjusted(rng):
    cases = [[rng.random() ** 3 for _ in range(rng.randint(1, 30))] for _ in range(50)]
    for p, got in zip(cases, ask([("holm", c) for c in cases])):
        assert got == pytest.approx(adjusted(p), rel=1e-12)


def test_normal_and_flips(rng):
    cases = [rng.uniform(-8, 8) for _ in range(100)]
    for z, (p,) in zip(cases, ask([("normal", [z]) for z in cases])):
        assert p == pytest.approx(stats.norm.cdf(z), rel=1e-9)
    cases = [(rng.uniform(0, 1), rng.uniform(0.001, 0.3)) for _ in range(100)]
    for (gap, sigma), (p,) in zip(cases, ask([("flip_chance", c) for c in cases])):
        assert p == pytest.approx(stats.norm.sf(gap / sigma), rel=1e-9)


def test_k3(rng):
    cases = [(-10 * rng.random(), -10 * rng.random()) for _ in range(100)]
    for (p, r), (got,) in zip(cases, ask([("k3", c) for c in cases])):
        assert got == pytest.approx(math.exp(r - p) - 1 - (r - p), rel=1e-9, abs=1e-12)


def truth(p, r):
    m = (p + r) / 2
    return stats.entropy(p, r), (stats.entropy(p, m) + stats.entropy(r, m)) / 2, abs(p - r).sum() / 2


@pytest.mark.parametrize("decimals", [None, 4])
def test_bounds_hold_the_truth(decimals):
    """For lists in single precision, and for lists with four decimals."""
    draw = numpy.random.default_rng(7)
    questions, truths = [], []
    error = 1e-6 if decimals is None else 2e-4
    for _ in range(10000):
        n, k = draw.integers(6, 3000 if draw.random() < 0.05 else 40), draw.integers(1, 21)
        logits = draw.normal(0, draw.uniform(0.5, 4), n)
        p, r = (numpy.exp(x - numpy.logaddexp.reduce(x)) for x in (logits, logits + draw.normal(0, draw.choice([1e-4, 0.003, 0.1, 1, 4]), n)))
        tops = [set(numpy.argsort(x)[::-1][:k]) for x in (p, r)]
        numbers = [1e-6, 0 if decimals is None else 5e-5]
        for i in sorted(tops[0] | tops[1]):
            logprobs = [numpy.log(x[i]) for x in (p, r)]
            logprobs = [numpy.float32(lp) if decimals is None else round(lp, decimals) for lp in logprobs]
            numbers += [numpy.exp(lp) if i in top else math.nan for lp, top in zip(logprobs, tops)]
        questions.append(("bounds", numbers))
        truths.append(truth(p, r))
    for (kl, js, tv), (kl_low, js_low, js_high, tv_low, tv_high) in zip(truths, ask(questions)):
        assert kl_low <= kl + (1e-6 if decimals is None else 1e-9)
        assert js_low <= js + error and js <= js_high + error
        assert tv_low <= tv + error and tv <= tv_high + error


def test_quantiles(rng):
    """With bins: within a bin (a quarter of the value) of a value next to the quantile."""
    cases = [[rng.gauss(0, 3) for _ in range(rng.randint(2, 400))] for _ in range(60)]
    at = [rng.random() for _ in cases]
    for q, values, (got,) in zip(at, cases, ask([("quantile", [q] + c) for q, c in zip(at, cases)])):
        low, high = numpy.quantile(values, q, method="lower"), numpy.quantile(values, q, method="higher")
        assert low - 0.25 * abs(low) - 2 ** -16 <= got <= high + 0.25 * abs(high) + 2 ** -16


def test_survival(rng):
    cases = [[(rng.randint(0, 20), rng.randint(0, 1)) for _ in range(rng.randint(1, 60))] for _ in range(60)]
    for pairs, got in zip(cases, ask([("survival", [x for pair in c for x in pair]) for c in cases])):
        longest = max(t + (1 if d else 0) for t, d in pairs)
        for t in range(21):
            want = math.prod(1 - sum(d for u, d in pairs if u == v) / sum(u >= v for u, _ in pairs)
                             for v in range(t) if any(u >= v for u, _ in pairs))
            assert t > longest or got[t] == pytest.approx(want, abs=1e-12)


def test_clusters():
    draw = numpy.random.default_rng(3)
    questions, wants = [], []
    for _ in range(20):
        m = draw.integers(5, 80)
        rows = [(c, float(draw.integers(0, w + 1)), float(w)) for c in range(m) for w in draw.integers(1, 6, draw.integers(1, 4))]
        part, whole = (numpy.bincount([int(r[0]) for r in rows], [r[i] for r in rows]) for i in (1, 2))
        rate = part.sum() / whole.sum()
        without = (part.sum() - part) / (whole.sum() - whole)
        error = math.sqrt(((without - rate) ** 2).sum() * (m - 1) / m)
        # Fit the variance to the cluster's size by least squares: a w + b w^2.
        b, a = numpy.polyfit(whole, (part - rate * whole) ** 2 / whole, 1)
        a, b = (a, b) if b > 0 else (1, 0)
        share = max(a, 0) * whole + b * whole ** 2
        freedom = share.sum() ** 2 / (share ** 2).sum() - 1
        tail = stats.norm.cdf(-math.sqrt((freedom + 1) / freedom) * stats.t.ppf(0.975, freedom))
        chosen = draw.integers(0, m, (20000, m))
        drawn = part[chosen].sum(1) / whole[chosen].sum(1)
        questions.append(("clusters", [x for row in rows for x in row]))
        wants.append((rate, error, *numpy.quantile(drawn, [tail, 1 - tail])))
    for (rate, error, low, high), got in zip(wants, ask(questions)):
        assert got[:2] == pytest.approx((rate, error), rel=1e-9)
        assert got[2:] == pytest.approx((low, high), abs=0.12 * (high - low))


def test_the_part_of_seeds_is_that_of_two_crossed_random_factors():
    """Means: by the analysis of variance for two crossed factors. Ratios: the same for their linearised shares."""
    draw = numpy.random.default_rng(12)
    questions, wants = [], []
    for prompts, seeds, a, b in [(30, 12, 1, 0.5), (2, 5, 1, 1), (200, 5, 0, 1), (40, 256, 1, 0), (50, 12, 2, 0.1)]:
        y = draw.normal(size=(prompts, 1)) * a + draw.normal(size=(1, seeds)) * b + draw.normal(size=(prompts, seeds))
        mean, rows, columns = y.mean(), y.mean(1, keepdims=True), y.mean(0, keepdims=True)
        of_seeds = prompts * ((columns - mean) ** 2).sum() / (seeds - 1)
        rest = ((y - rows - columns + mean) ** 2).sum() / (prompts - 1) / (seeds - 1)
        wants.append((seeds, math.sqrt(max(0, of_seeds - rest) / prompts / seeds)))
        questions.append([(p, s, y[p, s], 1) for p in range(prompts) for s in range(seeds)])
    # Tokens with a rate, and missing answers.
    whole = draw.integers(0, 40, (60, 12)) * (draw.random((60, 12)) > 0.2)
    part = draw.binomial(whole, 0.1 + 0.05 * draw.random((1, 12)))
    d = (part - part.sum() / whole.sum() * whole) / whole.sum()
    left = d - d.mean(1, keepdims=True) - d.mean(0, keepdims=True)
    variance = (d.sum(0) ** 2).sum() * 12 / 11 - (left ** 2).sum() * 60 * 12 / 59 / 11
    wants.append((12, math.sqrt(max(0, variance))))
    questions.append([(p, s, part[p, s], whole[p, s]) for p in range(60) for s in range(12) if whole[p, s]])
    for (seeds, error), got in zip(wants, ask([("crossing", [x for cell in q for x in cell]) for q in questions])):
        assert got[:2] == pytest.approx((seeds, error), rel=1e-9)
        assert got[2] == pytest.approx(stats.t.ppf(0.975, seeds - 1) * error, rel=1e-7)


def test_mid_p_and_student(rng):
    def above(p, hits, n):
        return stats.binom.sf(hits, n, p) + stats.binom.pmf(hits, n, p) / 2
    cases = [(hits, n) for n in (1, 7, 50, 1000) for hits in {0, 1, n // 3, n - 1, n}]
    for (hits, n), (low, high) in zip(cases, ask([("mid_p", (*c, 0.05)) for c in cases])):
        assert low == 0 if hits == 0 else above(low, hits, n) == pytest.approx(0.025, rel=1e-9)
        assert high == 1 if hits == n else above(high, hits, n) == pytest.approx(0.975, rel=1e-9)
    cases = [(p, d) for p in (0.001, 0.3, 0.5, 0.975) for d in (1, 1.5, 4, 30.7, 1000)]
    for (p, d), (got,) in zip(cases, ask([("student", c) for c in cases])):
        assert got == pytest.approx(stats.t.ppf(p, d), rel=1e-7, abs=1e-6)


def test_difference_of_two_captures(rng):
    z = stats.norm.ppf(0.975)
    cases = []
    for _ in range(200):
        a, b = rng.uniform(-2, 2), rng.uniform(-2, 2)
        cases.append((a, a - rng.uniform(0.01, 1), a + rng.uniform(0.01, 1), 1e9, b, b - rng.uniform(0.01, 1), b + rng.uniform(0.01, 1), 1e9))
    for (a, la, ua, _, b, lb, ub, _), (change, low, high, p) in zip(cases, ask([("difference", c) for c in cases])):
        below, above = numpy.hypot(b - lb, ua - a), numpy.hypot(ub - b, a - la)
        assert (change, low, high) == pytest.approx((b - a, b - a - below, b - a + above), rel=1e-12)
        assert p == pytest.approx(2 * stats.norm.sf(z * abs(b - a) / (below if b > a else above)), rel=1e-9)


def test_the_interval_of_a_difference_covers_the_truth(rng):
    """For rates from rare to one half, with the analyzer's exact intervals."""
    random_state = numpy.random.default_rng(20260519)
    exact = functools.cache(lambda hits, n: stats.binomtest(hits, n).proportion_ci(0.95, "exact"))
    cases, truths = [], []
    for n, m, p, q in [(150, 150, 0.02, 0.02), (300, 1000, 0.05, 0.1), (80, 60, 0.5, 0.4), (2000, 2000, 0.01, 0.012)]:
        for k, j in zip(random_state.binomial(n, p, 500), random_state.binomial(m, q, 500)):
            x, y = exact(int(k), n), exact(int(j), m)
            cases.append((k / n, x.low, x.high, n, j / m, y.low, y.high, m))
            truths.append(q - p)
    answers = ask([("difference", c) for c in cases])
    covered = [low <= t <= high for t, (_, low, high, _) in zip(truths, answers)]
    assert all(sum(covered[i:i + 500]) >= 470 for i in range(0, 2000, 500)), "94 % of each"
    assert sum(p < 0.01 for _, _, _, p in answers[:500]) <= 10, "where nothing changed"


def test_rollout(rng):
    """Schulman's k1 and k3, importance ratios, and the effective sample size of Kish."""
    for size in (1, 5, 300, 3000):
        d = [rng.gauss(rng.choice([0, -0.05]), rng.choice([0.02, 0.3, 1.5])) for _ in range(size)]
        (delta, k1, k3, ratio, most, outside, sample_size, p99), = ask([("rollout", d)])
        x, r = numpy.array(d), numpy.exp(d)
        want = (numpy.abs(x).mean(), -x.mean(), (r - 1 - x).mean(), r.mean(), numpy.abs(x).max(), ((r < 0.5) | (r > 2)).mean(),
                r.sum() ** 2 / (size * (r ** 2).sum()))
        assert (delta, k1, k3, ratio, most, outside, sample_size) == pytest.approx(want, rel=1e-9, abs=1e-12)
        if size >= 300:
            assert math.log(p99) == pytest.approx(numpy.quantile(x, 0.99), rel=0.2)


LISTED, CANDIDATES = 12, 16


def drawn(rng, tokens, ratio=1, top_k=CANDIDATES, presence=0, frequency=0, vocabulary=300):
    """Draw positions (chosen, words and logprobs by falling probability) from a model with a known sampler."""
    lps = -numpy.sort(-2 * rng.standard_normal((tokens, CANDIDATES)), axis=1)
    lps -= numpy.log(numpy.exp(lps).sum(axis=1, keepdims=True))
    words = numpy.argsort(rng.random((tokens, vocabulary)), axis=1)[:, :CANDIDATES]
    seen, positions = collections.deque(maxlen=256), []
    for lp, word in zip(lps, words):
        counts = numpy.array([seen.count(w) for w in word])
        weight = numpy.exp((lp - presence * (counts > 0) - frequency * counts) / ratio)
        weight[top_k:] = 0
        chosen = rng.choice(CANDIDATES, p=weight / weight.sum())
        positions.append((word[chosen], word[:LISTED], lp[:LISTED].astype(numpy.float32).astype(float)))
        seen.append(word[chosen])
    return positions


def examined(captures):
    """Return draws, ratio with interval and p, top_k with p, shift with interval and p."""
    asked = [("draws", [1, LISTED] + [x for c, w, l in p for x in (c, *(y for pair in zip(w, l) for y in pair))]) for p in captures]
    return [a for i in range(0, len(asked), 50) for a in ask(asked[i:i + 50])]


def likelihood(positions, beta):
    """Return the likelihood of draws among the listed candidates, independent of plumbline's grid."""
    sum = 0
    for chosen, words, lps in positions:
        at = numpy.flatnonzero(words[:-1] == chosen)
        sum += lps[at[0]] * beta - numpy.log(numpy.exp(lps[:-1] * beta).sum()) if len(at) else 0
    return sum


def test_the_temperature_of_draws_is_that_of_greatest_likelihood():
    rng = numpy.random.default_rng(7)
    captures = [drawn(rng, 1200, ratio) for ratio in (0.5, 0.8, 1, 1.2, 1.6)]
    for positions, (_, ratio, low, high, *_) in zip(captures, examined(captures)):
        best = optimize.minimize_scalar(lambda b: -likelihood(positions, b), bounds=(0.25, 4), method="bounded", options={"xatol": 1e-9})
        assert ratio == pytest.approx(1 / best.x, rel=2e-3)
        for end in (low, high):
            assert likelihood(positions, 1 / end) == pytest.approx(-best.fun - stats.chi2.ppf(0.95, 1) / 2, abs=0.02)


def test_intervals_of_draws_cover_and_sound_draws_are_as_asked():
    rng = numpy.random.default_rng(11)
    got = examined([drawn(rng, 350, 0.8) for _ in range(80)])
    sound = examined([drawn(rng, 350) for _ in range(80)])
    held = [s[2] <= 0.8 <= s[3] for s in got] + [s[2] <= 1 <= s[3] for s in sound]
    assert 0.9 <= numpy.mean(held) <= 0.99
    assert numpy.mean([min(s[4], s[6], s[10]) * 5 < 0.01 for s in sound]) <= 0.01


def test_cuts_and_penalties_of_draws_are_found_with_their_size():
    rng = numpy.random.default_rng(13)
    for _, _, _, _, _, at, p, *_ in examined([drawn(rng, 1500, top_k=5) for _ in range(3)]):
        assert at == 5 and p < 1e-6
    penalised = examined([drawn(rng, 900, presence=1.0) for _ in range(60)])
    assert numpy.mean([low <= 1 <= high for *_, low, high, _ in penalised]) >= 0.9
    assert numpy.mean([p < 0.001 for *_, p in penalised]) >= 0.95


def heads(positions):
    """Yield for each draw from the head of the list: logprobs, earlier counts in the answer, the drawn token."""
    seen = collections.Counter()
    for chosen, words, lps in positions:
        words, lps = words[:-1], lps[:-1]
        mass = numpy.cumsum(numpy.exp(lps)) - numpy.exp(lps)
        n = min(5, int(numpy.argmin(numpy.append((mass < 0.8) & (lps - lps[0] >= math.log(0.1)), False))))
        at = numpy.flatnonzero(words[:n] == chosen)
        if n > 1 and len(at):
            yield lps[:n], numpy.minimum([seen[w] for w in words[:n]], 8), at[0]
        seen[chosen] += 1


def shift_of(draws, label):
    """Return the maximum-likelihood shift over all ratios, and its interval from the profile likelihood."""
    def against(ratio, shift):
        return sum(numpy.log(numpy.exp(ratio * lps - shift * label(counts)).sum()) - ratio * lps[at] + shift * label(counts)[at]
                   for lps, counts, at in draws)

    def profile(shift):
        return optimize.minimize_scalar(lambda r: against(r, shift), bounds=(0.5, 2), method="bounded", options={"xatol": 1e-5}).fun
    best = optimize.minimize_scalar(profile, bounds=(-1, 4), method="bounded", options={"xatol": 1e-5})
    drop = best.fun + stats.chi2.ppf(0.95, 1) / 2
    ends = [optimize.brentq(lambda s: profile(s) - drop, best.x, end, xtol=1e-4) if profile(end) > drop else end for end in (-1, 4)]
    return -best.fun, ends


def test_the_interval_of_a_penalty():
    """The interval is the profile likelihood's: of frequency if frequency is proven, else of presence, whichever kind fits better."""
    rng = numpy.random.default_rng(19)
    captures = [drawn(rng, 240, presence=shift) for shift in (0, 0, 0.6)]
    captures += [drawn(rng, 240, frequency=shift, vocabulary=60) for shift in (0.1, 1)]
    proven = []
    for positions, (*_, low, high, p) in zip(captures, examined(captures)):
        draws = list(heads(positions))
        presence, frequency = [shift_of(draws, label) for label in (lambda counts: numpy.minimum(counts, 1), lambda counts: counts)]
        proven.append(p < 0.01 and frequency[0] - presence[0] >= 3)
        assert [low, high] == pytest.approx((frequency if proven[-1] else presence)[1], abs=0.06)
    assert any(proven) and not any(proven[:3])


def test_the_contrast_of_scores_is_interpolated_between_new_tokens():
    rng = numpy.random.default_rng(17)
    captures = []
    for _ in range(300):
        n = rng.integers(2, 21)
        scorer, seen = numpy.float32(-rng.exponential(3, n)), rng.random(n) < 0.4
        own = numpy.float32(scorer * rng.choice([1, 1.5]) - 0.7 * seen + rng.normal(0, 0.1, n))
        captures.append((own.astype(float), scorer.astype(float), seen))
    for (own, scorer, seen), (moved, own_gap, scorer_gap) in zip(captures, ask([("contrast", numpy.c_[c].ravel()) for c in captures])):
        order = numpy.argsort(-(own + scorer))[:max(min(3, len(own)), len(own) // 2)]
        y, mean, old = (own - scorer)[order], ((own + scorer) / 2)[order], seen[order]
        new = numpy.flatnonzero(~old)
        between = [i for i in numpy.flatnonzero(old) if len(new) and new[0] < i < new[-1]]
        want = numpy.mean([y[i] - numpy.interp(mean[i], mean[new][::-1], y[new][::-1]) for i in between]) if between else math.nan
        assert moved == pytest.approx(want, abs=1e-9, nan_ok=True)
        gaps = [x[order][new[0]] - x[order][new[-1]] for x in (own, scorer)] if len(new) > 1 else [math.nan] * 2
        assert [own_gap, scorer_gap] == pytest.approx(gaps, nan_ok=True)


def test_what_a_penalty_and_a_temperature_do_to_scores():
    """Without noise the figures are exact."""
    scorer = numpy.float32(-numpy.arange(20) / 2).astype(float)
    seen = numpy.arange(20) % 3 == 1
    lists = (scorer - 1.25 * seen - 3, scorer), (scorer / 0.5 - 3, scorer)
    penalty, temperature = ask([("contrast", numpy.c_[own, by, seen].ravel()) for own, by in lists])
    assert penalty == pytest.approx((-1.25, penalty[2], penalty[2]))
    assert temperature == pytest.approx((0, 2 * temperature[2], temperature[2]))
