#!/usr/bin/env python3
"""How often does `plumbline stress` raise a false alarm, and how often does it name a known fault?

usage: tests/truth/stress.py [--runs 300] [--faulty 10] [--seed 0] [--jobs 1]

The environment variable PLUMBLINE is the path of the binary (default: build/plumbline). Each run has a simulated engine
with other weights. --runs runs are clean; half of them have noise that differs per request, at every level alike, which
is a noise floor and no corruption. Then each fault has --faulty runs of 40 prompts. With 20 prompts, stress finds a
mix-up in 95 of 100 runs only, and ten runs could not check that.

Exits with 1 if a clean run raises an alarm, or if in more than a tenth of a fault's runs stress misses the fault or
names another one too.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
PLUMBLINE = os.environ.get("PLUMBLINE", ROOT / "build/plumbline")
SUITE = ROOT / "configs/suites/determinism.jsonl"
NOISE = ("0", "0.02", "0", "0.1")
FAULTS = {"crosstalk=0.15": "cross_talk", "mixup=0.15": "mix_up", "poison=2": "poison", "load=0.04": "drift"}


def engine(*flags):
    process = subprocess.Popen([PLUMBLINE, "engine", "--listen", "127.0.0.1:0", "--ttft", "2ms", "--itl", "1ms", *flags], stdout=subprocess.PIPE, text=True)
    return process, "http://" + process.stdout.readline().split()[-1]


def stress(url, number, limit, levels):
    """Run stress once; return the names of what it found."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([PLUMBLINE, "stress", SUITE, "--to", url, "--limit", str(limit), "--concurrency", levels, "--max-tokens", "16", "--seed", str(number),
                               "--capture", directory + "/c", "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 1, 4):  # SAME, DIFFERENT, UNCLEAR
            raise SystemExit(f"run {number} ended with {done.returncode}:\n{done.stderr}")
        tests = json.loads(done.stdout)["stress"]["tests"]
        found = {name for name, test in tests.items() if test["found"]}
        assert bool(found) == (done.returncode == 1)
        return found


def many(asked, runs, flags_of, limit, levels):
    """Run stress several times; count each set of findings."""
    def one(i):
        process, url = engine("--seed", str(asked.seed + i), *flags_of(i))
        try:
            found = tuple(sorted(stress(url, asked.seed + i, limit, levels)))
        finally:
            process.terminate()
            process.wait()
        return found
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        return collections.Counter(pool.map(one, range(runs)))


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--runs", type=int, default=300)
    parse.add_argument("--faulty", type=int, default=10)
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--jobs", type=int, default=1, help="concurrent runs")
    asked = parse.parse_args()
    clean = many(asked, asked.runs, lambda i: ("--noise", NOISE[i % len(NOISE)], "--fresh-noise"), 10, "1,2,4")
    alarms = asked.runs - clean[()]
    print(f"clean: {alarms} alarms in {asked.runs} runs", *(f"{n} {'+'.join(names)}" for names, n in clean.items() if names), flush=True)
    wrong = alarms > 0
    for fault, name in FAULTS.items():
        found = many(asked, asked.faulty, lambda i: ("--fault", fault), 40, "1,4,8")
        right = found[(name,)]
        print(f"{fault}: {right} of {asked.faulty} named as {name} alone", dict(found), flush=True)
        wrong |= 10 * right < 9 * asked.faulty
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
