"""plumbline never calls answers identical if it does not read all of their content. It excludes them and names the
member."""
import json

import pytest

from harness import chat, exported, plumbline, post, respond


def message(**members):
    return {"index": 0, "message": {"role": "assistant", "content": None, **members}, "finish_reason": "stop"}


def document(choice):
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def called(text):
    return message(tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "run", "input": text}}])


def analysed(start, base, test, target="/v1/chat/completions"):
    """Return the group of two engines with these answers, and the report."""
    primary = start.scripted(lambda raw, seen: respond(raw, test))
    reference = start.scripted(lambda raw, seen: respond(raw, base))
    proxy = start.proxy(primary.url, reference=reference.url)
    assert post(proxy.port, target, chat(temperature=0))[0] == 200
    proxy.settled(1)
    proxy.settled(1, "reference")
    assert proxy.stop() == 0
    document = json.loads(plumbline("analyze", proxy.capture, "--json").stdout)
    return document["groups"][0], plumbline("analyze", proxy.capture, "--full").stdout.decode(), proxy.capture


def test_custom_tool_calls_are_compared(start):
    group, _, _ = analysed(start, document(called("print(1)")), document(called("print(2)")))
    split = group["by_decoding"]["greedy"]
    assert split["differ"]["count"] == 1 and split["tool_calls_differ"]["count"] == 1
    assert split["meaning"]["classes"]["identical"] == 0 and group["left_out"]["unread"] == 0


UNREAD = {
    "message.audio": [message(audio={"id": "a", "transcript": text}) for text in ("Yes.", "No.")],
    "content.image_url": [message(content=[{"type": "image_url", "image_url": {"url": f"data:{n}"}}]) for n in "12"],
    "message.images": [message(content="Here.", images=[{"image_url": {"url": f"data:{n}"}}]) for n in "12"],
    "choice.audio": [{"index": 0, "text": "Here.", "finish_reason": "stop", "audio": n} for n in "12"],
    "choice.score": [{"index": 0, "text": "Here.", "finish_reason": "stop", "score": n} for n in (1, 2)],
}


@pytest.mark.parametrize("name", UNREAD)
def test_unread_content_excludes_the_pair_by_name(start, name):
    base, test = map(document, UNREAD[name])
    group, text, capture = analysed(start, base, test)
    left = group["left_out"]
    assert (left["pairs"], left["unread"], left["unread_members"]) == (1, 1, {name: 1})
    assert all(split["pairs"] == 0 for split in group["by_decoding"].values())
    assert "1 with content that plumbline does not read" in text and f"1 of these have: {name}" in text
    rows = exported(capture)
    for leg in rows[0]["legs"]:
        assert "unknown_members" in leg["reading"]["marks"] and leg["reading"]["unknown_members"] == [name]
    assert f"not read     {name}" in plumbline("capture", "show", rows[0]["id"], capture).stdout.decode()


@pytest.mark.parametrize("name, values", [
    ("citations", [["a"], ["b"]]), ("grounding", [{"source": "a"}, {"source": "b"}]), ("note", ["a", "b"]), ("answer", [1, 2]),
    ("is_final", [True, False])])
def test_unread_members_next_to_choices_exclude_the_pair(start, name, values):
    base, test = ({**document(message(content="Yes.")), name: value} for value in values)
    group, _, _ = analysed(start, base, test)
    assert group["left_out"]["unread_members"] == {name: 1}


def test_members_that_gateways_add_are_no_content(start):
    base, test = ({**document(message(content="Yes.")), "x_groq": {"id": n}, "provider": n, "usage": {"total_tokens": int(n)},
                   "prompt_filter_results": [{"id": n}], "queue_time": int(n), "x_gateway": {"request_id": n, "took_ms": int(n)}}
                  for n in "12")
    group, _, _ = analysed(start, base, test)
    assert group["left_out"]["unread"] == 0
    assert group["by_decoding"]["greedy"]["meaning"]["classes"]["identical"] == 1


def test_unread_content_of_one_side_excludes_the_pair(start):
    group, _, _ = analysed(start, document(message(content="Yes.")), document(message(content="Yes.", tool_plan="First I look.")))
    assert group["left_out"]["unread_members"] == {"message.tool_plan": 1}
