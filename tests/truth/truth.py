"""Makes captures of two simulated engines, one with a known fault, and reads which causes plumbline analyze names.

Only the engines' model is made up. The requests go over HTTP by `plumbline replay`, and `plumbline analyze` reads the
capture from the disk.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

BINARY = os.environ.get("PLUMBLINE", "build/plumbline")
WORDS = """the of and a to in he was it his that is with for as had you not be her on at by which have or from this him but all she they
were my are me one their so an said them we who would been will no when there if more out up into do any your what has man could other
than our some very time upon about may its only now like little then can made should did us such great before must two these see know
over much down after first good men own never most old shall day where those came come himself way work life without go make well
through being long say might how am too even again many back here think every people went same last thought away under take found hand
still place while eyes house night""".split()

# Differences that the request itself causes, or tokens that are equally probable, are no false alarm.
HARMLESS = {"tie", "sampled", "temperature_unset"}


@dataclasses.dataclass
class Scenario:
    """A fault. effects: full, half and quarter. A fault that is only "on" gets fewer exchanges instead."""
    name: str
    names: str                  # key of the cause
    faulty: callable            # effect -> flags of the tested engine
    effects: tuple = (1, 1, 1)
    unit: str = "on"            # of the effect
    both: tuple = ()            # flags of both engines
    sound: tuple = ()           # flags of the engine without the fault
    n: int = 200                # exchanges
    levels: tuple = (8,)        # concurrent requests; each level has an equal part of the exchanges
    repeats: int = 1
    asks: callable = None       # (random, i, effect) -> changes to a request
    also: frozenset = frozenset()  # other causes that are true

    def exchanges(self, step):
        return self.n if self.unit != "on" else self.n >> step

    def options(self):
        """Options of the replay."""
        return ("--repeats", self.repeats) if self.repeats > 1 else ()


def words(r, least, most):
    return " ".join(r.choice(WORDS) for _ in range(r.randint(least, most)))


def request(r, **more):
    turns = r.choice((1, 1, 3, 5))
    messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": words(r, 8, 30)} for i in range(turns)]
    return {"messages": messages, "temperature": 0, "max_tokens": 32, **more}


def families(r, i, effect):
    """Every second request begins like the one before: a prefix cache can reuse it."""
    if i % 2 == 0:
        families.seed = r.random()
    return {"messages": [{"role": "user", "content": words(random.Random(families.seed), 40, 40) + " " + words(r, 4, 10)}]}


LEVELS = (1, 16, 2, 8)         # concurrent requests, in this order
BUSY = ("--ttft", "5ms", "--itl", "1ms")


def fault(name):
    return lambda x: ("--fault", f"{name}={x:g}")


def plain(flag):
    return lambda x: ("--fault", flag)


def few_prompts(r, i, effect):
    """Only twelve different prompts, as in a small suite."""
    return {"messages": [{"role": "user", "content": words(random.Random(i % 12), 8, 30)}]}


def with_system(r, i, effect):
    """A system message, of any length, in every third chat."""
    messages = [{"role": "user", "content": words(r, 8, 30)}]
    return {"messages": [{"role": "system", "content": words(r, 3, 40)}, *messages] if i % 3 == 0 else messages}


def mixed(r, i, effect):
    """Chats and completions."""
    return {"messages": None, "prompt": words(r, 8, 30)} if i % 3 == 0 else {}


def stopped(r, i, effect):
    """Answers that end at a word."""
    return {"stop": [" the", " and"]} if i % 2 == 0 else {}


def broken_request(r, i, effect):
    """One request in the middle of the capture is invalid; the engine refuses it."""
    return {"temperature": -1} if i == effect // 2 else {}


SCENARIOS = [
    Scenario("penalty", "repetition_penalty", lambda x: ("--repeat-penalty", f"{x:g}"), (1.1, 1.05, 1.025), "factor"),
    Scenario("penalty-processed", "repetition_penalty", lambda x: ("--fault", f"repeat-penalty={x:g};lists=processed"), (1.1, 1.05, 1.025), "factor"),
    Scenario("penalty-processed-few", "repetition_penalty", lambda x: ("--fault", f"repeat-penalty={x:g};lists=processed"), (1.1, 1.05, 1.025), "factor", n=40),
    Scenario("sampling", "unasked_sampling", fault("temperature"), (1, 0.5, 0.25), "temperature"),
    Scenario("quantised", "drift", fault("quantise"), (0.4, 0.2, 0.1), "nats"),
    Scenario("quantised-strong", "drift", fault("quantise"), (2.4, 1.2, 0.6), "nats", n=24, asks=few_prompts, repeats=2),
    Scenario("drift", "drift", fault("noise"), (0.1, 0.05, 0.025), "nats", repeats=2),
    Scenario("unstable", "unstable", fault("noise"), (0.1, 0.05, 0.025), "nats", both=("--fresh-noise",), repeats=2),
    Scenario("processed", "processed_logprobs", plain("lists=processed"), (0.6, 0.8, 0.9), "temperature",
             asks=lambda r, i, x: {"temperature": x, "seed": i}, also=frozenset({"sampled"})),
    Scenario("misaligned", "misaligned_logprobs", plain("misaligned")),
    Scenario("bos", "bos_token", plain("bos=missing")),
    Scenario("template", "chat_template", plain("template")),
    Scenario("truncated", "prompt_truncated", fault("truncate"), (60, 90, 120), "tokens"),
    Scenario("system", "system_dropped", plain("drop-system"), asks=with_system),
    Scenario("mixed", "chat_template", plain("template;bos=missing"), asks=mixed, also=frozenset({"bos_token"})),
    Scenario("mixed-bos", "bos_token", plain("template;bos=missing"), asks=mixed, also=frozenset({"chat_template"})),
    Scenario("keep-stop", "stop_kept", plain("keep-stop"), asks=stopped),
    Scenario("weights", "other_model", plain("weights=1")),
    Scenario("kv", "lost_context", fault("kv"), (0.02, 0.01, 0.005), "chance"),
    Scenario("load", "load", fault("load"), (0.01, 0.005, 0.0025), "nats", both=BUSY, n=400, levels=LEVELS),
    Scenario("cache", "cache", fault("cache"), (0.4, 0.2, 0.1), "nats", both=("--prefix-cache",), n=300, asks=families),
    Scenario("poison", "change_point", None, asks=broken_request),
    Scenario("crosstalk", "cross_talk", fault("crosstalk"), (0.2, 0.1, 0.05), "chance", both=BUSY, n=300),
    Scenario("unset", "temperature_unset", lambda x: (), asks=lambda r, i, x: {"temperature": None}),
    Scenario("sampled", "sampled", lambda x: (), asks=lambda r, i, x: {"temperature": 0.8}),
    Scenario("place", "reasoning_place", lambda x: ("--reasoning", "tags"), sound=("--reasoning", "field:reasoning_content"), asks=lambda r, i, x: {"max_tokens": 64}),
]

# Equal engines: exact, noisy with and without a noise floor, under load, with a cache, with sampled traffic.
EQUAL = [
    Scenario("exact", "", lambda x: ()),
    Scenario("noisy", "", lambda x: (), both=("--noise", "0.02", "--fresh-noise")),
    Scenario("floored", "", lambda x: (), both=("--noise", "0.03", "--fresh-noise"), repeats=2),
    Scenario("few", "", lambda x: (), both=("--noise", "0.1", "--fresh-noise"), n=24, asks=few_prompts, repeats=2),
    Scenario("loaded", "", lambda x: (), both=(*BUSY, "--noise", "0.02", "--fresh-noise"), levels=LEVELS),
    Scenario("cached", "", lambda x: (), both=("--prefix-cache", "--noise", "0.02", "--fresh-noise"), asks=families),
    Scenario("chance", "", lambda x: (), both=("--noise", "0.02", "--fresh-noise"), asks=lambda r, i, x: {"temperature": 0.7, "seed": i}),
]


class Engine:
    def __init__(self, *flags):
        self.process = subprocess.Popen([BINARY, "engine", "--listen", "127.0.0.1:0", *flags], stdout=subprocess.PIPE, text=True)
        self.url = "http://" + self.process.stdout.readline().split()[-1]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()


@contextlib.contextmanager
def engines(s, step, seed):
    n = s.exchanges(step)
    # After the broken request this engine gives wrong answers until it ends.
    faulty = s.faulty(s.effects[step]) if s.faulty else ("--fault", f"poison={n}")
    pair = Engine("--seed", str(seed), *s.both, *faulty), Engine("--seed", str(seed), *s.both, *s.sound)
    try:
        yield pair
    finally:
        for e in pair:
            e.stop()


def plumbline(*args, ends=(0,)):
    """Run a command, which must exit with one of these codes; return its standard output."""
    done = subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True)
    if done.returncode not in ends:
        raise RuntimeError(f"{args[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def replay(file, engine, name, capture, level, seed, *options):
    plumbline("replay", file, "--to", engine.url, "--name", name, "--capture", capture, "--concurrency", level, "--seed", seed, *options)


def analyze(*args):
    return json.loads(plumbline("analyze", *args, "--json", ends=(0, 1, 4)))


def requests(s, step, seed):
    """Yield the requests of a capture as lines of JSON."""
    r, n = random.Random(f"{s.name} {step} {seed}"), s.exchanges(step)
    effect = n if s.faulty is None else s.effects[step]
    for i in range(n):
        body = request(r, **(s.asks(r, i, effect) if s.asks else {}))
        yield json.dumps({k: v for k, v in body.items() if v is not None}) + "\n"


def capture_once(s, step, pair, seed):
    """Make one capture; return the group of its analysis that compares the two engines."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-truth-"))
    capture = directory / "capture"
    try:
        lines = list(requests(s, step, seed))
        for k, level in enumerate(s.levels):
            file = directory / f"requests-{k}.jsonl"
            file.write_text("".join(lines[k * len(lines) // len(s.levels):(k + 1) * len(lines) // len(s.levels)]))
            for engine, name in zip(pair, ("prod", "trusted")):
                replay(file, engine, name, capture, level, seed, *s.options())
        return next(g for g in analyze(capture, "--base", "trusted", "--test", "prod")["groups"] if not g["is_floor"])
    finally:
        shutil.rmtree(directory)


@dataclasses.dataclass
class Outcome:
    scenario: Scenario
    step: int
    captures: int = 0
    named: int = 0
    wrong: dict = dataclasses.field(default_factory=dict)
    wrongly: int = 0            # captures in which analyze named another cause
    seconds: float = 0          # the sum, also of concurrent captures

    def add(self, other):
        self.captures += other.captures
        self.named += other.named
        self.wrongly += other.wrongly
        self.seconds += other.seconds
        for key, n in other.wrong.items():
            self.wrong[key] = self.wrong.get(key, 0) + n


def run(s, step, captures, first=1):
    """Make several captures with one pair of engines, each with other prompts; return the outcome."""
    if s.faulty is None and captures > 1:  # the broken request spoils the engine: start one per capture
        parts = [run(s, step, 1, k) for k in range(first, first + captures)]
        for other in parts[1:]:
            parts[0].add(other)
        return parts[0]
    outcome, began = Outcome(s, step), time.monotonic()
    with engines(s, step, 6 + first) as pair:
        for k in range(first, first + captures):
            keys = {c["key"] for c in capture_once(s, step, pair, k)["causes"]}
            others = keys - {s.names} - s.also - HARMLESS
            outcome.captures += 1
            outcome.named += s.names in keys
            outcome.wrongly += bool(others)
            for key in others:
                outcome.wrong[key] = outcome.wrong.get(key, 0) + 1
    outcome.seconds = time.monotonic() - began
    return outcome
