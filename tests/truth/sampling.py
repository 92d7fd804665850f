"""Makes captures of sampled traffic from an engine with a known fault, and reads which faults plumbline analyze names.

A cell of the table is a fault, a kind of lists, and a way of looking. LISTS: the engine lists raw logprobs, logprobs
after temperature, or processed ones (after all of its sampling settings). WAYS: analyze has the engine's own lists only
("own"), also scores by the engine ("self"), or also scores by a reference with the same weights and no fault
("reference"). A capture grows from size to size, so one capture serves all sizes and all ways.
"""
import dataclasses
import json
import pathlib
import random
import shutil
import subprocess
import tempfile

import truth

SIZES = (250, 1000, 4000, 16000, 64000)  # tokens, about
LISTS = ("raw", "temperature", "processed")
WAYS = ("own", "self", "reference")
TOKENS_OF_ANSWER = 63                # on average, for the requests below


@dataclasses.dataclass
class Fault:
    """names: keys of causes, of which analyze must name one. blind: cells in which it cannot name the fault."""
    name: str
    flags: str
    names: frozenset = frozenset()
    blind: frozenset = frozenset()
    asks: callable = None    # (random, i) -> changes to a request
    lists: tuple = LISTS
    ratio: float = 1         # true temperature / requested temperature
    shift: dict = dataclasses.field(default_factory=dict)  # true penalty in nats, by kind
    served: bool = False     # needs a server: no capture in process


def cells(*lists, ways=WAYS):
    return frozenset((a, b) for a in lists for b in ways)


# Lists after temperature have slope 1 at every temperature, and choices agree with processed lists: only scores help.
PROCESSED = cells("processed", ways=("own",))
TEMPERED = cells("temperature", "processed", ways=("own",))
TEMPERATURE = frozenset({"temperature", "sampling"})
REPETITION = frozenset({"repetition_penalty", "penalty"})
FAULTS = [
    Fault("temperature 0.6", "temperature=0.6", TEMPERATURE, TEMPERED, ratio=0.6),
    Fault("temperature 0.8", "temperature=0.8", TEMPERATURE, TEMPERED, ratio=0.8),
    # Its processed lists have ten tokens, like those of an engine that never lists more.
    Fault("top-k 10", "top-k=10", frozenset({"top_k", "filtered_lists"}), cells("processed")),
    Fault("top-k 20", "top-k=20", frozenset({"top_k"}), cells(*LISTS)),
    Fault("top-p 0.9", "top-p=0.9", frozenset({"top_p", "filtered_lists"})),
    Fault("top-p 0.9 after temperature 0.7", "top-p=0.9;temperature=0.7", frozenset({"top_p", "filtered_lists", "temperature"}), ratio=0.7),
    Fault("top-p 0.9 before temperature 0.7", "top-p=0.9;temperature=0.7;cuts=before", frozenset({"top_p", "filtered_lists", "temperature"}), ratio=0.7),
    Fault("min-p 0.05", "min-p=0.05", frozenset({"min_p", "filtered_lists"})),
    Fault("repetition penalty 1.2", "repeat-penalty=1.2", REPETITION, PROCESSED),
    Fault("repetition penalty 1.1", "repeat-penalty=1.1", REPETITION, PROCESSED),
    Fault("repetition penalty 1.05", "repeat-penalty=1.05", REPETITION, PROCESSED),
    Fault("presence penalty 0.5", "presence-penalty=0.5", frozenset({"presence_penalty", "penalty"}), PROCESSED, shift={"presence": 0.5}),
    Fault("frequency penalty 0.5", "frequency-penalty=0.5", frozenset({"frequency_penalty", "penalty"}), PROCESSED, shift={"frequency": 0.5}),
    Fault("answer cache", "answer-cache", frozenset({"repeats"}), served=True),
    Fault("one seed for all", "fixed-seed=42", frozenset({"repeats"}), served=True),
    Fault("temperature 0", "temperature=0", frozenset({"repeats", "temperature", "top_k", "top_p", "min_p"})),
    # Scores do not say which server gave the answer.
    Fault("one bad server of four", "replicas=4;temperature=0.6", TEMPERATURE, cells("temperature", "processed"), ratio=0.6, served=True),
]


def seeded(r, i):
    return {"seed": 42}


def asked(**more):
    return lambda r, i: more


def constrained(r, i):
    """Requests whose answers are not plain draws from the model's distribution."""
    return (({"response_format": {"type": "json_object"}}, {"logit_bias": {"300": 5}}, {"min_tokens": 40}, {"n": 2}, {"ignore_eos": True},
             {"presence_penalty": 0.8}, {"top_k": 5}, {"top_p": 0.8, "temperature": 0.9}, {"min_p": 0.1}, {"temperature": 0})[i % 10])


# Engines without a fault, with various requests and kinds of lists.
SOUND = [
    Fault("sound", ""),
    Fault("sound, temperature 0.7", "", asks=asked(temperature=0.7)),
    Fault("sound, temperature 1", "", asks=asked(temperature=1.0), lists=("raw",)),
    Fault("sound, masked lists", "top-k=0", asks=asked(top_p=0.9), lists=("masked",)),
    Fault("sound, end tokens unlisted", "end-token=unlisted", lists=("raw", "processed")),
    Fault("sound, end tokens with a row", "end-token=row", lists=("raw", "processed")),
    Fault("sound, one seed asked", "", asks=seeded, lists=("raw",), served=True),
    Fault("sound, constrained", "", asks=constrained, served=True),
    Fault("sound, four servers", "replicas=4", lists=("raw",), served=True),
    Fault("sound, noise", "noise=0.02", lists=("raw", "processed")),
]


# Cases of --intervals: presence penalties of several sizes.
PENALTIES = [Fault("sound", "", lists=("raw",))]
PENALTIES += [Fault(f"presence penalty {x:g}", f"presence-penalty={x:g}", frozenset({"presence_penalty", "penalty"}), shift={"presence": x}, lists=("raw",))
              for x in (0.2, 0.5, 1)]


def request(fault, r, i):
    """A request as an SDK sends it: without temperature and seed. Every tenth prompt is one of eight."""
    source = random.Random(r.randrange(8)) if r.random() < 0.1 else r
    body = {"messages": [{"role": "user", "content": truth.words(source, 8, 30)}], "max_tokens": 128}
    return {**body, **(fault.asks(r, i) if fault.asks else {})}


def flags(fault, lists):
    return ";".join(f for f in (fault.flags, f"lists={lists}") if f)


def answers(tokens):
    return max(2, tokens // TOKENS_OF_ANSWER)


class Growing:
    """A capture that grows, and the captures with its scores."""

    def __init__(self, fault, lists, seed, ways):
        self.fault, self.seed, self.ways = fault, seed, ways
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-sampled-"))
        self.random, self.answers = random.Random(f"{fault.name} {lists} {seed}"), 0
        # With random seeds, and one request after the other, a capture is the same in every run.
        self.engine = truth.Engine("--seed", str(seed), "--random-seed", str(2 * seed), "--fault", flags(fault, lists))
        self.reference = truth.Engine("--seed", str(seed), "--random-seed", str(2 * seed + 1)) if "reference" in ways else None

    def grow(self, tokens):
        more = answers(tokens) - self.answers
        file = self.directory / f"requests-{tokens}.jsonl"
        file.write_text("".join(json.dumps(request(self.fault, self.random, self.answers + i)) + "\n" for i in range(more)))
        self.answers += more
        truth.replay(file, self.engine, "prod", self.directory / "own", 1, self.seed, "--top", 20)
        if self.reference:  # the reference scores a few of its own answers, too: the noise floor
            truth.replay(file, self.reference, "trusted", self.directory / "reference", 1, self.seed, "--top", 20, "--limit", 8)

    def look(self, way):
        """Return the analysis of the capture, with the scores of this way."""
        if way == "own":
            return truth.analyze(self.directory / "own")
        scorer, name = (self.engine, "prod") if way == "self" else (self.reference, "trusted")
        asked = ("--backend", name, "--url", scorer.url, "--top", 20, "--concurrency", 8, "--capture", self.directory / way)
        truth.plumbline("score", self.directory / "own", "--of", "prod", *asked)
        if way == "reference":
            truth.plumbline("score", self.directory / way, "--of", "trusted", *asked)
        return truth.analyze(self.directory / "own", self.directory / way)

    def close(self):
        self.engine.stop()
        if self.reference:
            self.reference.stop()
        shutil.rmtree(self.directory)


def in_process(fault, lists, seed, sizes):
    """Return one analysis per size of a capture's own lists, without HTTP and files: about five times as fast."""
    r, counts = random.Random(f"{fault.name} {lists} {seed}"), [answers(s) for s in sizes]
    requests = "".join(json.dumps(request(fault, r, i)) + "\n" for i in range(counts[-1]))
    command = [pathlib.Path(truth.BINARY).resolve().parent / "tests" / "truth" / "draws", str(seed), flags(fault, lists), *map(str, counts)]
    lines = subprocess.run(command, input=requests, capture_output=True, text=True, check=True).stdout.splitlines()
    return [{"sampling": json.loads(line), "groups": [], "verdict": {"word": "UNCLEAR"}} for line in lines]


def sides(document):
    """Return the entries of the engine with the fault."""
    return [s for s in document["sampling"] if s["backend"] == "prod"]


def key(side, finding):
    """Return the key of a finding; that of a penalty has its kind, if known."""
    kind = side["penalty"]["kind"]
    return f"{kind}_penalty" if finding["cause"] == "penalty" and kind != "unknown" else finding["cause"]


# Causes of a difference are less specific than findings about one side.
OF_PAIRS = {"repetition_penalty": "penalty", "unasked_sampling": "sampling"}


def named(document):
    """Return the keys of all findings about a side or a pair, or "different" for a verdict without a cause."""
    keys = {key(s, f) for s in document["sampling"] for f in s["findings"]}
    keys |= {OF_PAIRS.get(c["key"], c["key"]) for g in document["groups"] for c in g["causes"]} - truth.HARMLESS
    return keys or ({"different"} if document["verdict"]["word"] == "DIFFERENT" else set())


def covers(interval, value):
    return interval[0] <= value <= interval[1]


def true_shift(fault, kind):
    """Return the true value for the interval of a penalty of this kind, or None if it is unknown."""
    if "repetition_penalty" in fault.names or fault.flags == "temperature=0":
        return None
    return fault.shift.get("presence" if kind == "unknown" else kind) if fault.shift else 0


def coverage(fault, lists, document):
    """Yield (what, whether the interval contains the true value). Only raw lists have true values."""
    for s in sides(document) if lists == "raw" and "replicas" not in fault.flags else ():
        ratio, penalty, shift = s["temperature"]["ci95"], s["penalty"]["ci95"], true_shift(fault, s["penalty"]["kind"])
        if ratio and fault.names <= TEMPERATURE:
            yield "temperature", covers(ratio, fault.ratio)
        if penalty and shift is not None:
            yield "penalty", covers(penalty, shift)


@dataclasses.dataclass
class Seen:
    """Counts of one cell at one size."""
    captures: int = 0
    named: int = 0
    different: int = 0  # verdict DIFFERENT without a cause
    wrongly: int = 0
    which: dict = dataclasses.field(default_factory=dict)

    def add(self, names, keys):
        shows = {"different"} & keys if names else set()
        # "calibration" and "sampling" are true of any fault, though less specific.
        others = keys - names - shows - ({"calibration", "sampling"} if names else set())
        self.captures += 1
        self.named += bool(keys & names)
        self.different += bool(shows)
        self.wrongly += bool(others)
        for k in others:
            self.which[k] = self.which.get(k, 0) + 1


def capture_in_process(fault, lists, seed, sizes):
    """Like capture(), with the engine's own lists only."""
    for size, document in zip(sizes, in_process(fault, lists, seed, sizes)):
        yield "own", size, named(document), list(coverage(fault, lists, document))


def capture(fault, lists, seed, sizes, ways):
    """Yield (way, size, named keys, intervals) of one capture."""
    growing = Growing(fault, lists, seed, ways)
    try:
        for size in sizes:
            growing.grow(size)
            for way in ways:
                document = growing.look(way)
                yield way, size, named(document), list(coverage(fault, lists, document)) if way == "own" else []
    finally:
        growing.close()
