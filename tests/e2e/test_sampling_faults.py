"""analyze names faults of sampling from default traffic alone."""
import json

import pytest

from harness import chat, plumbline, post
from test_judge import CHAT
from test_sampled_verdict import paste


def mirrored(start, primary=(), reference=(), requests=70, changes=None, stack="{}"):
    """Record traffic without a temperature, as SDKs send it. Seeds make each run equal."""
    engines = [start.engine("--seed", "7", *flags) for flags in (primary, reference)]
    config = (f"primary: {{name: prod, url: '{engines[0].url}', stack: {stack}}}\nlogprobs: {{top: 20}}\n"
              f"references:\n  - {{name: trusted, url: '{engines[1].url}', max_concurrency: 1}}\n")
    proxy = start.proxy(None, config=config)
    for i in range(requests):
        body = {**chat(f"Tell me about {i} ships that sail the wide river near a large house.", max_tokens=128), "temperature": None, "seed": i}
        body.update(changes(i) if changes else {})
        assert post(proxy.port, CHAT, body)[0] == 200
    proxy.settled(requests, "trusted")
    return proxy.capture


def analyzed(capture, *options):
    return json.loads(plumbline("analyze", capture, "--json", *options).stdout)


def found(document, backend):
    return [f["cause"] for s in document["sampling"] if s["backend"] == backend for f in s["findings"]]


def test_a_repetition_penalty_is_named_on_the_first_screen(start):
    capture = mirrored(start, ["--repeat-penalty", "1.2"])
    document = analyzed(capture)
    assert document["verdict"]["word"] == "DIFFERENT" and document["verdict"]["proven_by"] == "repetition_penalty"
    assert found(document, "prod") == ["penalty"] and found(document, "trusted") == []
    first = plumbline("analyze", capture).stdout.decode().split("\n\n")[0]
    assert first.startswith("DIFFERENT") and "penalty" in first
    assert plumbline("analyze", capture, "--json", "--jobs", "2").stdout == plumbline("analyze", capture, "--json").stdout


def test_engines_without_a_fault_have_no_finding(start):
    capture = mirrored(start, requests=40)
    document = analyzed(capture)
    assert found(document, "prod") == found(document, "trusted") == []
    assert document["verdict"]["proven_by"] is None
    prod = next(s for s in document["sampling"] if s["backend"] == "prod")
    assert prod["penalty"]["state"] == "too_few" and prod["penalty"]["needed"] > prod["draws"]
    full = " ".join(plumbline("analyze", capture, "--full").stdout.decode().split())
    assert f"{prod['text']}." in full and f"a penalty of 0.1 nats, about {prod['penalty']['needed']:,.0f} draws are needed" in prod["text"]
    draws = next(s["draws"] for s in document["sampling"] if s["backend"] == "prod")
    assert document["verdict"]["sentence"].endswith(f"; prod's own {draws:,} draws fit the probabilities that it states.")


def test_the_manifests_kind_of_lists_is_used(start):
    document = analyzed(mirrored(start, ["--fault", "lists=processed"], requests=10, stack="{decoding.logprobs: processed}"))
    assert {s["backend"]: s["lists"] for s in document["sampling"]} == {"prod": "processed", "trusted": "unknown"}


def test_a_fault_of_both_sides_is_no_difference(start):
    fault = ["--fault", "temperature=0.6"]
    document = analyzed(mirrored(start, fault, fault, requests=40))
    assert found(document, "prod") == found(document, "trusted") == ["temperature"]
    assert document["verdict"]["word"] != "DIFFERENT"


def test_an_engine_that_does_not_draw_from_its_lists_is_named(start):
    hot = ["--fault", "temperature=4"]
    document = analyzed(mirrored(start, hot, requests=40))
    side = next(s for s in document["sampling"] if s["backend"] == "prod")
    assert side["excluded"]["outside"] > 20 and side["draws"] == 0
    assert found(document, "prod") == ["calibration"] and found(document, "trusted") == []
    assert document["verdict"]["word"] == "DIFFERENT" and "outside of its own lists" in document["cause"]["text"]
    both = analyzed(mirrored(start, hot, hot, requests=40))
    assert found(both, "prod") == found(both, "trusted") == ["calibration"] and both["verdict"]["word"] != "DIFFERENT"


@pytest.mark.parametrize("models, word", [("", "SAME"), (", models: {simulated: int4-of-it}", "UNCLEAR")])
def test_scores_hold_for_other_names_of_the_engine_but_not_for_other_models_at_its_address(start, models, word):
    primary, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: '{primary.url}'}}
references:
  - {{name: trusted, url: '{other.url}'}}
  - {{name: trusted-2, url: '{other.url}'{models}}}
""")
    for i in range(40):
        assert post(proxy.port, CHAT, {**chat(f"Tell me about {i}.", max_tokens=48), "temperature": None, "seed": i})[0] == 200
    proxy.settled(40, "trusted-2")
    assert proxy.stop() == 0
    for name in ["trusted"] if models else ["trusted-2", "trusted"]:
        assert plumbline("score", proxy.capture, "--backend", name, "--url", other.url, "--of", "prod").returncode == 0
        document = analyzed(proxy.capture)
        assert document["verdict"]["word"] == word
        assert any(g["is_floor"] for g in document["groups"]) == (not models)
        assert (b"prod against" in plumbline("analyze", proxy.capture).stdout) == bool(models), "one engine is one line"


def test_a_very_low_temperature_has_no_lower_end(start):
    document = analyzed(mirrored(start, ["--fault", "temperature=0.2"], requests=30))
    side = next(s for s in document["sampling"] if s["backend"] == "prod")
    assert side["temperature"]["ci95"][0] == 0 < side["temperature"]["ci95"][1] < 0.3
    assert "a temperature of at most 0.2" in document["verdict"]["sentence"]


def test_a_very_high_temperature_has_no_upper_end(start):
    document = analyzed(mirrored(start, ["--fault", "temperature=1"], stack="{decoding.logprobs: raw}", requests=30,
                                 changes=lambda i: {"temperature": 0.2}))
    side = next(s for s in document["sampling"] if s["backend"] == "prod")
    assert side["temperature"]["ci95"][0] > 2 and side["temperature"]["ci95"][1] is None
    assert "a temperature of at least 0." in document["verdict"]["sentence"]


def test_an_answer_cache_is_named(start):
    capture = mirrored(start, ["--fault", "answer-cache", "--random-seed", "1"], ["--random-seed", "2"], requests=20, changes=lambda i: {
        "messages": [{"role": "user", "content": f"Tell me about {i % 5} ships."}], "seed": None})
    document = analyzed(capture)
    assert "repeats" in found(document, "prod") and "repeats" not in found(document, "trusted")
    assert "cache" in document["cause"]["fix"] and "parameter" not in document["cause"]["fix"]
    done = paste(document["cause"]["confirm"])
    assert done.returncode == 1 and "prod-again's own answers show more repeated answers than chance" in " ".join(done.stdout.split()), done


def test_no_probe_confirms_a_cut(start):
    document = analyzed(mirrored(start, ["--fault", "top-k=10"]))
    assert found(document, "prod") == ["top_k"] and document["cause"]["confirm"] is None


@pytest.mark.parametrize("asked", [None, 1])
def test_a_probe_confirms_no_default_temperature(start, asked):
    """A probe sets a temperature in each request."""
    document = analyzed(mirrored(start, ["--fault", "temperature=0.6"], requests=40, changes=lambda i: {"temperature": asked}))
    confirm = document["cause"]["confirm"]
    assert found(document, "prod") == ["temperature"] and (confirm or "").startswith("plumbline probe ") == bool(asked), confirm


def test_bound_answers_are_excluded_by_reason(start):
    asks = ({"response_format": {"type": "json_object"}}, {"logit_bias": {"300": 5}}, {"min_tokens": 4}, {"presence_penalty": 0.5}, {"temperature": 0})
    capture = mirrored(start, requests=10, changes=lambda i: asks[i % 5])
    document = analyzed(capture)
    side = next(s for s in document["sampling"] if s["backend"] == "prod")
    assert side["answers"] == 0
    assert side["excluded"] == {"response_format": 2, "logit_bias": 2, "min_tokens": 2, "penalty_asked": 2}
    full = " ".join(plumbline("analyze", capture, "--full").stdout.decode().split())
    assert "prod (simulated-7): not tested: 2 answers (response_format), 2 answers (logit_bias), " in full
