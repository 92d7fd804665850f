"""The whole path: traffic, capture, verdict."""
import json

from harness import chat, completion, exported, plumbline, post

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
    code, said = analyzed(capture)
    assert code == 0, said
    done = plumbline("analyze", capture, check=0)
    assert b"30" in done.stdout


def test_a_repetition_penalty_nobody_asked_for_is_found(start):
    capture = shadow(start, ["--repeat-penalty", "1.3"])
    code, said = analyzed(capture)
    assert code == 1
    text = plumbline("analyze", capture, check=1).stdout.decode()
    assert "differ" in text


def test_sampled_traffic_is_not_in_the_headline(start):
    capture = shadow(start, temperature=1.0)
    code, said = analyzed(capture)
    text = json.dumps(said)
    assert "sampled" in text


def test_sides_can_be_named(start):
    capture = shadow(start, ["--repeat-penalty", "1.3"])
    code, said = analyzed(capture, "--base", "primary", "--test", "reference")
    assert code == 1
    assert plumbline("analyze", capture, "--base", "primary", "--test", "nobody").returncode in (2, 4)
