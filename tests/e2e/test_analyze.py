"""From traffic through the capture to the verdict."""
import json
import os
import pathlib
import subprocess

from harness import BINARY, chat, completion, exported, plumbline, post

PROMPTS = ["Tell me about the sea.", "Why is the sky blue?", "Write a note to a friend.", "How do plants grow?", "Describe a small town.",
           "What makes bread rise?", "Tell a story about a fox.", "How does a clock work?", "Describe the winter.", "What is a good breakfast?"]


def shadow(start, primary_flags=(), reference_flags=(), **more):
    engine = start.engine("--seed", "7", *primary_flags)
    reference = start.engine("--seed", "7", *reference_flags)
    proxy = start.proxy(engine.url, reference=reference.url)
    for i, text in enumerate(PROMPTS * 3):
        body = (chat if i % 2 else completion)(f"{text} {i}", max_tokens=32, stream=bool(i % 3), **more)
        assert post(proxy.port, "/v1/chat/completions" if i % 2 else "/v1/completions", body)[0] == 200
    proxy.settled(30, "reference")
    return proxy.capture


def analyzed(capture, *flags):
    done = plumbline("analyze", capture, "--json", *flags)
    return done.returncode, json.loads(done.stdout)


def test_equal_engines_pass(start):
    capture = shadow(start)
    code, said = analyzed(capture, "--least-effect", "15%")
    assert code == 0 and said["verdict"]["word"] == "SAME", said
    done = plumbline("analyze", capture, "--least-effect", "15%", check=0)
    assert done.stdout.startswith(b"SAME: ") and b"30" in done.stdout


def test_few_equal_answers_leave_the_verdict_open(start):
    code, said = analyzed(shadow(start))
    assert code == 4 and said["verdict"]["word"] == "UNCLEAR"
    assert said["verdict"]["n_needed"] > 30


def test_a_default_repetition_penalty_is_found(start):
    capture = shadow(start, ["--repeat-penalty", "1.3"])
    code, said = analyzed(capture)
    assert code == 1
    text = plumbline("analyze", capture, "--full", check=1).stdout.decode()
    assert "differ" in text


def test_sampled_traffic_is_not_in_the_headline(start):
    capture = shadow(start, temperature=1.0)
    code, said = analyzed(capture)
    text = json.dumps(said)
    assert "sampled" in text


def test_base_and_test_can_be_chosen(start):
    capture = shadow(start, ["--repeat-penalty", "1.3"])
    code, said = analyzed(capture, "--base", "primary", "--test", "reference")
    assert code == 1
    assert plumbline("analyze", capture, "--base", "primary", "--test", "nobody").returncode in (2, 4)


def test_without_a_floor_no_side_is_blamed_and_the_next_step_measures_one(start, tmp_path):
    """Both engines have some noise, so a few answers differ. The test runs the proposed command."""
    capture = shadow(start, ["--noise", "0.3", "--fresh-noise"], ["--noise", "0.3", "--fresh-noise"])
    code, said = analyzed(capture)
    assert code == 4 and said["figures"][0]["floor_is"] in ("expected", "unknown"), said["figures"]
    assert {limit["key"] for limit in said["limits"]} & {"expected_floor", "no_floor"}
    step, = [step for step in said["next"] if "noise floor" in step["text"]]
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (bin_dir / "plumbline").symlink_to(pathlib.Path(BINARY).resolve())
    done = subprocess.run(["bash", "-c", step["command"]], env={**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"}, capture_output=True, timeout=120)
    assert done.returncode in (0, 1, 4), done.stderr
    _, again = analyzed(capture, "--base", "reference-again", "--test", "primary-again")
    assert [figure["floor_is"] for figure in again["figures"]] == ["measured"] * 3
    assert not {limit["key"] for limit in again["limits"]} & {"expected_floor", "no_floor", "one_floor"}


def test_the_least_effect_is_a_share_or_a_rate(start):
    capture = shadow(start)
    _, said = analyzed(capture, "--least-effect", "hazard=0.5", "--least-effect", "answer_changed=1%", "--least-effect", "0.3")
    assert {figure["name"]: round(figure["least_effect"], 9) for figure in said["figures"]} == {"differ": 0.3, "answer_changed": 0.01, "hazard": 0.5}
    for wrong in ("0", "-1%", "x", "1x", "101%", "hazard=1%", "nothing=1%", "=1%", ""):
        assert plumbline("analyze", capture, "--least-effect", wrong, check=2).stderr.startswith(b"plumbline analyze: --least-effect"), wrong


def test_evidence_in_one_sides_answers_is_attributed_to_it(start):
    """In the bundled capture both engines apply a penalty, which their own lists show. It has no noise floor."""
    demo = pathlib.Path(__file__).parents[2] / "configs/demo/capture"
    code, said = analyzed(demo)
    assert code == 1 and (said["cause"]["key"], said["cause"]["side"], said["cause"]["side_from"]) == ("repetition_penalty", "both", "own_answers")
    screen = " ".join(plumbline("analyze", demo, check=1).stdout.decode().split())
    assert "(seen in the answers of llama-cpp-python and in those of ollama)" in screen and "attributed to a side" not in screen
    # Each side has its own figures.
    assert said["cause"]["text"].count("did not pick the most probable token of its own list") == 2
