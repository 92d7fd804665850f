"""Import of OpenTelemetry spans: chats and answers are found in every convention of their attributes."""
import json

import pytest

from harness import exported, plumbline

ASKED = [{"role": "system", "content": "Short."}, {"role": "user", "content": "Why is \"salt\" salty?"}]
SAID = "It is."
NOW = 1767323045 * 10**9


def value(v):
    """Return the value in OTLP's JSON form."""
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


# Where conventions put messages: attributes of a span, and its events.
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
def test_a_chat_and_its_answer_are_found_in_every_convention(tmp_path, place):
    done, rows, _ = imported(tmp_path, document(span(*PLACES[place])))
    assert done["answers"] == len(rows) == 1 and not done["unfit"] and not done["notes"]
    leg, body = rows[0]["legs"][0], json.loads(rows[0]["request"]["body"])
    assert body == {"model": "m", "temperature": 0.5, "max_tokens": 9, "stop": ["\n", "END"], "messages": ASKED}
    assert leg["reading"]["choices"][0]["text"] == SAID and leg["finish"] == "stop" and leg["model"] == "m-2" and leg["end_us"] == 25 * 10**5
    assert (leg["usage"]["prompt_tokens"], leg["usage"]["completion_tokens"]) == (12, 3) and leg["start_ns"] == NOW


def test_reasoning_is_imported_as_reasoning(tmp_path):
    output = [{"role": "assistant", "parts": [{"type": "reasoning", "content": "Well."}, {"type": "text", "content": SAID}], "finish_reason": "stop"}]
    _, rows, _ = imported(tmp_path, document(span({"gen_ai.prompt": "Why?", "gen_ai.output.messages": json.dumps(output)})))
    choice = rows[0]["legs"][0]["reading"]["choices"][0]
    assert (choice["text"], choice["reasoning"]) == (SAID, "Well.")
    written = json.loads(plumbline("capture", "export", "--as", "otel", tmp_path / "capture", check=0).stdout)
    by_name = {a["key"]: a["value"] for a in written["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]}
    assert json.loads(by_name["gen_ai.output.messages"]["stringValue"]) == output


def test_spans_without_an_answer_are_counted_and_failed_ones_broken(tmp_path):
    asked = {"gen_ai.prompt": "Why?"}
    shown = [{"role": "assistant", "parts": [{"type": "blob", "modality": "image", "content": "aGk="}]}]
    spans = [span(asked, number=1), span({**asked, "gen_ai.output.messages": json.dumps(shown)}, number=2), span({}, number=3),
             span({**asked, "gen_ai.operation.name": "invoke_agent", "gen_ai.completion": SAID}, number=4), 7,
             span({**asked, "gen_ai.completion": SAID, "error.type": "timeout"}, number=5),
             span({**asked, "gen_ai.output.messages": json.dumps(OUTPUT + OUTPUT)}, number=6)]
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, indent=1)
    line = [each.strip() for each in text.splitlines()].index("7,") + 1
    done, rows, said = imported(tmp_path, text, check=1)
    assert said == f"{tmp_path / 'spans.json'}:{line}: a span is not a JSON object\n"
    at = [f"{tmp_path / 'spans.json'}:{n}: " for n, each in enumerate(text.splitlines(), 1) if each == "      {"]
    assert sorted(u["why"] for u in done["unfit"]) == sorted([
        "the span is of an agent or a tool, not of a model", "the span has no messages", at[1] + NO_TEXT,
        at[0] + "it has no answer, or its answer was not recorded"])
    assert done["notes"] == [{"n": 1, "why": "it has several answers; only the first is imported"}]
    assert sorted(leg["outcome"] for e in rows for leg in e["legs"]) == ["broken", "complete"]


def numbered(*turns, **more):
    """Return a span with the prompt in numbered attributes, and its answer."""
    return {f"gen_ai.prompt.{i}.{k}": v for i, turn in enumerate(turns) for k, v in turn.items()} | {"gen_ai.completion.0.content": SAID, **more}


def of_one(directory, by_name, events=()):
    """Import one span; return messages and text, or why it is not imported."""
    done, rows, _ = imported(directory, document(span(by_name, events)), check=None)
    if not rows:
        place, _, why = done["unfit"][0]["why"].partition(": ")
        return why if place == f"{directory / 'spans.json'}:1" else done["unfit"][0]["why"]
    body = json.loads(rows[0]["request"]["body"])
    return body.get("messages", body.get("prompt")), rows[0]["legs"][0]["reading"]["choices"][0]["text"]


@pytest.mark.parametrize("form", ["numbered", "events"])
def test_long_chats_are_imported_completely_or_not_at_all(tmp_path, form):
    for n, directory in ((300, tmp_path / "some"), (4097, tmp_path / "more")):
        directory.mkdir()
        turns = [{"role": "user", "content": f"q{i}"} for i in range(n)]
        by_name = numbered(*turns) if form == "numbered" else {"gen_ai.completion": SAID}
        events = [event("gen_ai.user.message", content=t["content"]) for t in turns] if form == "events" else []
        assert of_one(directory, by_name, events) == ((turns, SAID) if n == 300 else "it has more than 4096 messages")


def test_counts_among_the_parameters_are_whole_numbers(tmp_path):
    for i, (k, n, members) in enumerate(((40.0, 2, {"top_k": 40, "n": 2}), (-1.0, 1, {"top_k": -1, "n": 1}), (0.5, "x", {}))):
        (tmp_path / str(i)).mkdir()
        done, rows, _ = imported(tmp_path / str(i), document(span({**PLACES["prompt and completion"][0], "gen_ai.request.top_k": k, "gen_ai.request.choice.count": n})))
        body = json.loads(rows[0]["request"]["body"])
        assert {name: body[name] for name in ("top_k", "n") if name in body} == members and "40.0" not in rows[0]["request"]["body"]
        assert len(done["notes"]) == (not members)


USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
NO_TEXT, NO_TEXTS = (f"its {what} are not supported: images, or tool calls outside of a list of messages" for what in ("answer has parts that", "messages have parts that"))
NO_CALLS, NO_IDS = "it ends with tool calls that were not recorded", "it does not say which result belongs to which tool call"
PICTURE = json.dumps([{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "http://h/x.png"}}])
CALLING = {**USER, "role": "assistant", "content": ""}
# Chats whose meaning depends on tool calls or images.
PARTIAL = {
    "a numbered answer": (numbered(USER, **{"gen_ai.completion.0.content": "", "gen_ai.completion.0.tool_calls.0.name": "f"}), [], NO_TEXT),
    "an event": ({"gen_ai.prompt": "Why?"}, [event("gen_ai.choice", message=json.dumps({**CALLING, "tool_calls": [CALL]}))], NO_TEXT),
    "an event that is whole": ({"gen_ai.prompt": "Why?"}, [event("gen_ai.choice", **{"gen_ai.event.content": json.dumps(
        {"message": CALLING, "tool_calls": [CALL]})})], NO_TEXT),
    "an answer whose end says so": ({"gen_ai.prompt": "Why?", "gen_ai.completion": "", "gen_ai.response.finish_reasons": ["tool_calls"]}, [], NO_CALLS),
    "parts whose end says so": ({"gen_ai.prompt": "Why?", "gen_ai.output.messages": [{"role": "assistant", "parts": [], "finish_reason": "tool_call"}]}, [], NO_CALLS),
    "numbered messages": (numbered(USER, {"role": "assistant", "content": "let me see", "tool_calls.0.id": "1"}, {"role": "tool", "content": "42"}), [], NO_TEXTS),
    "what a tool said alone": (numbered(USER, {"role": "tool", "content": "42"}), [], NO_TEXTS),
    "what a tool said in parts": ({"gen_ai.input.messages": json.dumps([parted({"role": "tool", "content": "42"})]), "gen_ai.completion": SAID}, [], NO_IDS),
    "a call that no result can be told to be of": ({"gen_ai.input.messages": json.dumps([parted(USER), {"role": "assistant", "parts": [
        {"type": "tool_call", "name": "f"}]}]), "gen_ai.completion": SAID}, [], NO_IDS),
    "a call by a user": ({"gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "tool_call", "id": "1", "name": "f"}]}]), "gen_ai.completion": SAID}, [], NO_TEXTS),
    "a call of nothing": ({"gen_ai.prompt": "Why?", "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "tool_call", "id": "1"}]}])}, [], NO_TEXT),
    "a picture": (numbered({"role": "user", "content": PICTURE}), [], NO_TEXTS),
    "a picture in an event": ({"gen_ai.completion": SAID}, [event("gen_ai.user.message", content=PICTURE)], NO_TEXTS),
}


@pytest.mark.parametrize("name", PARTIAL)
def test_messages_with_tools_or_images_are_counted(tmp_path, name):
    by_name, events, why = PARTIAL[name]
    assert of_one(tmp_path, by_name, events) == why


TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Of a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
DEFINITIONS = [{"type": "function", **TOOLS[0]["function"]}]
CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}},
    {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": "no object"}}]}
WITH_TOOLS = [{"role": "user", "content": "Weather in Paris?"}, CALLED, {"role": "tool", "tool_call_id": "c1", "content": "rainy"},
              {"role": "tool", "tool_call_id": "c2", "content": '{"degrees": 7}'}, {"role": "assistant", "content": "Let me see again.", "tool_calls": CALLED["tool_calls"][:1]},
              {"role": "tool", "tool_call_id": "c1", "content": "sunny"}]
CALL_PARTS = [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Paris"}},
              {"type": "tool_call", "id": "c2", "name": "weather", "arguments": "no object"}]
# The convention's form. The second result is an object, which a chat has as text. A turn may have several results.
PARTS_WITH_TOOLS = [
    {"role": "user", "parts": [{"type": "text", "content": "Weather in Paris?"}]}, {"role": "assistant", "parts": CALL_PARTS},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rainy"}, {"type": "tool_call_response", "id": "c2", "result": {"degrees": 7}}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "Let me see again."}, CALL_PARTS[0]]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]}]
ANSWERS_WITH_CALLS = {"in parts": {"role": "assistant", "parts": [{"type": "text", "content": "Once more."}, *CALL_PARTS], "finish_reason": "tool_call"},
                      "as a chat has it": {**CALLED, "content": "Once more.", "finish_reason": "tool_calls"}}


@pytest.mark.parametrize("form,as_text", [("in parts", True), ("in parts", False), ("as a chat has it", True)])
def test_tool_calls_and_their_results_are_imported(tmp_path, form, as_text):
    write = json.dumps if as_text else (lambda v: v)
    _, rows, _ = imported(tmp_path, document(span({
        "gen_ai.input.messages": write(PARTS_WITH_TOOLS), "gen_ai.output.messages": write([ANSWERS_WITH_CALLS[form]]), "gen_ai.tool.definitions": write(DEFINITIONS)})))
    body, leg = json.loads(rows[0]["request"]["body"]), rows[0]["legs"][0]
    def loose(messages):
        return [{**m, "tool_calls": [{**c, "function": {**c["function"], "arguments": c["function"]["arguments"].replace(" ", "")}} for c in m["tool_calls"]]}
                if "tool_calls" in m else {**m, "content": m["content"].replace('": ', '":')} for m in messages]
    assert loose(body["messages"]) == loose(WITH_TOOLS) and body["tools"] == TOOLS
    choice = leg["reading"]["choices"][0]
    assert choice["text"] == "Once more." and leg["finish"] == "tool_calls" and leg["outcome"] == "complete"
    assert [(c["id"], c["name"], c["arguments"].replace(" ", "")) for c in choice["tool_calls"]] == [("c1", "weather", '{"city":"Paris"}'), ("c2", "weather", "noobject")]


def test_exported_chats_with_tools_can_be_imported_byte_for_byte(start, tmp_path):
    answer = {"object": "chat.completion", "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}, "choices": [
        {"index": 0, "message": {**CALLED, "content": None}, "finish_reason": "tool_calls"}]}
    asked = {"model": "m", "messages": WITH_TOOLS, "tools": TOOLS, "tool_choice": "auto"}
    (tmp_path / "x.har").write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [{
        "startedDateTime": "2026-01-02T03:04:05Z", "time": 5, "request": {"method": "POST", "url": "http://h/v1/chat/completions", "postData": {"text": json.dumps(asked)}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(answer)}}}]}}))
    plumbline("import", f"b={tmp_path / 'x.har'}", "--to", tmp_path / "first", check=0)
    done = plumbline("capture", "export", "--as", "otel", tmp_path / "first", check=0)
    by_name = {a["key"]: a["value"] for a in json.loads(done.stdout)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]}
    said = json.loads(by_name["gen_ai.output.messages"]["stringValue"])
    assert said == [{"role": "assistant", "parts": CALL_PARTS, "finish_reason": "tool_call"}]
    asks = json.loads(by_name["gen_ai.input.messages"]["stringValue"])
    assert asks[1] == PARTS_WITH_TOOLS[1] and asks[2] == {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rainy"}]}
    assert json.loads(by_name["gen_ai.tool.definitions"]["stringValue"]) == DEFINITIONS
    assert b"1 not in the file: requests' further members" in done.stderr and b"call tools" not in done.stderr  # tool_choice
    (tmp_path / "again").mkdir()
    _, rows, _ = imported(tmp_path / "again", done.stdout.decode())
    body = json.loads(rows[0]["request"]["body"])
    assert body["messages"] == WITH_TOOLS and body["tools"] == TOOLS
    first, again = (exported(c)[0]["legs"][0] for c in (tmp_path / "first", tmp_path / "again" / "capture"))
    assert again["reading"]["choices"][0]["tool_calls"] == first["reading"]["choices"][0]["tool_calls"] and len(first["reading"]["choices"][0]["tool_calls"]) == 2
    assert again["finish"] == first["finish"] == "tool_calls" and again["reading"]["choices"][0]["text"] == ""


@pytest.mark.parametrize("name,message", [("picture", {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}),
                                          ("no call", {"role": "tool", "content": "42"}), ("function_call", {"role": "assistant", "function_call": {"name": "f", "arguments": ""}})])
def test_unrepresentable_messages_are_counted(tmp_path, name, message):
    (tmp_path / "x.har").write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [{
        "startedDateTime": "2026-01-02T03:04:05Z", "time": 5, "request": {"method": "POST", "url": "http://h/v1/chat/completions", "postData": {"text": json.dumps(
            {"model": "m", "messages": [USER, message]})}}, "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}}}]}}))
    plumbline("import", f"b={tmp_path / 'x.har'}", "--to", tmp_path / "first", check=None)
    done = plumbline("capture", "export", "--as", "otel", tmp_path / "first", check=4)
    why = {"picture": b"a message has content other than text", "no call": b"the result of a tool belongs to no call", "function_call": b"it has a function call in the form that preceded tools"}[name]
    assert b"1 left out: " + why in done.stderr


def test_empty_calls_and_text_parts_give_plain_text(tmp_path):
    parts = json.dumps([{"type": "text", "text": "Wh"}, {"type": "text", "text": "y?"}])
    by_name = numbered({"role": "user", "content": parts}, **{"gen_ai.completion.0.tool_calls": "[]"})
    assert of_one(tmp_path, by_name) == ([USER], SAID)


@pytest.mark.parametrize("text", ['{"answer": 4}', "[1, 2]", '[{"n": 1}]', "7", "null", '"x"'])
def test_a_json_text_is_a_text(tmp_path, text):
    user = [{"role": "user", "content": text}]
    for i, by_name in enumerate(({"gen_ai.prompt": text, "gen_ai.completion": text}, numbered(*user, **{"gen_ai.completion.0.content": text}))):
        (tmp_path / str(i)).mkdir()
        assert of_one(tmp_path / str(i), by_name) == (user, text)


NO_LIST = "its messages are not a list of messages"
ODD = {
    "nothing": ([], "the span has no messages"),
    "an object": ([{"foo": 1}], NO_LIST),
    "numbers": ([1, 2], NO_LIST),
    "a role that is none": ([{"role": {"x": 1}, "content": "Why?"}], NO_LIST),
    "a role that is none, in parts": ([{"role": {"x": 1}, "parts": [{"type": "text", "content": "Why?"}]}], NO_LIST),
    "a content that is none": ([{"role": "user", "content": 7}], NO_LIST),
}


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", ODD)
def test_invalid_message_lists_are_counted(tmp_path, name, as_text):
    asked, why = ODD[name]
    assert of_one(tmp_path, {"gen_ai.input.messages": json.dumps(asked) if as_text else asked, "gen_ai.completion": SAID}) == why


def test_parameters_of_other_types_are_omitted(tmp_path):
    by_name = {"gen_ai.prompt": "Why?", "gen_ai.completion": SAID, "gen_ai.request.temperature": "hot", "gen_ai.request.seed": [], "gen_ai.request.top_p": "0.5",
               "gen_ai.request.max_tokens": {"x": 1}, "gen_ai.request.stop_sequences": "END"}
    done, rows, _ = imported(tmp_path, document(span(by_name)))
    assert json.loads(rows[0]["request"]["body"]) == {"model": "m", "top_p": 0.5, "stop": "END", "messages": [USER]}
    assert done["notes"] == [{"n": 1, "why": "a parameter has an invalid value and is left out"}]


def test_a_completion_stays_a_completion(start, tmp_path):
    kind = {"gen_ai.operation.name": "text_completion", "gen_ai.completion": SAID}
    assert of_one(tmp_path, {**kind, "gen_ai.prompt": "Once"}) == ("Once", SAID)
    row, = exported(tmp_path / "capture")
    assert row["request"]["target"] == "/v1/completions" and json.loads(row["legs"][0]["body"])["object"] == "text_completion"
    engine = start.engine()
    done = plumbline("replay", tmp_path / "spans.json", "--to", engine.url, "--capture", tmp_path / "new", "--model", "simulated", "--json", check=0)
    assert json.loads(done.stdout.splitlines()[-1])["completed"] == 1
    assert [e["request"]["target"] for e in exported(tmp_path / "new")] == ["/v1/completions"]
    (tmp_path / "several").mkdir()
    assert of_one(tmp_path / "several", {**kind, "gen_ai.input.messages": json.dumps(ASKED)}) == "the completion has more than one text"
