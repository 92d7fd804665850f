"""Odd answers: the report gives the true reason and omits nothing."""
import json
import random
import re

from harness import chat, plumbline, post, respond

PROMPTS = 12
WORDS = ["red", "blue", "sky", "tree", "stone"]


def speaker(odd=None, alternatives=5, status="200 OK", change=()):
    """An engine that answers with twelve words. odd(place, entry) makes invalid logprobs; change: other words."""
    def script(raw, seen):
        if seen.method != "POST":
            return respond(raw, {"object": "list", "data": [{"id": "m", "object": "model"}]})
        asked = json.loads(seen.body)
        if status != "200 OK":
            return respond(raw, {"error": {"message": "broken", "type": "server_error"}}, status=status)
        draw = random.Random(asked["messages"][-1]["content"])
        words, content = [draw.choice(WORDS) for _ in range(12)], []
        for place, word in change:
            words[place] = word
        for place, word in enumerate(words):
            token = (" " if place else "") + word
            top = [{"token": token, "logprob": -0.2, "bytes": list(token.encode())}]
            top += [{"token": f" alt{k}", "logprob": -2.5 - k, "bytes": None} for k in range(alternatives - 1)]
            entry = {"token": token, "logprob": -0.2, "bytes": list(token.encode()), "top_logprobs": top}
            if odd:
                odd(place, entry)
            content.append(entry)
        text = "".join(entry["token"] for entry in content)
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21},
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, "logprobs": {"content": content}}]}
        return respond(raw, json.dumps(body).encode())
    return script


def analyzed(start, primary, reference, *flags, sampled=False):
    """Return exit code, document, text and errors of an analysis of traffic to both."""
    a, b = start.scripted(primary), start.scripted(reference)
    proxy = start.proxy(a.url, reference=b.url)
    for i in range(PROMPTS):
        assert post(proxy.port, "/v1/chat/completions", chat(f"What is {i}?", temperature=int(sampled), logprobs=True, top_logprobs=5))[0] == 200
    proxy.settled(PROMPTS, "reference")
    done = plumbline("analyze", proxy.capture, "--full", *flags)
    text = " ".join(done.stdout.decode().split())
    return done.returncode, json.loads(plumbline("analyze", proxy.capture, "--json").stdout), text, done.stderr.decode()


def limits(document):
    return {limit["key"]: limit["text"] for limit in document["limits"]}


def test_a_logprob_above_zero_excludes_its_answers(start):
    def odd(place, entry):
        if place == 5:
            entry["logprob"] = entry["top_logprobs"][0]["logprob"] = 3.0
    _, document, text, _ = analyzed(start, speaker(odd, change=[(6, "odd")]), speaker())
    said = limits(document)
    assert "12 of 12 answers of primary have logprobs above 0, as no" in said["test_positive_logprobs"] and "positions: 144" in said["test_positive_logprobs"]
    assert "test_unusable_logprobs" not in said and "top_unlisted" not in said
    assert "have logprobs above 0" in text and "an invalid logprob" in text
    side = document["groups"][0]["examples"]["widest"]["test"]
    assert side["logprob"] is None and side["logprob_of_other"] is None and side["has_other"] is False
    assert document["groups"][0]["evidence"]["test_invalid_logprobs"] == {"positive": 12, "positive_positions": 144, "unusable": 0, "unusable_positions": 0}


def test_nan_logprobs_are_reported_and_not_called_short_lists(start):
    def odd(place, entry):
        if place == 2:
            entry["logprob"] = entry["top_logprobs"][0]["logprob"] = float("nan")
        elif place == 3:
            entry["logprob"] = float("-inf")
        elif place == 4:
            entry["top_logprobs"][1]["logprob"] = None
    code, document, _, _ = analyzed(start, speaker(odd), speaker(), "--least-effect", "30%")
    assert code == 0, "SAME"
    said = limits(document)
    assert "12 of 12 answers" in said["test_unusable_logprobs"] and "positions: 36" in said["test_unusable_logprobs"]
    assert not {"top_unlisted", "top5_short", "test_positive_logprobs", "base_unusable_logprobs"} & set(said), said
    greedy = document["groups"][0]["by_decoding"]["greedy"]
    assert greedy["top1_unlisted"] == 0 and greedy["top1_agreement"]["rate"] == 1 and greedy["top1_agreement"]["n"] == 132
    assert greedy["figures"]["same_top"]["value"] == 1 and greedy["figures"]["same_top"]["n"] == 132


def test_lists_of_three_have_no_jaccard_of_five(start):
    _, document, text, _ = analyzed(start, speaker(alternatives=3), speaker())
    assert "lists of primary have fewer than five tokens at 144 of 144 positions" in limits(document)["top5_short"]
    assert "the top-5 Jaccard lacks these" in text and "(--top-logprobs)" in text, "the proxy's option"


def test_all_undecided_answers_are_reported(start, tmp_path):
    """Words in random order have no meaning that the rules could compare."""
    forms = [tmp_path / f"report.{form}" for form in ("md", "txt", "html")]
    _, document, text, _ = analyzed(start, speaker(change=[(6, "odd"), (9, "strange")]), speaker(), *(f"--out={f}" for f in forms))
    greedy = document["groups"][0]["by_decoding"]["greedy"]
    assert greedy["meaning"]["classes"]["undecided"] == 12 and greedy["figures"]["answer_changed"]["n"] == 12, "what the test is about"
    for figure in (greedy["figures"]["answer_changed"], greedy["seeds"]["infer_check"]["flip_rate"], greedy["seeds"]["paper"]["output_disagreement_rate"]):
        assert figure["at_least"]["value"] == figure["value"] == 0 and figure["at_most"]["value"] == 1 and figure["ci95"] == [0, 1]
    for category in document["groups"][0]["slices"]["category"]["values"]:
        assert category["answer_changed"]["n"] == category["pairs"] and category["answer_changed"]["at_most"]["value"] == 1 and category["differ"]["n"] == category["pairs"] and category["hazard"]["n"] > 0
    assert "Meaning: 0 of 12 answers changed, 12 undecided." in text
    assert "| meaning: 0 changed, 12 undecided | 0.0 to 100.0 % | 0.0 to 100.0 | 12 |" in forms[0].read_text()
    for shown in (text, *(" ".join(re.sub(r"<[^>]+>", " ", form.read_text()).split()) for form in forms[1:])):
        assert "meaning: 0 changed, 12 undecided 0.0 to 100.0 % 0.0 to 100.0 12" in shown


def test_all_failed_answers_are_the_reason_for_no_verdict(start):
    code, document, text, errors = analyzed(start, speaker(), speaker(status="500 Internal Server Error"))
    reason = "all 12 pairs were left out (12 with an error from reference"
    said = document["verdict"]["sentence"]
    assert code == 4 and reason in said and reason in text and "greedily" not in said


def test_sampled_traffic_is_reported(start):
    code, document, text, errors = analyzed(start, speaker(), speaker(change=[(3, "odd")]), sampled=True)
    assert code == 4 and "To get a verdict, score the tokens of one side with the other: plumbline score" in text
    assert "were sampled: in 12 pairs over 12 prompts" in document["verdict"]["sentence"]
