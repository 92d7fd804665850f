"""Tool calls and reasoning in one engine's text, compared with the same in members of another engine's answer."""
import json

import pytest

from harness import chat, exported, plumbline, post, respond

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
FORMS = {
    "hermes": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": 2}}\n</tool_call>',
    "coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>",
    "llama": '{"name": "get_weather", "parameters": {"city": "Rome", "days": 2}}',
    "pythonic": '[get_weather(city="Rome", days=2)]',
    "harmony": '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>'
               '{"city": "Rome", "days": 2}<|call|>',
    "gemma": '<|tool_call>call:get_weather{city:<|"|>Rome<|"|>,days:2}<tool_call|>',
}
TRAPS = ['Qwen writes <tool_call>{"name": "get_weather", "arguments": {"city": "Rome", "days": 2}}</tool_call> for a call.',
         "Like this:\n```\n" + FORMS["hermes"] + "\n```\n", FORMS["hermes"].replace("get_weather", "get_time"), "I call get_weather for Rome."]


def answer(content, calls=None, reasoning=None):
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {}),
               **({"reasoning_content": reasoning} if reasoning else {})}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def called(arguments='{"city": "Rome", "days": 2}', reasoning=None):
    function = {"name": "get_weather", "arguments": arguments}
    return answer(None, [{"id": "c1", "type": "function", "function": function}], reasoning)


def compared(start, text, field, count=3):
    """Compare an engine that answers with the text with one that gives the other answer; return (meaning, figures)."""
    def engine(said):
        return start.scripted(lambda raw, seen: respond(raw, said) if seen.method == "POST" else respond(raw, {}, "404 Not Found"))
    proxy = start.proxy(engine(answer(text)).url, reference=engine(field).url)
    for i in range(count):
        assert post(proxy.port, "/v1/chat/completions", chat(f"{i}?", temperature=0, tools=TOOLS))[0] == 200
    proxy.settled(count, "reference")
    assert proxy.stop() == 0
    said = plumbline("analyze", proxy.capture, "--json")
    group, = json.loads(said.stdout)["groups"]
    return group["by_decoding"]["greedy"]["meaning"], exported(proxy.capture)


@pytest.mark.parametrize("name", FORMS)
def test_the_same_call_in_the_text_and_in_a_member_differs_in_format(start, name):
    meaning, rows = compared(start, FORMS[name], called(reasoning="Hm." if name == "harmony" else None))
    assert meaning["classes"]["format"] == 3, meaning
    for row in rows:
        primary, = (leg for leg in row["legs"] if leg["backend"] == "primary")
        call, = primary["reading"]["choices"][0]["tool_calls"]
        assert (call["name"], json.loads(call["arguments"]), call["in_text"]) == ("get_weather", {"city": "Rome", "days": 2}, True)


def test_another_call_in_the_text_is_another_answer(start):
    meaning, _ = compared(start, FORMS["hermes"], called('{"city": "Paris", "days": 2}'))
    assert meaning["classes"]["answer_changed"] == 3, meaning


@pytest.mark.parametrize("trap", range(len(TRAPS)))
def test_a_mentioned_or_unoffered_call_is_text(start, trap):
    meaning, rows = compared(start, TRAPS[trap], called())
    assert meaning["classes"]["structural"] == 3, meaning
    for row in rows:
        primary, = (leg for leg in row["legs"] if leg["backend"] == "primary")
        assert not primary["reading"]["choices"][0].get("tool_calls")
