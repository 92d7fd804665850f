"""Token figures ignore how engines count tokens and how they show tokens without text."""
import json

import pytest

from harness import chat, plumbline, post, respond

WORDS = ["Red", " and", " blue", " make", " violet", "."]
FOX = " \U0001f98a"


def entry(text):
    return {"token": text, "bytes": list(text.encode()), "logprob": -0.5,
            "top_logprobs": [{"token": text, "bytes": list(text.encode()), "logprob": -0.5},
                             {"token": "x", "bytes": [120], "logprob": -2.5}]}


def answer(text, tokens, counted, finish="stop"):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    if tokens is not None:
        choice["logprobs"] = {"content": [entry(t) for t in tokens]}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
            "usage": {"prompt_tokens": 9, "completion_tokens": counted, "total_tokens": 9 + counted}}


def engine_of(start, answers):
    """An engine with prepared answers; the request's text is the number of the answer."""
    def script(raw, seen):
        number = json.loads(seen.body)["messages"][-1]["content"] if seen.method == "POST" else None
        return respond(raw, answers[int(number)]) if number else respond(raw, {}, "404 Not Found")
    return start.scripted(script)


def analyzed(start, base, test):
    """Return the group of two engines with these answers; the primary is the test."""
    proxy = start.proxy(engine_of(start, test).url, reference=engine_of(start, base).url)
    for i in range(len(test)):
        assert post(proxy.port, "/v1/chat/completions", chat(str(i), temperature=0))[0] == 200
    proxy.settled(len(test), "reference")
    assert proxy.stop() == 0
    said = plumbline("analyze", proxy.capture, "--json", "--base", "reference", "--test", "primary")
    group, = json.loads(said.stdout)["groups"]
    return group, group["by_decoding"]["greedy"], plumbline("analyze", proxy.capture, "--full").stdout.decode()


def told(text, logprobs, ends, finish="stop"):
    """Make an answer of words. ends: the engine counts and lists the end token, as vLLM does."""
    tokens = [w for w in WORDS if w in text]
    end = ends and finish == "stop"
    return answer(text, tokens + ["<eos>"] * end if logprobs else None, len(tokens) + end, finish)


@pytest.mark.parametrize("logprobs", [True, False])
@pytest.mark.parametrize("side", ["base", "test"])
def test_a_counted_end_token_is_no_length_difference(start, logprobs, side):
    texts = ["".join(WORDS[:n]) for n in (3, 4, 5, 6)]
    base = [told(t, logprobs, side == "base") for t in texts + ["Red and", "Red"]]
    test = [told(t, logprobs, side == "test") for t in texts + ["Red and blue make", "Red"]]
    base[5], test[5] = (told("Red", logprobs, True, "length") for _ in range(2))
    group, greedy, text = analyzed(start, base, test)
    assert greedy["figures"]["length_bias"]["value"] == pytest.approx(2 / 6), "two tokens of one answer"
    assert greedy["figures"]["length_magnitude"]["value"] == pytest.approx(2 / 6)
    assert greedy["length_tokens"]["bias"] == pytest.approx(2 / 6)
    assert sum(p[1] != p[0] for p in ((p["base"], p["test"]) for p in greedy["charts"]["lengths"]["points"])) == 1
    hint, = [h["text"] for h in group["limits"] if h["key"] == "end_token"]
    assert hint.startswith("reference counts" if side == "base" else "primary counts") and hint in " ".join(text.split())


def test_the_end_token_is_found_for_every_finish_reason(start):
    texts = ["".join(WORDS[:n]) for n in (3, 4, 5)]
    base = [answer(t, None, t.count(" ") + 1) for t in texts + ["Red", "Blue"]]
    test = [answer(t, None, t.count(" ") + 2, "eosFound") for t in texts]
    test += [answer("Red", None, 1, "stop_sequence"), answer("Blue", None, 1, "word")]
    group, greedy, _ = analyzed(start, base, test)
    assert greedy["figures"]["length_bias"]["value"] == 0
    assert [h["key"] for h in group["limits"] if h["key"] == "end_token"] == ["end_token"]


def test_occasional_count_differences_remain(start):
    base = [answer(t, None, n) for t, n in (("a", 5), ("b", 5), ("c", 5), ("d", 5))]
    test = [answer(t, None, n) for t, n in (("a", 6), ("b", 6), ("c", 6), ("d", 5))]
    group, greedy, _ = analyzed(start, base, test)
    assert greedy["figures"]["length_bias"]["value"] == pytest.approx(3 / 4)
    assert not [h for h in group["limits"] if h["key"] == "end_token"]


def test_a_split_character_is_no_difference(start):
    last, first, raw = ["a", "", "", FOX, "b"], ["a", FOX, "", "", "b"], ["a", " ", "", "", "b"]
    for one, other, text in ((last, first, f"a{FOX}b"), (last, raw, "a b")):
        group, greedy, _ = analyzed(start, [answer(f"a{FOX}b", one, 5)] * 3, [answer(text, other, 5)] * 3)
        assert greedy["pairs_with_tokens"] == 3
        assert greedy["first_differing_token"]["n"] == 0
        assert greedy["comparable_positions"] == (6 if other is first else 3)
        assert not (group["examples"]["widest"] or {}).get("tokens")
