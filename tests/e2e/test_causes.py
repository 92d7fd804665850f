"""analyze names each cause that the simulated engine can produce, and none for equal engines.

This is the short form of tests/truth/run, which makes many captures of each cause and counts.
"""
import dataclasses
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "truth"))
import truth
from harness import LONG

# These depend on how many requests run concurrently, so a busy machine may need a second try.
TIMED = {"load", "crosstalk"}
# analyze names a wrong cause in up to 1 % of the captures. So one such capture shows no fault; three of three do.
SEEDS = (1, 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", truth.SCENARIOS, ids=lambda s: s.name)
def test_the_cause_is_named_and_no_other(scenario):
    for seed in SEEDS:
        with truth.engines(scenario, 0, 7) as pair:
            group = truth.capture_once(scenario, 0, pair, seed)
        causes = {c["key"]: c for c in group["causes"]}
        others = set(causes) - {scenario.names} - scenario.also - truth.HARMLESS
        if scenario.names in causes and not others:
            break
        assert scenario.names in causes or scenario.name in TIMED, (sorted(causes), group["verdict"]["sentence"])
    assert scenario.names in causes and not others, (sorted(causes), group["verdict"]["sentence"])
    cause = causes[scenario.names]
    assert cause["explained"]["n"] <= cause["explained"]["of"]
    assert cause["p"] is None or cause["p"] < 0.01
    assert cause["text"] and cause["fix"] and cause["confirm"].startswith("plumbline ")
    rates = [c["explained"]["rate"] or 0 for c in group["causes"]]
    assert rates == sorted(rates, reverse=True)


def causes_of(name, **more):
    scenario = dataclasses.replace(next(s for s in truth.SCENARIOS if s.name == name), **more)
    with truth.engines(scenario, 0, 7) as pair:
        return {c["key"]: c for c in truth.capture_once(scenario, 0, pair, 1)["causes"]}


def test_chats_and_completions_each_keep_their_cause():
    causes = causes_of("mixed", n=60)
    assert "chats: the chat templates" in causes["chat_template"]["text"] and "completions: a BOS token" in causes["bos_token"]["text"]
    assert "(-1) in 20 of 20 completions" in causes["bos_token"]["text"]
    assert causes["chat_template"]["explained"]["n"] + causes["bos_token"]["explained"]["n"] <= causes["bos_token"]["explained"]["of"]
    assert not set(causes["chat_template"]["exchanges"]) & set(causes["bos_token"]["exchanges"])


def test_a_dropped_system_message_is_attributed_next_to_other_causes():
    causes = causes_of("system", n=60, faulty=lambda x: ("--fault", "drop-system;bos=missing"))
    assert set(causes) - truth.HARMLESS == {"system_dropped", "bos_token"}
    assert causes["system_dropped"]["side"] == "test" and ": prod drops the message" in causes["system_dropped"]["text"]
    assert "no other chats" not in causes["system_dropped"]["text"], "those differ, too: by a BOS token"


def test_strong_quantisation_is_named_beyond_the_other_sides_lists():
    """Twelve prompts, twice each. Half of the first differences are not in the other side's list."""
    drift = causes_of("quantised-strong", effects=(4,))["drift"]
    assert drift["explained"]["rate"] > 0.8, drift


def test_an_engine_compared_with_itself_has_no_differing_defaults():
    unset = causes_of("unset", n=40)["temperature_unset"]
    assert "differ" in unset["text"] and "defaults" not in unset["text"]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", truth.EQUAL, ids=lambda s: s.name)
def test_equal_engines_raise_no_alarm(scenario):
    alarms = []
    with truth.engines(scenario, 0, 7) as pair:
        for seed in range(1, 6 if LONG and scenario.name != "loaded" else 4):      # "loaded" is the slowest one
            causes = truth.capture_once(scenario, 0, pair, seed)["causes"]
            alarms += [c for c in causes if c["key"] not in truth.HARMLESS][:1]
            if seed == 2 and len(alarms) < 2 and not LONG:
                break
    assert len(alarms) < len(SEEDS), alarms
