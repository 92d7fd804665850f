"""Ablations of simulated engines with a known fault find the switch that causes the difference."""
import json
import re

import pytest

from harness import chat, exported, plumbline
from schema import problems
from test_recipes import SCHEMA, turns
from test_replay import lines


def suite(start, n=40):
    """Make prompts of several blocks of 16 tokens, which a prefix cache can hold."""
    topics = ("rivers", "clocks", "bread", "maps", "birds", "glass", "ships", "salt")
    return lines(start.directory / "suite.jsonl", [
        chat(f"Number {i}: tell me about {topics[i % 8]} and {topics[(i + 3) % 8]}, " + " ".join(f"item {k} of {i}" for k in range(8)) + ".",
             max_tokens=24, temperature=0) for i in range(n)])


def ablate(start, *args, check=None):
    done = plumbline("ablate", suite(start), *args, "--capture", start.directory / "c", "--any-model", "--json", check=check)
    document = json.loads(done.stdout)
    assert not problems(document, SCHEMA)
    effects = document["ablation"]["effects"]
    return document, {(e["factor"], e["given"]): e for e in effects}


def laid_to(document, effects, factor):
    """Check that this factor is found. Chance finds another one in 1 % of the runs, but never as clearly."""
    assert factor in document["ablation"]["carried_by"] and effects[factor, None]["found"]
    # No draw of 9,999 was as large, or at least one.
    assert effects[factor, None]["p"] < 1.5e-4 and all(e["p"] > 1.5e-4 for key, e in effects.items() if key != (factor, None)), effects


def test_no_switch_is_blamed_without_a_difference(start):
    engine = start.engine("--seed", "7", "--prefix-cache", "--ttft", "1ms")
    document, effects = ablate(start, engine.url, "--concurrency", "1,8", "--cache", "--pin", "--repeats", "2", check=4)
    ablation = document["ablation"]
    assert [f["name"] for f in ablation["factors"]] == ["concurrency", "cache", "parameters"] and ablation["prompts"] == 40
    assert ablation["carried_by"] == [] and not any(e["found"] for e in effects.values()) and len(effects) == 3 + 6
    assert re.match(r"No switch is shown to cause a difference, but \w+ may change up to [0-9.]+ % of the answers\.$", document["verdict"]["sentence"])
    assert document["verdict"]["word"] == "UNCLEAR", "40 prompts exclude no effect of 2 %"
    assert re.match(r"To decide, send about \d+ prompts; these were 40(:|\. Suites to add:)$", document["next"][0]["text"])
    assert not any("replay" in (step["command"] or "") for step in document["next"]), "steps of pairs of cells decide nothing here"
    large = ("ablate", suite(start), engine.url, "--concurrency", "1,8", "--cache", "--pin", "--repeats", "2", "--any-model", "--capture", start.directory / "c")
    assert plumbline(*large, "--least-effect", "differ=50%", check=0).stdout.startswith(b"SAME: ")
    # 8 cells, 40 prompts, two repeats, and one pass that fills the caches.
    assert turns(engine) == 8 * 40 * 3 and len(ablation["cells"]) == 8
    for cell in ablation["cells"]:
        assert (cell["answers"], cell["failed"], cell["tell_cached"]) == (80, 0, 80)
        # Two blocks may share a slot of the simulated cache: with this run's salts in 1 % of the answers.
        assert 60 <= cell["cached"] <= 80 if cell["settings"]["cache"] == "warm" else cell["cached"] == 0, "the cold cell has no cached tokens, the warm one has"
    legs = [leg for e in exported(start.directory / "c") for leg in e["legs"]]
    assert {leg["backend"] for leg in legs} == {f"engine/{c}/{p}" for c in ("cold", "warm") for p in ("pinned", "unpinned")}


@pytest.mark.slow
def test_a_concurrency_fault_is_attributed_to_concurrency(start):
    engine = start.engine("--seed", "7", "--prefix-cache", "--ttft", "20ms", "--itl", "1ms", "--fault", "load=0.3", "--fresh-noise")
    document, effects = ablate(start, engine.url, "--concurrency", "1,8", "--cache", check=1)
    laid_to(document, effects, "concurrency")
    main = effects["concurrency", None]
    assert main["flip"]["ci95"][0] > 0 and main["hazard"]["value"] > 0
    assert document["verdict"]["sentence"].startswith("concurrency (1 to 8) causes a difference")
    steps = [step["text"] for step in document["next"]]
    assert "batch-invariant" in steps[0] and not any("To decide" in step for step in steps), "it has decided"


def test_a_cache_fault_is_attributed_to_the_cache(start):
    engine = start.engine("--seed", "7", "--prefix-cache", "--ttft", "2ms", "--fault", "cache=0.8", "--fresh-noise")
    document, effects = ablate(start, engine.url, "--concurrency", "1,4", "--cache", check=1)
    laid_to(document, effects, "cache")
    assert effects["cache", None]["flip"]["value"] > 0.1
    words = plumbline("ablate", suite(start), engine.url, "--concurrency", "1,4", "--cache", "--capture", start.directory / "c", "--any-model", "--full", check=1).stdout.decode()
    assert "cache (cold to warm) causes a difference" in words and "differ from themselves" in words


def test_unset_defaults_are_attributed_to_the_parameters(start):
    # The requests have no temperature, and the engine's default is not 0.
    engine = start.engine("--seed", "7")
    source = lines(start.directory / "free.jsonl", [
        {"model": "simulated", "messages": [{"role": "user", "content": f"Tell me about {i}."}], "max_tokens": 16} for i in range(30)])
    done = plumbline("ablate", source, engine.url, "--concurrency", "1,4", "--pin", "--repeats", "2", "--any-model", "--capture", start.directory / "c", "--json", check=1)
    document = json.loads(done.stdout)
    laid_to(document, {(e["factor"], e["given"]): e for e in document["ablation"]["effects"]}, "parameters")
    floors = {cell["settings"]["parameters"]: cell["floor"]["value"] for cell in document["ablation"]["cells"]}
    assert floors["pinned"] == 0 and floors["unpinned"] > 0.9, "an unstable side is no noise floor of the other"


def test_labels_tell_engine_switches_apart(start):
    # The second switch is quantisation; the first does nothing.
    engines = {"eager+full": (), "graph+full": (), "eager+low": ("--quantise", "0.5"), "graph+low": ("--quantise", "0.5")}
    targets = [f"{label}={start.engine('--seed', '7', *flags).url}" for label, flags in engines.items()]
    document, effects = ablate(start, *targets, "--flags", "graphs,weights", "--repeats", "2", check=1)
    assert document["ablation"]["carried_by"] == ["weights"] and effects["weights", None]["flip"]["value"] > 0.2
    assert document["ablation"]["factors"] == [{"name": "graphs", "off": "eager", "on": "graph"}, {"name": "weights", "off": "full", "on": "low"}]


def test_invalid_ablations_are_refused(start):
    url = "http://127.0.0.1:1"
    source = suite(start, 2)
    for args, why in (((url,), b"no switch"), ((url, "--concurrency", "1,2,4"), b"two numbers"), ((url, "--pin", "--align", "off"), b"excludes --align"),
                      ((url, "--pin", "--repeats", "1"), b"from 2 to 32"), ((url, "--pin", "--temperature", "1"), b"--temperature is not a known option"),
                      ((f"a={url}", f"b={url}", "--pin"), b"need --flags"), ((f"a={url}", f"b={url}", "--flags", "x,y"), b"needs 4 targets"),
                      ((f"a={url}", f"b={url}", "--flags", ",x"), b"has an empty name"), ((f"a={url}", f"b={url}", "--flags", "x,"), b"has an empty name"),
                      ((f"a={url}", f"a={url}", "--flags", "x"), b"two targets have the settings"), ((url, "--cache", "--cold", "x=]"), b"--cold needs")):
        assert why in plumbline("ablate", source, *args, check=2).stderr


def test_an_unknown_cache_needs_an_option(start):
    engine = start.engine("--seed", "7", "--prefix-cache")
    args = ("ablate", suite(start, 8), f"{engine.url},dialect=generic", "--cache", "--any-model", "--capture", start.directory / "c")
    assert b"--cold MEMBER" in plumbline(*args, check=2).stderr and turns(engine) == 0
    said = json.loads(plumbline(*args, "--cold", "cache_salt", "--repeats", "2", "--json", check=4).stdout)
    cold, warm = (cell["cached"] for cell in said["ablation"]["cells"])
    assert cold == 0 and 10 <= warm <= 16, "except for slots that another block uses"
