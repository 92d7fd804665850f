"""Prints as JSON the objects that the official Python SDK makes from an engine's answers: objects.py BASE_URL"""
import asyncio
import json
import sys

import openai

BASE = sys.argv[1]
MODEL = "simulated"
SAY = [{"role": "user", "content": "Tell me about the sea."}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "Weather of a city", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
GREEDY = {"temperature": 0, "max_tokens": 12, "model": MODEL}


def plain(thing):
    """Without what differs between any two answers."""
    if isinstance(thing, dict):
        return {k: plain(v) for k, v in thing.items() if k not in ("id", "created")}
    return [plain(v) for v in thing] if isinstance(thing, list) else thing


def show(thing):
    return plain(thing.model_dump(mode="json")) | {"_fields": sorted(thing.model_fields_set)}


def error(call):
    try:
        call()
    except openai.APIStatusError as e:
        return {"type": type(e).__name__, "status": e.status_code, "message": str(e), "body": plain(e.body)}


client = openai.OpenAI(base_url=BASE + "/v1", api_key="sk-test", max_retries=0)
seen = {}
for again in range(3):
    seen[f"models {again}"] = [show(m) for m in client.models.list()]
    seen[f"chat {again}"] = show(client.chat.completions.create(messages=SAY, **GREEDY))
    seen[f"chat n {again}"] = show(client.chat.completions.create(messages=SAY, n=2, seed=5, **GREEDY | {"temperature": 0.8}))
    seen[f"chat logprobs {again}"] = show(client.chat.completions.create(messages=SAY, logprobs=True, top_logprobs=3, **GREEDY))
    seen[f"stream {again}"] = [show(c) for c in client.chat.completions.create(messages=SAY, stream=True, **GREEDY)]
    seen[f"stream usage {again}"] = [show(c) for c in client.chat.completions.create(
        messages=SAY, stream=True, stream_options={"include_usage": True}, **GREEDY)]
    seen[f"stream logprobs {again}"] = [show(c) for c in client.chat.completions.create(messages=SAY, stream=True, logprobs=True, **GREEDY)]
    seen[f"completion {again}"] = show(client.completions.create(prompt="Once upon a time", **GREEDY))
    seen[f"completion stream {again}"] = [show(c) for c in client.completions.create(prompt="Once upon a time", stream=True, **GREEDY)]
    seen[f"tools {again}"] = show(client.chat.completions.create(messages=SAY, tools=TOOLS, tool_choice={"type": "function", "function": {"name": "get_weather"}}, **GREEDY))
    seen[f"tools stream {again}"] = [show(c) for c in client.chat.completions.create(
        messages=SAY, tools=TOOLS, tool_choice={"type": "function", "function": {"name": "get_weather"}}, stream=True, **GREEDY)]
seen["bad request"] = error(lambda: client.chat.completions.create(messages=SAY, **GREEDY | {"max_tokens": "many"}))
seen["no such route"] = error(lambda: client.embeddings.create(model="none", input="x"))
with client.chat.completions.with_streaming_response.create(messages=SAY, **GREEDY) as raw:
    seen["streaming response"] = plain(json.loads(raw.read()))

aborted = client.chat.completions.create(messages=SAY, stream=True, **GREEDY | {"max_tokens": 400})
seen["aborted"] = [show(next(aborted)) for _ in range(3)]
aborted.close()


async def many():
    async with openai.AsyncOpenAI(base_url=BASE + "/v1", api_key="sk-test", max_retries=0) as side:
        answers = await asyncio.gather(*(side.chat.completions.create(
            messages=[{"role": "user", "content": f"Number {i}"}], **GREEDY) for i in range(16)))
        return [show(a) for a in answers]

seen["parallel"] = asyncio.run(many())
print(json.dumps(seen, sort_keys=True))
