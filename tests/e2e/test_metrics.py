"""A second implementation computes every figure of the analyzer from the exported capture."""
import base64
import json
import math
import re
import struct

import numpy
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, norm, t

from harness import Raw, chat, completion, exported, plumbline, post, request, wait_for

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
TEXTS = ["Tell me about the sea.", "Why is the sky blue?", "Write a note to a friend.", "How do plants grow?", "Describe a small town.",
         "What makes bread rise?", "Tell a story about a fox.", "How does a clock work?"]


def analyzed(capture, *flags):
    return json.loads(plumbline("analyze", capture, "--json", *flags).stdout)


# --- the definitions ---------------------------------------------------------------------------------------------------

def rate(hits, n):
    return {"n": n, "count": hits, "rate": hits / n if n else None, "ci95": mid_p(hits, n) if n else None}


def by_cluster(rows):
    """{key: [sum of parts, sum of wholes]} of [(key, part, whole)]."""
    sums = {}
    for key, part, whole in rows:
        own = sums.setdefault(key, [0, 0])
        own[0] += part
        own[1] += whole
    return numpy.array([sums[key] for key in sorted(sums)], dtype=float)


def jackknife(sums):
    """Return the jackknife's standard error of a ratio of sums over clusters, and its degrees of freedom."""
    sums = sums[sums[:, 1] > 0]
    m, (part, whole) = len(sums), sums.sum(axis=0)
    away = (part - sums[:, 0]) / (whole - sums[:, 1]) - part / whole
    # Fit the variance to the cluster's size by least squares: a w + b w^2.
    size, each = sums[:, 1], (sums[:, 0] - part / whole * sums[:, 1]) ** 2 / sums[:, 1]
    b, a = numpy.polyfit(size, each, 1) if size.std() > 0 else (0, 1)
    share = max(a, 0) * size + b * size ** 2 if b > 0 else size
    return math.sqrt((away ** 2).sum() * (m - 1) / m), max(1, share.sum() ** 2 / (share ** 2).sum() - 1)


def mid_p(hits, n):
    """The mid-p condition: half of the probability of the observed count belongs to the tail."""
    def above(p):
        more = beta.cdf(p, hits + 1, n - hits) if hits < n else 0
        return (more + (beta.cdf(p, hits, n - hits + 1) if hits > 0 else 1)) / 2
    return [brentq(lambda p: above(p) - 0.025, 0, 1, xtol=1e-15) if hits > 0 else 0.0,
            brentq(lambda p: above(p) - 0.975, 0, 1, xtol=1e-15) if hits < n else 1.0]


def alike(sums, mates, several):
    """Return the effective number of independent answers, from the correlation within clusters."""
    mates, sums = mates[sums[:, 1] > 0], sums[sums[:, 1] > 0]
    part, whole = sums.T
    rate, rho, shared = part.sum() / whole.sum(), 0 if several else 1, mates > 0
    single = rate * (1 - rate)
    average = (whole * mates).sum() / whole.sum()
    if shared.any() and not several:
        beyond = (part - rate * whole) ** 2 - whole * single
        for _ in range(3):
            weight = 1 / (1 + mates * rho)
            rho = min(1, max(0, (weight * beyond)[shared].sum() / (weight * whole * mates)[shared].sum() / single))
    told = min(((part > 0) & shared).sum(), ((part < whole) & shared).sum())
    return whole.sum() / (1 + (told * rho + 0.25) / (told + 0.25) * average)


def exact(part, whole, rows, answers=None, several=False):
    """The exact interval for the effective number of answers, the lower of two estimates; None below two clusters."""
    sums = by_cluster(rows)
    known = {key for key, _, _ in rows}
    mates = (sums if answers is None else by_cluster([a for a in answers if a[0] in known]))[:, 1] - 1
    with_any = int((sums[:, 1] > 0).sum()) if whole else 0
    if with_any < 2:
        return None
    rate, (error, freedom) = part / whole, jackknife(sums)
    effective = whole * min(1, with_any / (whole if several or answers is None else len(answers)))
    if error > 0 and 0 < rate < 1:
        found = rate * (1 - rate) / error ** 2 * (norm.ppf(0.975) / t.ppf(0.975, freedom)) ** 2
        effective = min(found, alike(sums, mates, several))
    effective = max(effective, 1)
    return mid_p(rate * effective, effective)


def clustered(hits, n, rows, answers=None):
    """answers: the answer of each row, if an answer has several rows."""
    return {"n": n, "count": hits, "rate": hits / n if n else None, "ci95": exact(hits, n, rows, answers, answers is not None)}


def partings(events, risk, rows, pairs):
    ci = exact(events, risk, rows, pairs)
    return {"n": risk, "count": events, "per_1000": events / risk * 1000 if risk else None, "ci95": ci and [1000 * x for x in ci]}


def mean(values, rms=False):
    values = numpy.array(values, dtype=float)
    said = {"n": len(values), "mean": values.mean() if len(values) else None}
    if rms:
        said["rms"] = math.sqrt((values ** 2).mean()) if len(values) else None
    return said


def spread(values):
    """Nearest-rank quantiles: the smallest value that a share q of all values does not exceed."""
    ranked = sorted(values)
    at = {name: ranked[max(0, math.ceil(q * len(ranked)) - 1)] if ranked else None
          for name, q in (("p10", 0.1), ("median", 0.5), ("p90", 0.9))}
    return {"n": len(ranked), "mean": numpy.mean(ranked) if ranked else None, **at}


def lengths(pairs):
    base, test = (numpy.array([p[i] for p in pairs], dtype=float) for i in (0, 1))
    n = len(pairs)
    return {"n": n, "bias": (test - base).mean() if n else None, "magnitude": abs(test - base).mean() if n else None,
            "inflation": test.sum() / base.sum() if n and base.sum() else None}


# --- the capture -------------------------------------------------------------------------------------------------------

def raw(value):
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else (value or "").encode()


def sent(exchange, leg):
    body, shift = raw(exchange["request"]["body"]), 0
    for edit in leg["edits"]:
        at = edit["at"] + shift
        inserted = raw(edit["inserted"])
        body = body[:at] + inserted + body[at + edit["removed"]:]
        shift += len(inserted) - edit["removed"]
    return json.loads(body)


def decoding(base, test):
    """Return the decoding of two sent requests: greedy, sampled, unlike or unknown."""
    limits = ("presence_penalty", "frequency_penalty", "repetition_penalty", "n", "max_tokens")
    shape = ("temperature", "top_p", "top_k", "min_p")
    greedy = [r.get("temperature") == 0 or r.get("top_k") == 1 for r in (base, test)]
    if any(base.get(k) != test.get(k) for k in limits) or greedy[0] != greedy[1]:
        return "unlike"
    if all(greedy):
        return "greedy"
    if any(base.get(k) != test.get(k) for k in shape):
        return "unlike"
    return "sampled" if base.get("temperature") is not None else "unknown"


class Tokens:
    """The token columns of a choice."""

    def __init__(self, columns):
        self.bytes = [raw(t) for t in columns["tokens"]]
        self.lp = [math.nan if v is None else v for v in columns["lp"]]
        self.top = [[(raw(t), lp) for t, _, lp in entry if lp is not None] for entry in columns["top"]]
        self.begins = numpy.concatenate([[0], numpy.cumsum([len(b) for b in self.bytes])]).astype(int)

    def best(self, i):
        """Return the five most probable tokens, each once, in descending order."""
        once = {}
        for token, lp in sorted(self.top[i], key=lambda e: -e[1]):
            once.setdefault(token, lp)
        return list(once.items())[:5]

    def logprob(self, i, token):
        for other, lp in self.top[i]:
            if other == token:
                return lp
        return self.lp[i] if self.bytes[i] == token else math.nan


def plain(text):
    """Return the text without marks that engines remove, and with invalid bytes as one mark."""
    return re.sub("\ufffd+", "\ufffd", re.sub("</?think>", "", text.decode(errors="replace"))).lstrip()


def spells(choice):
    """Whether the tokens spell reasoning and answer. Tokens without bytes have U+FFFD for parts of characters."""
    if not choice["columns"]:
        return False
    text = plain(raw(choice["reasoning"]) + raw(choice["text"]))
    tokens = plain(b"".join(map(raw, choice["columns"]["tokens"])))
    if tokens.startswith(text):
        return True
    at, pieces = 0, tokens.split("\ufffd")
    for piece, after in zip(pieces, [*pieces[1:], None]):
        if piece.startswith(text[at:]):
            return True
        if not text.startswith(piece, at) or after is None:
            return False
        at = text.find(after[:8], at + len(piece) + 1) if after else len(text)
        if at < 0:
            return False
    return True


def identifies(token):
    return bool(token) and "\ufffd".encode() not in token


def comparable(base, test):
    """Return [(i, k)]: tokens that start at the same place on both sides, after equal bytes."""
    one, other = b"".join(base.bytes), b"".join(test.bytes)
    same = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    at = {}
    for k in range(len(test.bytes)):
        at.setdefault(int(test.begins[k]), k)
    return [(i, at[int(base.begins[i])]) for i in range(len(base.bytes)) if base.begins[i] in at and base.begins[i] <= same]


class Split:
    def __init__(self):
        self.n = self.equal = self.text_equal = 0
        self.calls, self.reasoning, self.finishes = [], [], []
        self.first_byte, self.first_token, self.index = [], [], []
        self.bytes, self.tokens, self.reasoning_bytes = [], [], []
        self.with_tokens = self.diverged = self.at_risk = 0
        self.top1, self.top1_lp, self.jaccard, self.chosen = [], [], [], []
        self.unlisted = self.short = 0
        self.rows = {name: [] for name in ("differ", "text", "finish", "top1", "hazard")}

    def note(self, name, part, whole=1):
        self.rows[name].append((self.cluster, part, whole))

    def add(self, cluster, base, test, base_tokens, test_tokens):
        self.cluster = cluster
        one, other = raw(base["text"]), raw(test["text"])
        calls = [[(c["name"], c["arguments"]) for c in side["tool_calls"]] for side in (base, test)]
        self.n += 1
        self.text_equal += one == other
        equal = one == other and calls[0] == calls[1] and base["refusal"] == test["refusal"]
        self.equal += equal
        self.note("differ", not equal)
        self.note("text", one != other)
        self.note("finish", base["finish"] == test["finish"])
        if any(calls):
            self.calls.append(calls[0] == calls[1])
        if one != other:
            self.first_byte.append(next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other))))
        self.bytes.append((len(one), len(other)))
        reasons = raw(base["reasoning"]), raw(test["reasoning"])
        if any(reasons):
            self.reasoning.append(reasons[0] == reasons[1])
            self.reasoning_bytes.append(tuple(map(len, reasons)))
        self.finishes.append((base["finish"], test["finish"]))
        if base_tokens is not None and test_tokens is not None:
            self.tokens.append((base_tokens, test_tokens))
        if spells(base) and spells(test):
            self.add_tokens(Tokens(base["columns"]), Tokens(test["columns"]), one == other)

    def add_tokens(self, base, test, text_equal):
        positions = comparable(base, test)
        parts = [i for i, k in positions if base.bytes[i] != test.bytes[k]]
        self.with_tokens += 1
        self.diverged += bool(parts) or not text_equal
        self.at_risk += len(positions)
        self.note("hazard", bool(parts) or not text_equal, len(positions))
        self.first_token += parts[:1]
        at = parts[0] if parts else len(base.bytes) if text_equal else min(len(base.bytes), len(test.bytes))
        self.index.append(min(1, at / len(base.bytes)))
        for i, k in positions:
            self.add_position(base.best(i), test.best(k), test, k)
            if base.bytes[i] == test.bytes[k] and identifies(base.bytes[i]):
                self.chosen.append(test.lp[k] - base.lp[i])

    def add_position(self, base, test, columns, k):
        if not base or not test:
            return
        if identifies(base[0][0]) and identifies(test[0][0]):
            self.top1.append(base[0][0] == test[0][0])
            self.note("top1", base[0][0] == test[0][0])
            lp = columns.logprob(k, base[0][0])
            if math.isnan(lp):
                self.unlisted += 1
            else:
                self.top1_lp.append(lp - base[0][1])
        sets = [{t for t, _ in side if identifies(t)} for side in (base, test)]
        if min(map(len, sets)) < 5:
            self.short += 1
        else:
            self.jaccard.append(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))

    def figures(self):
        return {
            "pairs": self.n, "differ": clustered(self.n - self.equal, self.n, self.rows["differ"]),
            "text_differs": clustered(self.n - self.text_equal, self.n, self.rows["text"]),
            "tool_calls_differ": rate(self.calls.count(False), len(self.calls)),
            "reasoning_differs": rate(self.reasoning.count(False), len(self.reasoning)),
            "first_differing_byte": spread(self.first_byte), "first_differing_token": spread(self.first_token),
            "divergence_index": mean(self.index),
            "hazard": partings(self.diverged, self.at_risk, self.rows["hazard"], self.rows["differ"]),
            "length_bytes": lengths(self.bytes), "length_tokens": lengths(self.tokens),
            "length_reasoning_bytes": lengths(self.reasoning_bytes),
            "finish_agreement": clustered(sum(a == b for a, b in self.finishes), len(self.finishes), self.rows["finish"]),
            "pairs_with_tokens": self.with_tokens, "comparable_positions": self.at_risk,
            "top1_agreement": clustered(self.top1.count(True), len(self.top1), self.rows["top1"], self.rows["differ"]), "top1_logprob": mean(self.top1_lp, rms=True),
            "top1_unlisted": self.unlisted, "top5_jaccard": mean(self.jaccard), "top5_short": self.short,
            "chosen_logprob": mean(self.chosen, rms=True),
        }


def token_counts(legs, choices):
    """Return the engines' token counts, or those of the columns; both of the same kind."""
    usage = [leg["reading"]["usage"]["completion_tokens"] for leg in legs]
    if None not in usage and all(len(leg["reading"]["choices"]) == 1 for leg in legs):
        return usage
    return [len(c["columns"]["tokens"]) for c in choices] if all(c["columns"] for c in choices) else [None, None]


def computed(exchanges, base_name, test_name):
    """Return (figures by decoding, excluded pairs, prompt deltas) of two backends."""
    splits, out, deltas, finishes = {}, {"base_cut": {}, "test_cut": {}, "error": 0}, [], {}
    for e in exchanges:
        legs = {leg["backend"]: leg for leg in e["legs"]}
        if base_name not in legs or test_name not in legs:
            continue
        base, test = legs[base_name], legs[test_name]
        cut = [(side, leg["outcome"]) for side, leg in (("base_cut", base), ("test_cut", test)) if leg["outcome"] != "complete"]
        if cut:
            side, outcome = cut[0]
            out[side][outcome] = out[side].get(outcome, 0) + 1
            continue
        if base["status"] != 200 or test["status"] != 200:
            out["error"] += 1
            continue
        usage = [leg["reading"]["usage"]["prompt_tokens"] for leg in (base, test)]
        if None not in usage:
            deltas += [usage[1] - usage[0]] * len(base["reading"]["choices"])
        kind = decoding(sent(e, base), sent(e, test))
        for one in base["reading"]["choices"]:
            other = next(c for c in test["reading"]["choices"] if c["index"] == one["index"])
            cluster = e["session_hash"] or e["prompt_hash"] or e["id"]
            splits.setdefault(kind, Split()).add(cluster, one, other, *token_counts((base, test), (one, other)))
            finishes.setdefault(kind, {}).setdefault((one["finish"], other["finish"]), []).append(1)
    return splits, out, deltas, finishes


def assert_like(said, expected, where=""):
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert_like(said[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(said) == len(expected), where
        for i, value in enumerate(expected):
            assert_like(said[i], value, f"{where}[{i}]")
    elif expected is None or isinstance(expected, int):
        assert said == expected, (where, said, expected)
    else:
        assert said == pytest.approx(expected, rel=1e-6, abs=1e-9), (where, said, expected)


def assert_quantiles(said, values, where):
    """Quantiles are exact below 2,048 values, else within 0.1 %."""
    for name, value in values.items():
        if name in ("p10", "median", "p90") and value is not None:
            assert said[name] == pytest.approx(value, rel=0 if value < 2048 else 0.001), (where, name)


def check_group(capture_rows, group):
    splits, out, deltas, finishes = computed(capture_rows, group["base"], group["test"])
    assert set(splits) == set(group["by_decoding"]), group["test"]
    for kind, split in splits.items():
        figures, said = split.figures(), group["by_decoding"][kind]
        for key in ("first_differing_byte", "first_differing_token"):
            values = figures[key]
            assert_quantiles(said[key], values, f"{kind}.{key}")
            figures[key] = {"n": values["n"], "mean": None if values["mean"] is None else float(values["mean"])}
        assert_like(said, figures, f"{group['base']}/{group['test']}.{kind}")
        assert {(f["base"], f["test"]): f["n"] for f in said["finish_reasons"]} == {k: len(v) for k, v in finishes[kind].items()}
    left = group["left_out"]
    assert left["base_cut"] == out["base_cut"] and left["test_cut"] == out["test_cut"]
    assert left["base_error"] + left["test_error"] == out["error"]
    evidence = group["evidence"]
    differ = [d for d in deltas if d]
    assert (evidence["prompt_pairs"], evidence["prompt_differ"]) == (len(deltas), len(differ))
    if differ:
        assert (evidence["prompt_delta_low"], evidence["prompt_delta_high"]) == (min(differ), max(differ))
    return splits, out


# --- tests -------------------------------------------------------------------------------------------------------------

def kinds():
    """Make requests for every group of the figures."""
    return [{}, {"stream": True}, {"temperature": 1.0, "seed": 3}, {"temperature": 1.0, "seed": 3, "stream": True},
            {"temperature": None, "seed": 5}, {"temperature": 0.7, "top_k": 1}, {"n": 2}, {"max_tokens": 3}]


def traffic(port, rounds=2):
    n = 0
    for i, text in enumerate(TEXTS * rounds):
        for j, more in enumerate(kinds()):
            make, path = ((chat, CHAT), (completion, COMPLETIONS))[(i + j) % 2]
            body = make(f"{text} {i}", **{"max_tokens": 40, **more})
            if body["temperature"] is None:
                del body["temperature"]
            assert post(port, path, body)[0] == 200
            n += 1
    asked = chat("Which tool?", logprobs=True, top_logprobs=2, max_tokens=20)
    tools = chat("Use a tool to search.", max_tokens=60, tools=[{"type": "function", "function": {
        "name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}}])
    for body in (asked, tools, {**asked, "stream": True}, {**tools, "stream": True}):
        assert post(port, CHAT, body)[0] == 200
        n += 1
    return n


def test_every_figure_agrees_with_its_definition(start):
    primary = start.engine("--seed", "7", "--repeat-penalty", "1.15", "--noise", "0.2", "--itl", "200us", "--reasoning", "field:reasoning_content")
    reference = start.engine("--seed", "7", "--noise", "0.02", "--reasoning", "field:reasoning_content")
    candidate = start.engine("--seed", "7", "--fault", "bos=double")
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{primary.url}'}}
references:
  - {{name: trusted, url: '{reference.url}'}}
  - {{name: next, url: '{candidate.url}', role: candidate, set: {{temperature: 0}}}}
""")
    sent_so_far = traffic(proxy.port)
    for i in range(6):      # clients that disconnect
        gone = Raw(proxy.port)
        gone.send(request("POST", CHAT, chat(f"Count to {i}.", stream=True, max_tokens=2000, ignore_eos=True), [("x-plumbline-fault", "stall=5s")]))
        gone.until(b"data:")
        gone.reset()
    for i in range(5):      # a failing engine
        post(proxy.port, CHAT, chat(f"Fail {i}."), [("x-plumbline-fault", "status=500")])
    sent_so_far += 11
    proxy.settled(sent_so_far, "trusted")
    reference.stop()
    for i in range(4):      # a dead reference
        post(proxy.port, CHAT, chat(f"Alone {i}."))
    proxy.settled(sent_so_far + 4, "trusted")
    proxy.settled(sent_so_far + 4, "next")
    rows, said = exported(proxy.capture), analyzed(proxy.capture)
    assert said["exchanges"] == len(rows) == sent_so_far + 4
    groups = {(g["base"], g["test"]): g for g in said["groups"]}
    assert set(groups) == {("trusted", "prod"), ("prod", "next")}
    splits, out = check_group(rows, groups["trusted", "prod"])
    assert {"greedy", "sampled", "unknown"} <= set(splits)
    assert out["base_cut"]["refused"] == 4 and sum(out["test_cut"].values()) >= 6 and out["error"] >= 5
    assert splits["greedy"].diverged > 10 and splits["greedy"].short > 0 and splits["greedy"].calls
    splits, _ = check_group(rows, groups["prod", "next"])
    assert "unlike" in splits
    causes = {c["key"]: c["text"] for c in groups["prod", "next"]["causes"]}
    assert "+1" in causes["bos_token"] and "BOS" in causes["bos_token"]
    # With the sides swapped: the same pairs, and the differences with the other sign.
    named = analyzed(proxy.capture, "--base", "prod", "--test", "trusted")["groups"]
    check_group(rows, named[0])


def test_without_faults_the_recorded_logprobs_are_the_exact_ones_and_nothing_differs(start):
    primary, reference = start.engine("--seed", "11"), start.engine("--seed", "11")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i, text in enumerate(TEXTS):
        for stream in (False, True):
            assert post(proxy.port, CHAT, chat(text, stream=stream))[0] == 200
            assert post(proxy.port, COMPLETIONS, completion(text, stream=stream))[0] == 200
    proxy.settled(4 * len(TEXTS), "reference")
    rows, positions = exported(proxy.capture), 0
    for e in rows:
        body = json.loads(e["request"]["body"])
        for leg in e["legs"]:
            for choice in leg["reading"]["choices"]:
                positions += assert_exact(reference, body, choice)
    assert positions > 500
    said = analyzed(proxy.capture)
    greedy = said["groups"][0]["by_decoding"]["greedy"]
    assert greedy["differ"]["count"] == 0 and said["greedy_compared"] == 4 * len(TEXTS)
    assert greedy["divergence_index"]["mean"] == 1 and greedy["hazard"]["count"] == 0
    assert greedy["top1_logprob"]["rms"] == 0 and greedy["chosen_logprob"]["rms"] == 0
    assert greedy["top5_jaccard"]["mean"] == 1 and greedy["top1_agreement"]["rate"] == 1


@pytest.mark.parametrize("fault", ["kv=0.5", "weights"])
def test_the_true_distribution_follows_the_faults_that_change_it(start, fault):
    engine = start.engine("--seed", "11", "--fault", fault)
    body = chat(TEXTS[0], logprobs=True, return_token_ids=True)
    choice = json.loads(post(engine.port, CHAT, body)[2])["choices"][0]
    asked = {"messages": body["messages"], "tokens": choice["token_ids"]}
    truth = json.loads(post(engine.port, "/simulated/distribution", asked)[2])["positions"]
    stated = [token["logprob"] for token in choice["logprobs"]["content"]]
    assert len(stated) > 5 and [p["chosen"]["logprob"] for p in truth[:len(stated)]] == stated


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def assert_exact(engine, body, choice):
    """Compare recorded logprobs with the engine's exact distribution; return the number of positions."""
    if not choice["columns"] or not spells(choice):
        return 0
    prompt = {k: body[k] for k in ("messages", "prompt") if k in body}
    tokens = Tokens(choice["columns"])
    text = b"".join(tokens.bytes).decode(errors="replace")
    if "\ufffd" in text:
        return 0
    truth = json.loads(post(engine.port, "/simulated/distribution", {**prompt, "text": text, "top": 5})[2])["positions"]
    if [raw_token(p["chosen"]) for p in truth[:-1]] != tokens.bytes:
        return 0        # the same text in other tokens
    for i, exact in enumerate(truth[:-1]):
        assert tokens.lp[i] == pytest.approx(single(exact["chosen"]["logprob"]), abs=1e-6)
        assert [t for t, _ in tokens.top[i]] == [raw_token(t) for t in exact["top"]]
        for (_, lp), entry in zip(tokens.top[i], exact["top"]):
            assert lp == pytest.approx(single(entry["logprob"]), abs=1e-6)
    return len(tokens.bytes)


def raw_token(entry):
    return bytes(entry["bytes"]) if entry.get("bytes") is not None else entry["token"].encode()


def judged(start, primary_flags, reference_flags):
    """Return (exported rows, the group, its causes by key) of greedy chats."""
    primary, reference = start.engine("--seed", "7", *primary_flags), start.engine("--seed", "7", *reference_flags)
    proxy = start.proxy(primary.url, reference=reference.url)
    for i, text in enumerate(TEXTS * 2):
        assert post(proxy.port, CHAT, chat(f"{text} {i}", max_tokens=40))[0] == 200
    proxy.settled(2 * len(TEXTS), "reference")
    group = analyzed(proxy.capture)["groups"][0]
    return exported(proxy.capture), group, {c["key"]: c for c in group["causes"]}


def test_a_penalty_is_named_with_a_true_example(start):
    rows, group, causes = judged(start, ["--repeat-penalty", "1.3"], [])
    assert causes["repetition_penalty"]["side"] == "test" and causes["repetition_penalty"]["p"] < 0.01
    assert set(causes) == {"repetition_penalty"}
    assert_example(rows, group["examples"]["test_not_top"])
    assert group["examples"]["base_not_top"] is None


def test_a_missing_bos_token_is_counted(start):
    _, group, causes = judged(start, [], ["--fault", "bos=missing"])
    assert "+1" in causes["bos_token"]["text"] and set(causes) == {"bos_token"}
    assert group["evidence"]["prompt_delta_low"] == group["evidence"]["prompt_delta_high"] == 1
    assert group["evidence"]["prompt_differ"] == group["evidence"]["prompt_pairs"] == 2 * len(TEXTS)


def test_an_unrequested_temperature_is_no_repetition_penalty(start):
    _, _, causes = judged(start, ["--fault", "temperature=1.0;fixed-seed=1"], [])
    assert set(causes) == {"unasked_sampling"} and causes["unasked_sampling"]["side"] == "test"


def assert_example(rows, example):
    """Check that the capture has the example's content at its place."""
    legs = {leg["role"]: leg for leg in next(e for e in rows if e["id"] == example["exchange"])["legs"]}
    base, test = (Tokens(legs[role]["reading"]["choices"][0]["columns"]) for role in ("reference", "primary"))
    at = example["at_token"]
    assert base.bytes[:at] == test.bytes[:at] and base.bytes[at] != test.bytes[at]
    for side, said in ((base, example["base"]), (test, example["test"])):
        assert side.bytes[at].decode() == said["token"] and side.lp[at] == pytest.approx(said["logprob"])
        assert side.best(at)[0][0].decode() == said["best"]
    assert test.best(at)[0][1] > test.lp[at], "the token contradicts its own list"
    assert "".join(t.decode() for t in base.bytes[:at]).endswith(example["before"].lstrip("…"))


def test_the_report_fits_a_terminal(start):
    primary, reference = start.engine("--seed", "7", "--repeat-penalty", "1.1", "--noise", "0.02"), start.engine("--seed", "7")
    proxy = start.proxy(primary.url, reference=reference.url)
    n = traffic(proxy.port, 1)
    proxy.settled(n, "reference")
    text = plumbline("analyze", proxy.capture, "--full", check=1).stdout.decode()
    lines = text.splitlines()
    assert lines[0].startswith("DIFFERENT: The answers of primary differ from those of ")
    assert max(map(len, (line for line in lines if str(proxy.capture) not in line))) <= 80, text
    assert len(lines) <= 120 and "\033" not in text
    assert re.search(r"token \d+ of exchange\s+[0-9a-f-]{36}", text) and "capture show" in text
