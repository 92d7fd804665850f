"""Spans as instrumentations write them: chats and their answers, wherever the conventions of the time put them."""
import json

import pytest

from harness import exported, plumbline

ASKED = [{"role": "system", "content": "Short."}, {"role": "user", "content": "Why is \"salt\" salty?"}]
SAID = "It is."
NOW = 1767323045 * 10**9


def value(v):
    """As OTLP's JSON has it."""
    if isinstance(v, bool):
        return {"boolValue": v}
    if isinstance(v, int):
        return {"intValue": str(v)}
    if isinstance(v, float):
        return {"doubleValue": v}
    if isinstance(v, list):
        return {"arrayValue": {"values": [value(e) for e in v]}}
    if isinstance(v, dict):
        return {"kvlistValue": {"values": attributes(v)}}
    return {"stringValue": v}


def attributes(by_name):
    return [{"key": k, "value": value(v)} for k, v in by_name.items()]


def parted(message, **more):
    return {"role": message["role"], "parts": [{"type": "text", "content": message["content"]}], **more}


ANSWER = {"role": "assistant", "content": SAID}
OUTPUT = [parted(ANSWER, finish_reason="stop")]
PARAMETERS = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.request.temperature": 0.5, "gen_ai.request.max_tokens": 9,
              "gen_ai.request.stop_sequences": ["\n", "END"], "gen_ai.response.model": "m-2", "gen_ai.response.finish_reasons": ["stop"]}
TOKENS = {"gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3}
OLD_TOKENS = {"gen_ai.usage.prompt_tokens": 12, "gen_ai.usage.completion_tokens": 3}
NUMBERED = {f"gen_ai.prompt.{i}.{k}": m[k] for i, m in enumerate(ASKED) for k in ("role", "content")} | {
    "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": SAID, "gen_ai.completion.0.finish_reason": "stop"}


def event(name, **by_name):
    return {"name": name, "timeUnixNano": str(NOW), "attributes": attributes(by_name)}


# Where the messages are: attributes of a span, and its events.
PLACES = {
    "messages as JSON": ({"gen_ai.input.messages": json.dumps([parted(m) for m in ASKED]), "gen_ai.output.messages": json.dumps(OUTPUT), **TOKENS}, []),
    "messages as values": ({"gen_ai.input.messages": [parted(m) for m in ASKED], "gen_ai.output.messages": OUTPUT, **TOKENS}, []),
    "instructions apart": ({"gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Short."}]),
                            "gen_ai.input.messages": json.dumps([parted(ASKED[1])]), "gen_ai.output.messages": json.dumps(OUTPUT), **TOKENS}, []),
    "details in an event": (TOKENS, [event("gen_ai.client.inference.operation.details", **{
        "gen_ai.input.messages": [parted(m) for m in ASKED], "gen_ai.output.messages": OUTPUT})]),
    "prompt and completion": ({"gen_ai.prompt": json.dumps(ASKED), "gen_ai.completion": json.dumps([ANSWER]), **OLD_TOKENS}, []),
    "content events": (OLD_TOKENS, [event("gen_ai.content.prompt", **{"gen_ai.prompt": json.dumps(ASKED)}),
                                    event("gen_ai.content.completion", **{"gen_ai.completion": json.dumps([ANSWER])})]),
    "message events": (TOKENS, [event(f"gen_ai.{m['role']}.message", **{"gen_ai.event.content": json.dumps(m)}) for m in ASKED] + [
        event("gen_ai.choice", **{"gen_ai.event.content": json.dumps({"index": 0, "finish_reason": "stop", "message": ANSWER})})]),
    "message events with attributes": (TOKENS, [event(f"gen_ai.{m['role']}.message", content=m["content"]) for m in ASKED] + [
        event("gen_ai.choice", index=0, finish_reason="stop", message=json.dumps(ANSWER))]),
    "numbered attributes": ({**NUMBERED, **OLD_TOKENS}, []),
}


def span(by_name, events=(), number=1):
    return {"traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": "chat m", "startTimeUnixNano": str(NOW), "endTimeUnixNano": str(NOW + 25 * 10**8),
            "attributes": attributes({**PARAMETERS, **by_name}), "events": list(events)}


def document(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def imported(directory, text, check=0):
    file, capture = directory / "spans.json", directory / "capture"
    file.write_text(text)
    done = plumbline("import", f"b={file}", "--to", capture, "--json", check=check)
    told = json.loads(done.stdout)
    return told, exported(capture) if told["answers"] else [], done.stderr.decode()


@pytest.mark.parametrize("place", PLACES)
def test_a_chat_and_its_answer_are_found_wherever_they_are(tmp_path, place):
    done, rows, _ = imported(tmp_path, document(span(*PLACES[place])))
    assert done["answers"] == len(rows) == 1 and not done["unfit"] and not done["notes"]
    leg, body = rows[0]["legs"][0], json.loads(rows[0]["request"]["body"])
    assert body == {"model": "m", "temperature": 0.5, "max_tokens": 9, "stop": ["\n", "END"], "messages": ASKED}
    assert leg["reading"]["choices"][0]["text"] == SAID and leg["finish"] == "stop" and leg["model"] == "m-2" and leg["end_us"] == 25 * 10**5
    assert (leg["usage"]["prompt_tokens"], leg["usage"]["completion_tokens"]) == (12, 3) and leg["start_ns"] == NOW


def test_reasoning_of_an_answer_is_its_reasoning(tmp_path):
    output = [{"role": "assistant", "parts": [{"type": "reasoning", "content": "Well."}, {"type": "text", "content": SAID}], "finish_reason": "stop"}]
    _, rows, _ = imported(tmp_path, document(span({"gen_ai.prompt": "Why?", "gen_ai.output.messages": json.dumps(output)})))
    choice = rows[0]["legs"][0]["reading"]["choices"][0]
    assert (choice["text"], choice["reasoning"]) == (SAID, "Well.")
    written = json.loads(plumbline("capture", "export", "--as", "otel", tmp_path / "capture", check=0).stdout)
    by_name = {a["key"]: a["value"] for a in written["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]}
    assert json.loads(by_name["gen_ai.output.messages"]["stringValue"]) == output


def test_what_holds_no_answer_is_counted_and_what_failed_is_broken(tmp_path):
    asked = {"gen_ai.prompt": "Why?"}
    call = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {}}]}]
    spans = [span(asked, number=1), span({**asked, "gen_ai.output.messages": json.dumps(call)}, number=2), span({}, number=3),
             span({**asked, "gen_ai.operation.name": "invoke_agent", "gen_ai.completion": SAID}, number=4), 7,
             span({**asked, "gen_ai.completion": SAID, "error.type": "timeout"}, number=5),
             span({**asked, "gen_ai.output.messages": json.dumps(OUTPUT + OUTPUT)}, number=6)]
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, indent=1)
    line = [each.strip() for each in text.splitlines()].index("7,") + 1
    done, rows, said = imported(tmp_path, text, check=1)
    assert said == f"{tmp_path / 'spans.json'}:{line}: a span is no JSON object\n"
    assert sorted(u["why"] for u in done["unfit"]) == ["a span of an agent or a tool, and no model's", "a span without messages",
                                                       "its answer has parts that are no texts", "nobody answered, or its answer was not recorded"]
    assert done["notes"] == [{"n": 1, "why": "it has several answers: the first alone"}]
    assert sorted(leg["outcome"] for e in rows for leg in e["legs"]) == ["broken", "complete"]


def numbered(*turns, **more):
    """A prompt in attributes of its own; and its answer."""
    return {f"gen_ai.prompt.{i}.{k}": v for i, turn in enumerate(turns) for k, v in turn.items()} | {"gen_ai.completion.0.content": SAID, **more}


def of_one(directory, by_name, events=()):
    """What becomes of one span: messages and text of what is imported; or why there is none."""
    done, rows, _ = imported(directory, document(span(by_name, events)), check=None)
    if not rows:
        return done["unfit"][0]["why"]
    body = json.loads(rows[0]["request"]["body"])
    return body.get("messages", body.get("prompt")), rows[0]["legs"][0]["reading"]["choices"][0]["text"]


@pytest.mark.parametrize("form", ["numbered", "events"])
def test_long_chats_are_imported_with_all_of_their_messages_or_not_at_all(tmp_path, form):
    for n, directory in ((300, tmp_path / "some"), (4097, tmp_path / "more")):
        directory.mkdir()
        turns = [{"role": "user", "content": f"q{i}"} for i in range(n)]
        by_name = numbered(*turns) if form == "numbered" else {"gen_ai.completion": SAID}
        events = [event("gen_ai.user.message", content=t["content"]) for t in turns] if form == "events" else []
        assert of_one(directory, by_name, events) == ((turns, SAID) if n == 300 else "it has more than 4096 messages")


USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
NO_TEXT, NO_TEXTS = "its answer has parts that are no texts", "its messages have parts that are no texts"
PICTURE = json.dumps([{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "http://h/x.png"}}])
CALLING = {**USER, "role": "assistant", "content": ""}
# Chats that would be another one without what they call or show.
PARTIAL = {
    "an answer of a chat": ({"gen_ai.prompt": "Why?", "gen_ai.output.messages": json.dumps([{**CALLING, "tool_calls": [CALL]}])}, [], NO_TEXT),
    "a numbered answer": (numbered(USER, **{"gen_ai.completion.0.content": "", "gen_ai.completion.0.tool_calls.0.name": "f"}), [], NO_TEXT),
    "an event": ({"gen_ai.prompt": "Why?"}, [event("gen_ai.choice", message=json.dumps({**CALLING, "tool_calls": [CALL]}))], NO_TEXT),
    "an event that is whole": ({"gen_ai.prompt": "Why?"}, [event("gen_ai.choice", **{"gen_ai.event.content": json.dumps(
        {"message": CALLING, "tool_calls": [CALL]})})], NO_TEXT),
    "an answer whose end says so": ({"gen_ai.prompt": "Why?", "gen_ai.completion": "", "gen_ai.response.finish_reasons": ["tool_calls"]}, [], NO_TEXT),
    "parts whose end says so": ({"gen_ai.prompt": "Why?", "gen_ai.output.messages": [{"role": "assistant", "parts": [], "finish_reason": "tool_call"}]}, [], NO_TEXT),
    "numbered messages": (numbered(USER, {"role": "assistant", "content": "let me see", "tool_calls.0.id": "1"}, {"role": "tool", "content": "42"}), [], NO_TEXTS),
    "what a tool said alone": (numbered(USER, {"role": "tool", "content": "42"}), [], NO_TEXTS),
    "what a tool said in parts": ({"gen_ai.input.messages": json.dumps([parted({"role": "tool", "content": "42"})]), "gen_ai.completion": SAID}, [], NO_TEXTS),
    "a picture": (numbered({"role": "user", "content": PICTURE}), [], NO_TEXTS),
    "a picture in an event": ({"gen_ai.completion": SAID}, [event("gen_ai.user.message", content=PICTURE)], NO_TEXTS),
}


@pytest.mark.parametrize("name", PARTIAL)
def test_what_calls_tools_or_shows_pictures_is_counted(tmp_path, name):
    by_name, events, why = PARTIAL[name]
    assert of_one(tmp_path, by_name, events) == why


def test_no_calls_and_parts_that_are_texts_are_texts(tmp_path):
    parts = json.dumps([{"type": "text", "text": "Wh"}, {"type": "text", "text": "y?"}])
    by_name = numbered({"role": "user", "content": parts}, **{"gen_ai.completion.0.tool_calls": "[]"})
    assert of_one(tmp_path, by_name) == ([USER], SAID)


@pytest.mark.parametrize("text", ['{"answer": 4}', "[1, 2]", '[{"n": 1}]', "7", "null", '"x"'])
def test_a_text_that_happens_to_be_json_is_a_text(tmp_path, text):
    user = [{"role": "user", "content": text}]
    for i, by_name in enumerate(({"gen_ai.prompt": text, "gen_ai.completion": text}, numbered(*user, **{"gen_ai.completion.0.content": text}))):
        (tmp_path / str(i)).mkdir()
        assert of_one(tmp_path / str(i), by_name) == (user, text)


NO_LIST = "its messages are no list of messages"
ODD = {
    "nothing": ([], "a span without messages"),
    "an object": ([{"foo": 1}], NO_LIST),
    "numbers": ([1, 2], NO_LIST),
    "a role that is none": ([{"role": {"x": 1}, "content": "Why?"}], NO_LIST),
    "a role that is none, in parts": ([{"role": {"x": 1}, "parts": [{"type": "text", "content": "Why?"}]}], NO_LIST),
    "a content that is none": ([{"role": "user", "content": 7}], NO_LIST),
}


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", ODD)
def test_what_is_no_list_of_messages_is_counted_as_that(tmp_path, name, as_text):
    asked, why = ODD[name]
    assert of_one(tmp_path, {"gen_ai.input.messages": json.dumps(asked) if as_text else asked, "gen_ai.completion": SAID}) == why


def test_parameters_are_numbers_and_texts_or_left_out(tmp_path):
    by_name = {"gen_ai.prompt": "Why?", "gen_ai.completion": SAID, "gen_ai.request.temperature": "hot", "gen_ai.request.seed": [], "gen_ai.request.top_p": "0.5",
               "gen_ai.request.max_tokens": {"x": 1}, "gen_ai.request.stop_sequences": "END"}
    done, rows, _ = imported(tmp_path, document(span(by_name)))
    assert json.loads(rows[0]["request"]["body"]) == {"model": "m", "top_p": 0.5, "stop": "END", "messages": [USER]}
    assert done["notes"] == [{"n": 1, "why": "a parameter has a value that it can't have: it is left out"}]


def test_a_completion_stays_one(start, tmp_path):
    kind = {"gen_ai.operation.name": "text_completion", "gen_ai.completion": SAID}
    assert of_one(tmp_path, {**kind, "gen_ai.prompt": "Once"}) == ("Once", SAID)
    row, = exported(tmp_path / "capture")
    assert row["request"]["target"] == "/v1/completions" and json.loads(row["legs"][0]["body"])["object"] == "text_completion"
    engine = start.engine()
    done = plumbline("replay", tmp_path / "spans.json", "--to", engine.url, "--capture", tmp_path / "new", "--model", "simulated", "--json", check=0)
    assert json.loads(done.stdout.splitlines()[-1])["completed"] == 1
    assert [e["request"]["target"] for e in exported(tmp_path / "new")] == ["/v1/completions"]
    (tmp_path / "several").mkdir()
    assert of_one(tmp_path / "several", {**kind, "gen_ai.input.messages": json.dumps(ASKED)}) == "a completion of more than one text"
