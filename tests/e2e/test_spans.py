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
    return json.loads(done.stdout), exported(capture) if check in (0, 1) else [], done.stderr.decode()


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
