"""Sampled traffic is judged by repeated samples and first tokens, never by texts."""
import json

from harness import chat, exported, plumbline, post
from test_judge import CHAT, analyzed, trial


def sampled(start, reference_flags=(), prompts=12, times=6, **more):
    """The engines get the requests in the same order in each run, so they draw the same answers."""
    primary = start.engine("--seed", "7", "--random-seed", "1")
    reference = start.engine(*(reference_flags or ["--seed", "7"]), "--random-seed", "2")
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences:\n  - {{name: trusted, url: '{reference.url}', max_concurrency: 1}}\n"
    proxy = start.proxy(None, config=config)
    for k in range(times):
        for i in range(prompts):
            body = chat(f"Tell me about {i} ships.", max_tokens=24, **{"temperature": 0.8, "logprobs": True, "top_logprobs": 5, **more})
            assert post(proxy.port, CHAT, body)[0] == 200
    proxy.settled(prompts * times, "trusted")
    return proxy.capture


def finds_nothing(test):
    return not test["alarm"] and abs(test["mmd2"]) < 0.1


def line(capture):
    text = plumbline("analyze", capture, "--full", check=4).stdout.decode()
    return " ".join(text.split())


def test_equal_engines_draw_from_one_distribution(start):
    capture = sampled(start)
    group = trial(analyzed(capture))
    assert group["by_decoding"]["sampled"]["differ"]["rate"] > 0.5, "but their texts differ"
    test = group["sampled_test"]
    assert test["prompts"] == 12 and test["base_answers"] == test["test_answers"] == 72 and finds_nothing(test)
    first = group["first_positions"]
    # An empty answer has no first position.
    begun = sum(all(leg["reading"]["choices"][0]["text"] for leg in e["legs"]) for e in exported(capture))
    assert first["n"] == begun >= 68 and first["tv_low"]["value"] < 1e-3 and first["same_top"]["value"] == 1
    assert "nothing shows that the answers come from two distributions" in line(capture)
    one = plumbline("analyze", capture, "--json").stdout
    assert plumbline("analyze", capture, "--json", "--jobs", "2").stdout == one


def test_another_model_has_another_distribution(start):
    group = trial(analyzed(capture := sampled(start, ["--seed", "8"])))
    assert group["sampled_test"]["alarm"] and group["sampled_test"]["p"] < 0.002
    assert group["first_positions"]["tv_low"]["ci95"][0] > 0.05
    assert "the answers come from two distributions" in line(capture)


def test_several_choices_of_one_request_are_samples_too(start):
    group = trial(analyzed(sampled(start, times=1, n=4)))
    assert group["sampled_test"]["prompts"] == 12 and group["sampled_test"]["base_answers"] == 48
    assert finds_nothing(group["sampled_test"])


def test_seeded_and_single_answers_are_no_samples(start):
    group = trial(analyzed(sampled(start, times=3, seed=5)))
    assert group["sampled_test"] is None
    capture = sampled(start, times=1)
    assert trial(analyzed(capture))["sampled_test"] is None
    assert "can't be tested" in line(capture)
    # Greedy answers are not tested.
    assert trial(analyzed(sampled(start, times=2, prompts=3, temperature=0)))["sampled_test"] is None
