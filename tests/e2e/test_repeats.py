"""Noise floors from repeated prompts."""
import json
import pathlib
import re

from harness import chat, plumbline, post
from test_judge import CHAT, NOISE, analyzed, told, trial


def asked_again(start, primary_flags, reference_flags, prompts=40, times=8, floors=False, **more):
    """Send the whole list of prompts several times, one after the other, so that the engines draw the same noise in every test run."""
    primary, reference = (start.engine("--seed", "7", "--random-seed", n, *flags) for n, flags in (("1", primary_flags), ("2", reference_flags)))
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences:\n  - {{name: trusted, url: '{reference.url}', max_concurrency: 1}}\n"
    if floors:
        config += f"  - {{name: trusted-2, url: '{reference.url}'}}\n"
    proxy = start.proxy(None, config=config)
    for k in range(times):
        for i in range(prompts):
            extra = {"stop": [f"{k % 2}{k % 2}{k % 2}"]} if more.get("unlike") else {}
            assert post(proxy.port, CHAT, chat(f"Tell me about {i} ships and {i * 7} others.", max_tokens=32, **extra))[0] == 200
    proxy.settled(prompts * times, "trusted")
    if floors:
        proxy.settled(prompts * times, "trusted-2")
    return proxy.capture


def test_repeated_prompts_are_a_floor_without_second_legs(start):
    capture = asked_again(start, NOISE, NOISE)
    said = analyzed(capture)
    blame = trial(said)["noise_floor"]
    assert blame["floors"] == "both" and blame["base_floor_from"] == blame["test_floor_from"] == "repeats"
    assert said["repeats"]["prompts"] == 40 and not said["repeats"]["sampled"]
    # The proxy sent the first ones without logprobs, to learn the form of plain answers.
    assert said["repeats"]["unlike_requests"] < 20
    assert said["repeats"]["pairs"] == blame["base_floor_pairs"] + blame["test_floor_pairs"] >= 400
    assert blame["figures"]["differ"]["between"]["clusters"] == 40, "prompts, not requests"
    assert not any(f["alarm"] for f in blame["figures"].values()), blame
    assert abs(blame["figures"]["differ"]["excess"]["value"]) < 0.15
    assert "repeats of prompts" in told(capture)
    one = plumbline("analyze", capture, "--json").stdout
    assert plumbline("analyze", capture, "--json", "--jobs", "2").stdout == one
    # Unselected exchanges are no floor.
    said = analyzed(capture, "--where", "backend=prod", "--base", "prod", "--test", "trusted")
    assert said["repeats"]["pairs"] == 0 and said["groups"] == []


def test_repeats_alone_attribute_a_penalty(start):
    capture = asked_again(start, [*NOISE, "--repeat-penalty", "1.2"], NOISE)
    figures = trial(analyzed(capture))["noise_floor"]["figures"]
    assert figures["differ"]["alarm"] and figures["differ"]["excess"]["ci95"][0] > 0.2
    assert "over the noise floor" in told(capture)


def test_second_legs_come_first(start):
    capture = asked_again(start, NOISE, NOISE, prompts=24, times=4, floors=True)
    blame = trial(analyzed(capture))["noise_floor"]
    assert (blame["base_floor_from"], blame["test_floor_from"]) == ("second_legs", "repeats")
    assert blame["floors"] == "both"


def test_other_requests_with_the_same_prompt_are_no_repeats(start):
    capture = asked_again(start, [], [], prompts=24, times=4, unlike=True)
    said = analyzed(capture)
    assert said["repeats"]["prompts"] == 24 and said["repeats"]["unlike_requests"] > 0
    assert said["repeats"]["pairs"] > 0, "every second request is the same"
    assert trial(said)["noise_floor"]["figures"]["differ"]["base_floor"]["value"] == 0


def test_cached_prompts_are_another_condition(start):
    capture = asked_again(start, ["--prefix-cache"], [], prompts=24, times=4)
    legs = [json.loads(line)["legs"] for line in plumbline("capture", "ls", "--json", capture).stdout.splitlines()]
    cached = [next(leg for leg in each if leg["backend"] == "prod")["usage"]["cached_tokens"] for each in legs]
    assert len(set(cached)) > 1
    blame = trial(analyzed(capture))["noise_floor"]
    # Each prompt's first answer had a cold cache: three of four answers are comparable.
    assert blame["test_floor_pairs"] == 24 * 2


def test_a_few_prompts_are_no_floor(start):
    capture = asked_again(start, NOISE, NOISE, prompts=6, times=4)
    said = analyzed(capture)
    assert said["repeats"]["pairs"] > 0 and trial(said)["noise_floor"]["floors"] == "none"


def test_an_excess_of_some_pairs_says_so(start, tmp_path):
    """One name at two URLs, one of which is that of the other backend: half of the pairs are of one engine."""
    same, other = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.3")
    suite = pathlib.Path(__file__).parents[2] / "configs/suites/reasoning.jsonl"
    (tmp_path / "suite.jsonl").write_text("".join(suite.read_text().splitlines(True)[:30]))
    plumbline("replay", tmp_path / "suite.jsonl", "--to", same.url, "--name", "trusted", "--capture", tmp_path / "c", check=0)
    for url in (same.url, other.url):
        plumbline("replay", tmp_path / "c", "--to", url, "--name", "new", "--again", check=0)
    said = json.loads(plumbline("analyze", tmp_path / "c", "--base", "trusted", "--test", "new", "--json", check=1).stdout)
    assert re.search(r"of 60 greedy answers; in the 30 pairs with a noise floor, \+[\d.]+ points \[.*\] over it\.", said["verdict"]["sentence"]), said["verdict"]
    assert said["figures"][0]["floor"] == 0
