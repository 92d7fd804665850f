#!/usr/bin/env python3
"""Writes golden answers in the dialects of engines that could not be recorded.

The answers follow the sources and manuals of the engines, including their peculiarities. The first line of each answer
says that it was written and not recorded. Run this, then expect.py. It writes the same bytes each time.
"""
import base64
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
WRITTEN = "written from the wire's shapes, not recorded"
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
FLOOR = -3.4028234663852886e+38

# (text, vocabulary string, id, logprob, alternatives). Two tokens share the last character.
TOKENS = [
    (b"Paris", "Paris", 12366, -0.0213, [(b"Paris", "Paris", 12366, -0.0213), (b"The", "The", 791, -4.25)]),
    (b" is", "Ġis", 374, -0.5, [(b" is", "Ġis", 374, -0.5), (b",", ",", 11, -1.125)]),
    (b" caf", "Ġcaf", 53050, -2.75, [(b" the", "Ġthe", 279, -0.25), (b" a", "Ġa", 264, -1.75)]),
    (b"\xc3\xa9", "Ã©", 978, -0.0625, [(b"\xc3\xa9", "Ã©", 978, -0.0625), (b"e", "e", 68, -3.5)]),
    (b" \xf0\x9f", "ĠðŁ", 27623, -1.5, [(b" \xf0\x9f", "ĠðŁ", 27623, -1.5), (b".", ".", 13, -2.0)]),
    (b"\x98\x80", "ĺĢ", 222, -0.25, [(b"\x98\x80", "ĺĢ", 222, -0.25), (b"\x98\x81", "ĺģ", 223, -5.0)]),
]
ANSWER = b"".join(t[0] for t in TOKENS).decode()


def text_of(data):
    return data.decode("utf-8", "replace")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def put(name, path, body, kind="application/json", status=200, chunked=False, asked=None):
    target = HERE / name
    target.parent.mkdir(exist_ok=True)
    request = compact({"model": "m"} | (asked or {}))
    target.with_suffix(".request").write_bytes(
        f"POST {path} HTTP/1.1\r\nHost: written\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(request)}\r\n\r\n".encode() + request)
    head = f"HTTP/1.1 {status} {WRITTEN}\r\nContent-Type: {kind}\r\n".encode()
    if chunked:
        pieces = [body[i:i + 700] for i in range(0, len(body), 700)]
        body = b"".join(f"{len(p):x}\r\n".encode() + p + b"\r\n" for p in pieces) + b"0\r\n\r\n"
        head += b"Transfer-Encoding: chunked\r\n\r\n"
    else:
        head += f"Content-Length: {len(body)}\r\n\r\n".encode()
    target.with_suffix(".response").write_bytes(head + body)


def whole(name, path, value, status=200, indent=None, asked=None):
    body = compact(value) if indent is None else json.dumps(value, indent=indent).encode()
    put(name, path, body, status=status, asked=asked)


def events(name, path, values, done=True, end=b"\n\n"):
    """A str is a comment or another line; a pair is a named event."""
    out = b""
    for value in values:
        if isinstance(value, str):
            out += value.encode() + b"\n\n"
        elif isinstance(value, tuple):
            out += b"event: " + value[0].encode() + b"\ndata: " + compact(value[1]) + end
        else:
            out += b"data: " + compact(value) + end
    put(name, path, out + (b"data: [DONE]\n\n" if done else b""), "text/event-stream; charset=utf-8", chunked=True)


def lines(name, path, values):
    put(name, path, b"".join(compact(v) + b"\n" for v in values), "application/x-ndjson", chunked=True)


def usage(prompt=7, completion=len(TOKENS), cached=None, thought=None, **more):
    out = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **more}
    if cached is not None:
        out["prompt_tokens_details"] = {"cached_tokens": cached}
    if thought is not None:
        out["completion_tokens_details"] = {"reasoning_tokens": thought}
    return out


def chat(choices, **more):
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, **more}


def chunk(delta, finish=None, index=0, more=None, **document):
    choice = {"index": index, "delta": delta, "finish_reason": finish, **(more or {})}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice],
            **document}


def message(content=ANSWER, finish="stop", more=None, **members):
    return {"index": 0, "message": {"role": "assistant", "content": content, **members}, "finish_reason": finish,
            **(more or {})}


def entry(token, ids=False, data=True, tops=True, name=0):
    """The chat API's form; name: 0 for the text, 1 for the vocabulary's string."""
    def one(t):
        said = text_of(t[0]) if name == 0 else t[1]
        out = {"id": t[2]} if ids else {}
        out |= {"token": said, "logprob": t[3]}
        return out | ({"bytes": list(t[0] if name == 0 else said.encode())} if data else {})
    return one(token) | ({"top_logprobs": [one(t) for t in token[4]]} if tops else {})


def logprobs(tokens=TOKENS, **how):
    return {"logprobs": {"content": [entry(t, **how) for t in tokens], "refusal": None}}


# Text deltas hold back an incomplete character.
DELTAS = ["Paris", " is", " caf", "é", "", " 😀"]
CALL = {"name": "get_weather", "arguments": '{"city":"Zürich"}'}


def streamed(how, first=None, last=None, **more):
    """Return a chat stream of all tokens with their logprobs."""
    out = [chunk({"role": "assistant", "content": "", **(first or {})})]
    for i, (token, delta) in enumerate(zip(TOKENS, DELTAS)):
        end = i == len(TOKENS) - 1 and last
        out.append(chunk({"content": delta}, end or None, more=logprobs([token], **how) if how is not None else None, **more))
    return out if last else out + [chunk({}, "stop", **more)]


def call_pieces(index, number, piece=4):
    text = CALL["arguments"]
    yield {"tool_calls": [{"index": index, "id": f"call_{number}", "type": "function",
                           "function": {"name": CALL["name"], "arguments": ""}}]}
    for i in range(0, len(text), piece):
        yield {"tool_calls": [{"index": index, "function": {"arguments": text[i:i + piece]}}]}


def openai():
    name = "openai-written/"
    details = usage(cached=4, thought=0)
    whole(name + "chat-logprobs", CHAT, chat([message(refusal=None, annotations=[], more=logprobs())], usage=details,
                                             service_tier="default", system_fingerprint="fp_1"), indent=2)
    hidden = usage(completion=130, cached=0, thought=120)
    whole(name + "chat-hidden-reasoning", CHAT, chat([message(refusal=None, more={"logprobs": None})], usage=hidden))
    no = "I can't help."
    refused = {"logprobs": {"content": None, "refusal": [entry((no.encode(), no, 1, -0.125, []))]}}
    whole(name + "chat-refusal", CHAT, chat([message(None, refusal=no, more=refused)], usage=usage(completion=1)))
    broken = [dict(entry(t), token=r"\xf0\x9f\x98"[:4 * len(t[0])] if b"\x98" in t[0] else text_of(t[0])) for t in TOKENS]
    broken[4]["token"], broken[5]["token"] = " \\xf0\\x9f", "\\x98\\x80"
    whole(name + "chat-escaped-tokens", CHAT, chat([message(more={"logprobs": {"content": broken, "refusal": None}})]))
    stream = [dict(c, usage=None, obfuscation="x1Yz") for c in streamed({}, {"refusal": None}, system_fingerprint="fp_1")]
    events(name + "chat-stream", CHAT, stream + [dict(chunk({}), choices=[], usage=details)])
    filtered = {"choices": [], "id": "", "object": "", "prompt_filter_results": [{"prompt_index": 0}]}
    events(name + "chat-azure-stream", CHAT, [filtered] + streamed({}))
    calls = [chunk({"role": "assistant", "content": None})]
    calls += [chunk(p) for at in (0, 1) for p in call_pieces(at, at)]
    events(name + "chat-tools-stream", CHAT, calls + [chunk({}, "tool_calls")])
    error = {"error": {"message": "Rate limit reached", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}}
    whole(name + "chat-error", CHAT, error, status=429)
    events(name + "chat-error-stream", CHAT, streamed({})[:4] + [error], done=False)
    broken = ["Paris", " is", " caf", "é", r"bytes: \xf0\x9f".replace(": ", ":").replace(":\\", ":\\x20\\"), r"bytes:\x98\x80"]
    legacy = {"tokens": broken, "token_logprobs": [t[3] for t in TOKENS], "text_offset": [0, 5, 8, 12, 13, 15],
              "top_logprobs": [{text_of(a[0]): a[3] for a in t[4]} for t in TOKENS]}
    whole(name + "completion-logprobs", TEXT, {"id": "cmpl-1", "object": "text_completion", "model": "davinci-002", "choices": [
        {"text": ANSWER, "index": 0, "logprobs": legacy, "finish_reason": "stop"}], "usage": usage()})
    vectors = [[0.5, -0.25, 0.125], [1.0, 0.0, -1.5]]
    coded = [base64.b64encode(struct.pack("<3f", *v)).decode() for v in vectors]
    for kind, values in (("floats", vectors), ("base64", coded)):
        whole(name + "embeddings-" + kind, "/v1/embeddings", {"object": "list", "model": "e", "data": [
            {"object": "embedding", "index": i, "embedding": values[i]} for i in (1, 0)],
            "usage": {"prompt_tokens": 4, "total_tokens": 4}})
    openai_responses(name)


def response(status, output, **more):
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": None,
            "incomplete_details": None, "model": "m", "output": output, **more}


def openai_responses(name):
    path = "/v1/responses"
    thought = "Think of France."
    counts = {"input_tokens": 7, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 20,
              "output_tokens_details": {"reasoning_tokens": 14}, "total_tokens": 27}
    part = {"type": "output_text", "text": ANSWER, "annotations": [], "logprobs": [entry(t) for t in TOKENS]}
    said = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
    thinks = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": thought}]}
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed", **CALL}
    whole(name + "responses", path, response("completed", [thinks, said, call], usage=counts), indent=2)
    cut = {"incomplete_details": {"reason": "max_output_tokens"}, "usage": counts}
    whole(name + "responses-incomplete", path, response("incomplete", [said], **cut))
    kind = "response.output_text.delta"
    at = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    stream = [("response.created", {"response": response("in_progress", [], usage=None)}),
              ("response.output_item.added", {"output_index": 0, "item": dict(thinks, summary=[])}),
              ("response.reasoning_summary_text.delta", {"item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": thought}),
              ("response.reasoning_summary_text.done", {"item_id": "rs_1", "output_index": 0, "summary_index": 0, "text": thought}),
              ("response.output_item.done", {"output_index": 0, "item": thinks}),
              ("response.output_item.added", {"output_index": 1, "item": dict(said, content=[], status="in_progress")}),
              ("response.content_part.added", {**at, "part": dict(part, text="", logprobs=[])})]
    for token, delta in zip(TOKENS, DELTAS):
        stream.append((kind, {**at, "delta": delta, "logprobs": [entry(token)]}))
    stream += [("response.output_text.done", {**at, "text": ANSWER, "logprobs": part["logprobs"]}),
               ("response.content_part.done", {**at, "part": part}),
               ("response.output_item.done", {"output_index": 1, "item": said}),
               ("response.output_item.added", {"output_index": 2, "item": dict(call, arguments="", status="in_progress")}),
               ("response.function_call_arguments.delta", {"item_id": "fc_1", "output_index": 2, "delta": CALL["arguments"][:6]}),
               ("response.function_call_arguments.delta", {"item_id": "fc_1", "output_index": 2, "delta": CALL["arguments"][6:]}),
               ("response.function_call_arguments.done", {"item_id": "fc_1", "output_index": 2, "arguments": CALL["arguments"]}),
               ("response.output_item.done", {"output_index": 2, "item": call}),
               ("response.completed", {"response": response("completed", [thinks, said, call], usage=counts)})]
    stream = [(n, {"type": n, "sequence_number": i, **v}) for i, (n, v) in enumerate(stream)]
    events(name + "responses-stream", path, stream, done=False)
    events(name + "responses-cut-stream", path, stream[:10], done=False)


def anthropic():
    name, path = "anthropic-written/", "/v1/messages"
    said = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Hi"}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 1}}
    whole(name + "messages", path, said)
    events(name + "messages-stream", path, [(v["type"], v) for v in (
        {"type": "message_start", "message": dict(said, content=[], stop_reason=None)},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"})], done=False)


def vllm():
    name = "vllm-written/"
    ids = [t[2] for t in TOKENS]
    asked = [9906, 1917]
    nan = [entry(t) for t in TOKENS]
    nan[2]["logprob"] = None
    nan[3]["logprob"] = -9999.0
    events(name + "chat-nan-stream", CHAT, [chunk({"role": "assistant", "content": ""}), chunk(
        {"content": ANSWER}, "stop", more={"logprobs": {"content": nan}, "token_ids": ids, "stop_reason": None})])
    events(name + "chat-ids-stream", CHAT, [chunk({"role": "assistant", "content": ""}, prompt_token_ids=asked)] + [
        chunk({"content": "".join(DELTAS[i:i + 2])}, "stop" if i == 4 else None,
              more=logprobs(TOKENS[i:i + 2]) | {"token_ids": ids[i:i + 2]}) for i in (0, 2, 4)])
    logits = [entry(t[:3] + (t[3] + 12.5, [a[:3] + (a[3] + 12.5,) for a in t[4]])) for t in TOKENS]
    whole(name + "chat-logits", CHAT, chat([message(more={"logprobs": {"content": logits}})], usage=usage()))
    stand_in = [dict(entry(t), token=f"token_id:{t[2]}", top_logprobs=[
        {"token": f"token_id:{a[2]}", "logprob": a[3], "bytes": list(f"token_id:{a[2]}".encode())} for a in t[4]]) for t in TOKENS]
    whole(name + "chat-token-id-names", CHAT, chat([message(more={"logprobs": {"content": stand_in}})]))
    legacy = {"text_offset": [0] * len(TOKENS), "tokens": [f"token_id:{i}" for i in ids], "token_logprobs": [t[3] for t in TOKENS],
              "top_logprobs": [{f"token_id:{a[2]}": a[3] for a in t[4]} for t in TOKENS]}
    whole(name + "completion-token-id-names", TEXT, {"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [
        {"index": 0, "text": ANSWER, "logprobs": legacy, "finish_reason": "length"}]})
    both = [chunk({"role": "assistant", "reasoning": "one ", "reasoning_content": "one "}), chunk({"reasoning_content": "two"}),
            chunk({"content": "3"}), chunk({}, "stop")]
    events(name + "chat-both-names-stream", CHAT, both)
    error = {"error": {"message": "EngineCore encountered an issue", "type": "InternalServerError", "param": None, "code": 500}}
    events(name + "chat-error-stream", CHAT, streamed({})[:3] + [error])
    whole(name + "chat-old-error", CHAT, {"object": "error", "message": "max_tokens too large", "type": "BadRequestError",
                                          "param": None, "code": 400}, status=400)


def triples(tokens, text=True):
    return [[t[3], t[2], text_of(t[0]) if text else None] for t in tokens]


def sglang():
    name = "sglang-written/"

    def meta(tokens, finish, n=None, text=True, **more):
        n = len(tokens) if n is None else n
        return {"id": "a1", "finish_reason": finish, "prompt_tokens": 7, "completion_tokens": n, "cached_tokens": 5,
                "weight_version": "default", "e2e_latency": 0.1, "output_token_logprobs": triples(tokens, text),
                "output_top_logprobs": [triples(t[4], text) for t in tokens], **more}

    ids = [t[2] for t in TOKENS]
    end = {"type": "stop", "matched": 128009}
    whole(name + "generate", "/generate", {"text": ANSWER, "output_ids": ids, "meta_info": meta(TOKENS, end, text=False)})
    # Each token is decoded alone: parts of characters become U+FFFD.
    whole(name + "generate-text", "/generate", {"text": ANSWER, "output_ids": ids, "meta_info": meta(TOKENS, end)})
    asked = [[None, 9906, "Hello"], [-3.5, 1917, " world"], [FLOOR, 0, "!"]]
    tops = [None, [[-1.5, 264, " a"], [-3.5, 1917, " world"]], [[-0.5, 13, "."]]]
    scored = meta([], {"type": "length", "length": 0}, input_token_logprobs=asked, input_top_logprobs=tops)
    whole(name + "generate-scored", "/generate", {"text": "", "output_ids": [], "meta_info": scored})
    four = TOKENS[:4]
    whole(name + "generate-batch", "/generate", [
        {"text": "Paris", "output_ids": ids[:1], "meta_info": meta(TOKENS[:1], {"type": "length", "length": 1})},
        {"text": "Paris is café", "output_ids": ids[:4], "meta_info": meta(four, end)}])

    def so_far(i, part):
        taken = slice(i, i + 1) if part else slice(0, i + 1)
        finish = {"type": "length", "length": 4} if i == 3 else None
        return {"text": "".join(DELTAS[taken]), "output_ids": ids[taken], "meta_info": meta(four[taken], finish, i + 1)}

    for kind, part in (("whole", False), ("parts", True)):
        events(name + f"generate-{kind}-stream", "/generate", [so_far(i, part) for i in range(4)])
    events(name + "generate-error-stream", "/generate", [so_far(0, False), {"error": {"message": "CUDA out of memory"}}])
    native = {"token_ids": ids, "prompt_token_ids": [9906, 1917, 0], "meta_info": meta(
        TOKENS, end, input_token_logprobs=asked), "matched_stop": 128009}
    whole(name + "chat-meta-info", CHAT, chat([message(reasoning_content="Hm.", tool_calls=None, more=native)],
                                              usage=usage(reasoning_tokens=3, cached=5), metadata={"weight_version": "default"}))
    stream = streamed({}, {"reasoning_content": None, "tool_calls": None})
    events(name + "chat-stream", CHAT, stream + [dict(chunk({}), choices=[], usage=usage(reasoning_tokens=0))])
    error = {"error": {"object": "error", "message": "aborted", "type": "BadRequest", "param": None, "code": 400}}
    events(name + "chat-error-stream", CHAT, stream[:3] + [error])
    whole(name + "chat-error", CHAT, {"object": "error", "message": "The request queue is full.", "type": "ServiceUnavailable",
                                      "param": None, "code": 503}, status=503)


def lmdeploy():
    name = "lmdeploy-written/"
    ids = [t[2] for t in TOKENS]

    def choice(tokens, lps=None):
        out = [dict(entry(t, name=1), top_logprobs=[entry(a + ([],), name=1, tops=False) for a in t[4][1:]]) for t in tokens]
        for e, lp in zip(out, lps or []):
            e["logprob"] = lp
        return {"logprobs": {"content": out}, "output_token_logprobs": [[t[3], t[2]] for t in tokens],
                "output_ids": [t[2] for t in tokens]}

    whole(name + "chat-logprobs", CHAT, chat([message(more=choice(TOKENS))], usage=usage()))
    events(name + "chat-logprobs-stream", CHAT, [chunk({"role": "assistant", "content": ""})] + [
        chunk({"content": d}, "stop" if i == 5 else None, more=choice([t])) for i, (t, d) in enumerate(zip(TOKENS, DELTAS))]
        + [dict(chunk({}), choices=[], usage=usage())])
    pieces = ["▁Paris", "▁is", "▁caf", "é", "▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]
    content = [{"token": p, "bytes": list(p.encode()), "logprob": -0.5, "top_logprobs": [
        {"token": "▁the", "bytes": list("▁the".encode()), "logprob": -1.5}]} for p in pieces]
    whole(name + "chat-sentencepiece", CHAT, chat([message(more={"logprobs": {"content": content}})], usage=usage()))
    sure = [(b"ab", "ab", 5, 0.0, [(b"ab", "ab", 5, 0.0)])] * 12
    whole(name + "chat-zeros", CHAT, chat([message("ab" * 12, more=choice(sure))]))
    parsed = message("", "parse_error", reasoning_content="two and two")
    whole(name + "chat-parse-error", CHAT, chat([parsed]))
    meta = {"finish_reason": {"type": "length"}, "output_token_logprobs": [[t[3], t[2]] for t in TOKENS],
            "prompt_tokens": 7, "completion_tokens": 6}
    whole(name + "generate", "/generate", {"text": ANSWER, "output_ids": ids, "meta_info": meta})
    whole(name + "chat-error", CHAT, {"message": "The model `x` does not exist.", "type": "invalid_request_error", "code": 404,
                                      "param": None, "object": "error"}, status=404)


def tgi():
    name = "tgi-written/"

    def token(t, special=False):
        return {"id": t[2], "text": text_of(t[0]), "logprob": t[3], "special": special}

    seen = [(d.encode(), *t[1:]) for t, d in zip(TOKENS, DELTAS)]
    tokens = [token(t) for t in seen] + [token((b"</s>", "", 2, -0.125), True)]
    tops = [[token(a) for a in t[4]] for t in TOKENS] + [[token((b"</s>", "", 2, -0.125), True)]]
    tops[1][1]["logprob"] = None
    details = {"finish_reason": "eos_token", "generated_tokens": 7, "seed": None, "prefill": [], "tokens": tokens, "top_tokens": tops}
    whole(name + "generate", "/generate", {"generated_text": ANSWER, "details": details})
    prefill = [{"id": 1, "text": "<s>", "logprob": None}, {"id": 9906, "text": "Hello", "logprob": -7.5}]
    whole(name + "generate-prefill", "/generate", {"generated_text": "Paris", "details": {
        "finish_reason": "length", "generated_tokens": 1, "seed": None, "prefill": prefill, "tokens": tokens[:1]}})
    other = {"generated_text": "Paris", "finish_reason": "length", "generated_tokens": 1, "seed": 5, "prefill": [],
             "tokens": tokens[:1], "top_tokens": tops[:1]}
    whole(name + "generate-best-of", "/generate", {"generated_text": ANSWER, "details": dict(details, best_of_sequences=[
        other, dict(other, generated_text="Paris is", tokens=tokens[:2], top_tokens=[], finish_reason="stop_sequence")])})
    whole(name + "generate-list", "/generate", [{"generated_text": "Paris"}])
    stream = [{"index": i + 1, "token": t, "top_tokens": top, "generated_text": None, "details": None}
              for i, (t, top) in enumerate(zip(tokens, tops))]
    stream[-1] |= {"generated_text": ANSWER, "details": {"finish_reason": "eos_token", "generated_tokens": 7, "seed": None,
                                                         "input_length": 3}}
    events(name + "generate-stream", "/generate_stream", [": keep"] + stream, done=False)
    error = {"error": "Request failed during generation: Server error: out of memory", "error_type": "generation"}
    events(name + "generate-error-stream", "/generate_stream", stream[:2] + [error], done=False)
    whole(name + "generate-error", "/generate", {"error": "Input validation error: `top_p` must be > 0.0 and < 1.0",
                                                 "error_type": "validation"}, status=422)
    content = [entry(t, data=False) for t in seen]
    content[0]["top_logprobs"][1]["logprob"] = None
    more = {"logprobs": {"content": content + [{"token": "</s>", "logprob": -0.125, "top_logprobs": []}]}}
    whole(name + "chat-logprobs", CHAT, dict(chat([message(more=more)], usage=usage(), system_fingerprint="3.3.7-native"), id=""))
    chunks = [dict(chunk({"role": "assistant", "content": t["text"]}, "stop" if t["special"] else None, more={"logprobs": {
        "content": [{"token": t["text"], "logprob": t["logprob"], "top_logprobs": []}]}}), id="") for t in tokens]
    chunks[-1]["choices"][0]["delta"]["content"] = ""
    events(name + "chat-stream", CHAT, [":"] + chunks)
    events(name + "chat-error-stream", CHAT, chunks[:2] + [{"error": {"message": "overloaded", "http_status_code": 422}}], done=False)


def tensorrt():
    name = "tensorrt-llm-written/"
    content = [entry(t) for t in TOKENS]
    content[2]["top_logprobs"][1]["logprob"] = -9999.0
    more = {"logprobs": {"content": content}, "stop_reason": None, "disaggregated_params": None, "avg_decoded_tokens_per_iter": 1.0}
    whole(name + "chat-logprobs", CHAT, chat([message(reasoning_content="Hm.", tool_calls=[], more=more)], usage=usage()))
    events(name + "chat-stream", CHAT, streamed({}, last="length"), end=b" \n\n")
    whole(name + "completion-ids", TEXT, {"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [
        {"index": 0, "text": "", "token_ids": [t[2] for t in TOKENS], "logprobs": None, "finish_reason": "length"}], "usage": usage()})
    whole(name + "chat-error", CHAT, {"object": "error", "message": "extra_forbidden: store", "type": "BadRequestError",
                                      "param": None, "code": 400}, status=400)


def llama():
    name = "llama.cpp-written/"
    timings = {"cache_n": 3, "prompt_n": 4, "prompt_ms": 1.5, "predicted_n": 6, "predicted_ms": 9.0}
    texts = ["Paris", " is", " caf", "é", "", " 😀"]
    # A step within a character sends nothing and has no entry; the next step's text has everything.
    steps = [(t, x, dict(entry(t, ids=True), token=x, bytes=list(x.encode()))) for t, x in zip(TOKENS, texts) if x]
    probs = [p for _, _, p in steps]

    def native(stop=True, **more):
        out = {"index": 0, "content": ANSWER, "tokens": [t[2] for t in TOKENS], "id_slot": 0, "stop": stop, "model": "m.gguf",
               "tokens_predicted": 6, "tokens_evaluated": 7, "generation_settings": {"n_predict": 6}, "prompt": "<s>Hello",
               "has_new_line": False, "truncated": False, "stop_type": "limit", "stopping_word": "", "tokens_cached": 12}
        return out | more

    whole(name + "completion", "/completion", native(completion_probabilities=probs, timings=timings))
    whole(name + "completion-no-probs", "/completion", native(stop_type="word", stopping_word="\n", tokens_cached=2))
    linear = [{"id": 12366, "token": "Paris", "bytes": list(b"Paris"), "prob": 0.75, "top_probs": [
        {"id": 12366, "token": "Paris", "bytes": list(b"Paris"), "prob": 0.75},
        {"id": 791, "token": "The", "bytes": list(b"The"), "prob": 0.0}]}]
    whole(name + "completion-post-sampling", "/completion", native(content="Paris", tokens=[12366], stop_type="eos",
                                                                   completion_probabilities=linear))
    parts = [{"index": 0, "content": x, "tokens": [t[2]], "stop": False, "id_slot": -1, "tokens_predicted": i + 1,
              "tokens_evaluated": 7, "completion_probabilities": [p]} for i, (t, x, p) in enumerate(steps)]
    events(name + "completion-stream", "/completion", [":"] + parts + [native(content="", tokens=[], timings=timings)], done=False)
    events(name + "completion-error-stream", "/completion", parts[:2] + [
        {"error": {"code": 500, "message": "context shift is disabled", "type": "server_error"}}], done=False)
    whole(name + "completion-openai", TEXT, {"id": "chatcmpl-1", "object": "text_completion", "model": "m", "choices": [
        {"text": ANSWER, "index": 0, "logprobs": {"content": probs}, "finish_reason": "length"}], "usage": usage(),
        "system_fingerprint": "b10470-34af94cd9", "timings": timings})
    drafted = [entry((b"ab", "ab", 5, 0.0, []), ids=True) for _ in range(9)]
    drafted[0] = entry((b"ab", "ab", 5, -0.5, [(b"ab", "ab", 5, -0.5), (b"c", "c", 6, -1.0)]), ids=True)
    whole(name + "chat-speculative", CHAT, chat([message("ab" * 9, more={"logprobs": {"content": drafted}})], usage=usage(),
                                                timings=dict(timings, draft_n=8, draft_n_accepted=8)))
    low = [dict(p) for p in probs]
    low[1] = dict(low[1], logprob=FLOOR)
    events(name + "chat-stream", CHAT, [":", chunk({"role": "assistant", "content": None})] + [
        chunk({"content": p["token"]}, more={"logprobs": {"content": [p]}}) for p in low] + [
        chunk({}, "stop", timings=timings)])
    loading = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    whole(name + "chat-error", CHAT, loading, status=503)


def llama_old():
    name = "llama.cpp-old-written/"
    four = [dict(content=x, probs=[{"tok_str": "Paris", "prob": 0.5}, {"tok_str": " is", "prob": 0.25}]) for x in ("Paris", " is", " it")]
    last = {"content": "Paris is it", "id_slot": 0, "stop": True, "model": "m.gguf", "tokens_predicted": 3, "tokens_evaluated": 7,
            "generation_settings": {}, "prompt": "Hello", "truncated": False, "stopped_eos": False, "stopped_word": False,
            "stopped_limit": True, "stopping_word": "", "tokens_cached": 9, "timings": {"prompt_n": 7, "predicted_n": 3}}
    whole(name + "completion", "/completion", dict(last, completion_probabilities=four))
    parts = [{"content": p["content"], "stop": False, "id_slot": 0, "multimodal": False, "completion_probabilities": [p]} for p in four]
    events(name + "completion-stream", "/completion", parts + [dict(last, content="", stopped_eos=True, stopped_limit=False)], done=False)
    line = 'error: {"code":500,"message":"slot unavailable","type":"server_error"}'
    events(name + "completion-error-stream", "/completion", parts[:2] + [line], done=False)


def ollama():
    name = "ollama-written/"

    def line(more, done=False, **members):
        return {"model": "m", "created_at": "2026-01-01T00:00:00Z", **more, "done": done, **members}

    def says(**members):
        return {"message": {"role": "assistant", "content": "", **members}}

    end = {"done_reason": "stop", "total_duration": 9, "load_duration": 1, "prompt_eval_count": 7, "prompt_eval_duration": 2,
           "eval_count": 6, "eval_duration": 5}
    calls = [says(tool_calls=[{"function": {"index": i, "name": "get_weather", "arguments": {"city": c}}}]) for i, c in
             enumerate(("Paris", "Rome"))]
    lines(name + "chat-thinking-tools", "/api/chat", [line(says(thinking="Two ")), line(says(thinking="cities."))] + [
        line(c) for c in calls] + [line(says(), True, **end)])
    lines(name + "chat-error-in-line", "/api/chat", [line(says(content="Par")), {"error": "an error was encountered while running the model"}])
    lines(name + "chat-cut", "/api/chat", [line(says(content="Par")), line(says(content="is"))])
    lines(name + "generate-loaded", "/api/generate", [line({"response": ""}, True, done_reason="load")])
    whole(name + "generate-old", "/api/generate", line({"response": "Paris"}, True, context=[1, 2], prompt_eval_count=7, eval_count=1))
    whole(name + "embed", "/api/embed", {"model": "e", "embeddings": [[0.5, -0.25], [0.125, 1.0]], "prompt_eval_count": 4})
    put(name + "chat-plain-type", "/api/chat", b"".join(compact(v) + b"\n" for v in (
        line(says(content="Par")), line(says(content="is")), line(says(), True, **end))), "application/x-ndjson; charset=utf-8")


def others():
    texts = [chunk({"role": "assistant"}), chunk({"content": "Par"}), chunk({"content": "is"}), chunk({}, "stop")]
    whole("lm-studio-written/chat", CHAT, chat([message(reasoning="Hm.", more={"logprobs": None})], usage=usage(), stats={},
                                               system_fingerprint="gpt-oss-20b"), indent=2)
    events("lm-studio-written/chat-stream", CHAT, [chunk({"role": "assistant", "reasoning": "Hm."})] + texts)
    whole("lm-studio-written/chat-error", CHAT, {"error": "Model not found"}, status=404)
    whole("vllm-mlx-written/chat", CHAT, chat([message(reasoning_content="Hm.")], usage=usage()))
    events("vllm-mlx-written/chat-stream", CHAT, [": heartbeat", texts[0], ": heartbeat", chunk({"reasoning_content": "Hm."})] + texts[1:])
    whole("vllm-mlx-written/chat-error", CHAT, {"detail": "Model is loading"}, status=503)
    details = [{"type": "reasoning.text", "text": "Think ", "format": "unknown", "index": 0}]
    events("openrouter-written/chat-stream", CHAT, [": OPENROUTER PROCESSING", chunk(
        {"role": "assistant", "content": "", "reasoning": "Think ", "reasoning_details": details}), chunk(
        {"content": "", "reasoning": "hard.", "reasoning_details": [dict(details[0], text="hard.")]}), chunk(
        {"content": "Paris"}, "stop", more={"native_finish_reason": "STOP"}), dict(chunk({}), choices=[], usage=usage(
            cached=1, thought=2, cost=0.1))])
    whole("openrouter-written/chat-error", CHAT, {"error": {"code": 402, "message": "Insufficient credits"}, "user_id": "u"}, status=402)
    whole("litellm-written/chat", CHAT, chat([message(
        "Paris", reasoning_content="Hm.", provider_specific_fields={"refusal": None, "reasoning_content": "Hm."}, function_call=None, tool_calls=None,
        thinking_blocks=[{"type": "thinking", "thinking": "Hm.", "signature": "s"}])], usage=usage(cached=0), system_fingerprint=None))
    whole("litellm-written/chat-tools", CHAT, chat([message(None, "tool_calls", tool_calls=[
        {"index": i, "id": f"call_{i}", "type": "function", "function": dict(CALL)} for i in (0, 1)], function_call=None)]))


# Calls and reasoning in the text of a model, as the templates and parsers of its family write them. Words
# in capitals are parts of the call.
JSON, CITY, NUMBER = '{"city": "Zürich", "days": 2}', "Zürich", "2"
OBJECT = '{"name": "get_weather", "arguments": ' + JSON + "}"
SEEN = {
    "apertus": '<|tools_prefix|>[{"get_weather": JSON}]<|tools_suffix|>',
    "bare-json": '{"name": "get_weather", "parameters": JSON}',
    "bare-list": "[OBJECT]",
    "bare-python": "[get_weather(city='TEXT', days=NUMBER)]",
    "command": '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": JSON}\n]<|END_ACTION|>',
    "deepseek-v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\nJSON\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v31": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>JSON<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v32": "<｜DSML｜function_calls>\nINVOKE\n</｜DSML｜function_calls>",
    "deepseek-v32-json": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\nJSON\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "deepseek-v4": "<｜DSML｜tool_calls>\nINVOKE\n</｜DSML｜tool_calls>",
    "command-r": 'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": JSON\n    }\n]\n```',
    "deepseek-v41": "\n\n<｜DSML｜ calls>\nINVOKE\n</｜DSML｜ calls>",
    "dots": "<dots_function_call>\nINVOKE\n</dots_function_call>",
    "function-calls": "<function_calls>\nINVOKE\n</function_calls>",
    "functiongemma": "<start_function_call>call:get_weather{city:<escape>TEXT<escape>,days:<escape>NUMBER<escape>}<end_function_call>",
    "gemma4": '<|tool_call>call:get_weather{city:<|"|>TEXT<|"|>,days:NUMBER}<tool_call|>',
    "gigachat3": "<|message_sep|>\n\nfunction call<|role_sep|>\nOBJECT",
    "gigachat3-inline": "<|function_call|>OBJECT</s>",
    "gigachat35": "<｜GCML｜tool_calls>INVOKE</｜GCML｜tool_calls>",
    "glm": "<tool_call>get_weather\nPAIRS\n</tool_call>",
    "granite": "<|tool_call|>[OBJECT]",
    "granite-20b": "<function_call> OBJECT",
    "harmony": "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>JSON<|call|>",
    "harmony-analysis": "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>JSON<|call|>",
    "harmony-start": "<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>JSON<|call|>",
    "harmony-stripped": "analysisLook it up.assistantcommentary to=functions.get_weather jsonJSON",
    "hermes": "<tool_call>\nOBJECT\n</tool_call>",
    "horizon": "<ifm|tool_calls>\n<ifm|tool_call>get_weather\nPAIRS\n</ifm|tool_call>\n</ifm|tool_calls>",
    "hunyuan": "<tool_calls>[OBJECT]</tool_calls>",
    "hunyuan-3": "<tool_calls>\n<tool_call>get_weather<tool_sep>\nPAIRS\n</tool_call>\n</tool_calls>",
    "hunyuan-4": "<tool_calls:6124c78e>\n<tool_call:6124c78e>get_weather\n<arg_key:6124c78e>city</arg_key:6124c78e>\n<arg_value:6124c78e>TEXT</arg_value:6124c78e>\n"
                 "<arg_key:6124c78e>days</arg_key:6124c78e>\n<arg_value:6124c78e>NUMBER</arg_value:6124c78e>\n</tool_call:6124c78e>\n</tool_calls:6124c78e>",
    "hyperclova": "-> tool/function_call\n[OBJECT]<|im_end|>",
    "inkling": '<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": JSON}<|end_message|>',
    "iquest": "<iquest_tool_call>get_weather\nPAIRS</iquest_tool_call>",
    "internlm": '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": JSON}<|action_end|>',
    "kimi-k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>JSON<|tool_call_end|><|tool_calls_section_end|>",
    "kimi-k3": '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>TEXT<|close|>argument<|sep|>'
               '<|open|>argument key="days" type="number"<|sep|>NUMBER<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    "lfm2": "<|tool_call_start|>[get_weather(city='TEXT', days=NUMBER)]<|tool_call_end|>",
    "llama-3": '<|python_tag|>{"name": "get_weather", "parameters": JSON}<|eom_id|>',
    "llama-3-function": "<function=get_weather>JSON</function>",
    "llama-4": "<|python_start|>[get_weather(city='TEXT', days=NUMBER)]<|python_end|>",
    "longcat": "<longcat_tool_call>OBJECT</longcat_tool_call>",
    "longcat-pairs": "<longcat_tool_call>get_weather\nPAIRS\n</longcat_tool_call>",
    "minicpm": '<function name="get_weather"><param name="city">TEXT</param><param name="days">NUMBER</param></function>',
    "minicpm-3": "<|thought_start|>\nLook it up.\n<|thought_end|>\n<|tool_call_start|>\n```python\nget_weather(city='TEXT', days=NUMBER)\n```\n<|tool_call_end|>",
    "minimax-m1": "<tool_calls>\nOBJECT\n</tool_calls>",
    "minimax-m2": "<minimax:tool_call>\nINVOKE\n</minimax:tool_call>",
    "minimax-m3": ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>TEXT]<]minimax[>[</city>'
                  "]<]minimax[>[<days>NUMBER]<]minimax[>[</days>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
    "mistral": "[TOOL_CALLS][OBJECT]",
    "mistral-args": "[TOOL_CALLS]get_weather[ARGS]JSON",
    "mistral-id": "[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]JSON",
    "muse": "<atem:function_calls>\nINVOKE\n</atem:function_calls>",
    "muse-channel": "<|start|>assistant to=get_weather<|message|><atem:function_calls>\nINVOKE\n</atem:function_calls><|eom|>",
    "nemotron": "<TOOLCALL>[OBJECT]</TOOLCALL>",
    "olmo-3": "<function_calls>\nget_weather(city='TEXT', days=NUMBER)\n</function_calls>",
    "pangu": "[unused11][OBJECT][unused12]",
    "phi-4-mini": "functools[OBJECT]",
    "plamo-3": "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
               "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>JSON<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    "qwen-tools": "<tools>\nOBJECT\n</tools>",
    "qwen3-coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nTEXT\n</parameter>\n<parameter=days>\nNUMBER\n</parameter>\n</function>\n</tool_call>",
    "rwkv": "**Tool Call:**\n```json\nOBJECT\n```",
    "seed": "<seed:tool_call>\n<function=get_weather>\n<parameter=city>TEXT</parameter>\n<parameter=days>NUMBER</parameter>\n</function>\n</seed:tool_call>",
    "solar": "<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>TEXT<|tool_arg:end|>\n<|tool_arg:start|>days<|tool_arg:value|>NUMBER<|tool_arg:end|>\n<|tool_call:end|>",
    "step-audio-2": "<tool_call>function\nget_weather\nJSON</tool_call>",
    "step-3": "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>INVOKE<｜tool_call_end｜><｜tool_calls_end｜>",
}
PREFIXES = {"deepseek-v41": "｜DSML｜ ", "deepseek": "｜DSML｜", "gigachat35": "｜GCML｜", "muse": "atem:", "step-3": "steptml:", "longcat": "longcat_", "horizon": "ifm|"}
THOUGHT = "Add two and two."
THOUGHTS = {
    "answer-tags": "<think>\nTHOUGHT\n</think>\n<answer>\n4\n</answer>",
    "apertus": "<|inner_prefix|>THOUGHT<|inner_suffix|>4",
    "apriel": "Here are my reasoning steps:\nTHOUGHT\n[BEGIN FINAL RESPONSE]\n4\n[END FINAL RESPONSE]",
    "begin-of-thought": "<|begin_of_thought|>THOUGHT<|end_of_thought|>\n\n<|begin_of_solution|>4<|end_of_solution|>",
    "command": "<|START_THINKING|>THOUGHT<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>",
    "command-4": "<|START_THINKING|>THOUGHT<|END_THINKING|><|START_TEXT|>4<|END_TEXT|>",
    "ernie": "THOUGHT\n</think>\n\n<response>\n4\n</response>",
    "gemma4": "<|channel>thought\nTHOUGHT<channel|>4",
    "granite-32": "Here is my thought process: THOUGHT Here is my response: 4",
    "granite-33": "<think>THOUGHT</think><response>4</response>",
    "harmony": "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>final<|message|>4<|return|>",
    "harmony-commentary": "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>commentary<|message|>Well:<|end|><|start|>assistant<|channel|>final<|message|>4<|return|>",
    "harmony-final": "<|channel|>final<|message|>4<|return|>",
    "harmony-stripped": "analysisTHOUGHTassistantfinal4",
    "horizon": "<ifm|think>THOUGHT</ifm|think>4",
    "horizon-fast": "<ifm|think_fast>THOUGHT</ifm|think_fast>4",
    "hunyuan-3": "<think:opensource>THOUGHT</think:opensource>4",
    "hunyuan-4": "<think:6124c78e>THOUGHT</think:6124c78e>\n<answer:6124c78e>\n4\n</answer:6124c78e>",
    "hunyuan-4-alone": "THOUGHT</think:6124c78e>4",
    "inkling": "<|message_model|><|content_thinking|>THOUGHT<|end_message|><|message_model|><|content_text|>4<|end_message|>",
    "kimi": "◁think▷THOUGHT◁/think▷4",
    "kimi-k3": "<|open|>think<|sep|>THOUGHT<|close|>think<|sep|><|open|>response<|sep|>4<|close|>response<|sep|>",
    "longcat": "<longcat_think>THOUGHT</longcat_think>4",
    "magistral": "[THINK]THOUGHT[/THINK]4",
    "minimax-m3": "<mm:think>THOUGHT</mm:think>4",
    "muse": " to=self<|message|>THOUGHT<|eom|><|start|>assistant to=user<|message|>4<|eot|>",
    "pangu": "[unused16]THOUGHT[unused17]4",
    "plamo-3": "<|plamo:begin_think:plamo|>THOUGHT<|plamo:end_think:plamo|>4",
    "seed": "<seed:think>THOUGHT</seed:think>4",
    "solar": "<|think:start|>THOUGHT<|think:end|>4",
    "think": "<think>\nTHOUGHT\n</think>\n\n4",
    "think-alone": "THOUGHT\n</think>\n\n4",
    "thinking": "<thinking>THOUGHT</thinking>4",
    "thought": "<thought>THOUGHT</thought>4",
}


def invoke(name):
    prefix = next((p for k, p in PREFIXES.items() if name.startswith(k)), "")
    typed = prefix.strip() in ("｜DSML｜", "｜GCML｜")
    value = "".join(f'<{prefix}parameter name="{k}"' + (f' string="{string}"' if typed else "") + f">{v}</{prefix}parameter>\n"
                    for k, v, string in (("city", CITY, "true"), ("days", NUMBER, "false")))
    return f'<{prefix}invoke name="get_weather">\n{value}</{prefix}invoke>'


def pairs(name):
    prefix = next((p for k, p in PREFIXES.items() if name.startswith(k)), "")
    return "\n".join(f"<{prefix}arg_key>{k}</{prefix}arg_key>\n<{prefix}arg_value>{v}</{prefix}arg_value>"
                     for k, v in (("city", CITY), ("days", NUMBER)))


def in_text():
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
    offered = {"tools": [{"type": "function", "function": {"name": "get_weather", "parameters": schema}}]}
    for name, text in SEEN.items():
        for word, value in (("INVOKE", invoke(name)), ("PAIRS", pairs(name)), ("OBJECT", OBJECT), ("JSON", JSON), ("TEXT", CITY), ("NUMBER", NUMBER)):
            text = text.replace(word, value)
        whole("text-calls-written/chat-" + name, CHAT, chat([message(text)], usage=usage()), asked=offered)
    for name, text in THOUGHTS.items():
        whole("text-thoughts-written/chat-" + name, CHAT, chat([message(text.replace("THOUGHT", THOUGHT))], usage=usage()))


def unread():
    """Answers with more than text, reasoning and calls of functions."""
    name = "openai-written/"
    custom = {"id": "call_0", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
    whole(name + "chat-custom-tool", CHAT, chat([message(None, "tool_calls", tool_calls=[custom], refusal=None)]))
    pieces = [{"index": 0, "id": "call_0", "type": "custom", "custom": {"name": "run", "input": ""}}]
    pieces += [{"index": 0, "custom": {"input": text}} for text in ("print", "(1)")]
    events(name + "chat-custom-tool-stream", CHAT, [chunk({"role": "assistant", "content": None})] + [
        chunk({"tool_calls": [piece]}) for piece in pieces] + [chunk({}, "tool_calls")])
    audio = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1, "transcript": "Paris."}
    whole(name + "chat-audio", CHAT, chat([message(None, refusal=None, annotations=[], audio=audio)]))
    events(name + "chat-audio-stream", CHAT, [chunk({"role": "assistant", "content": None}), chunk(
        {"audio": {"id": "audio_1", "transcript": "Paris."}}), chunk({"audio": {"data": "UklGRg=="}}), chunk({}, "stop")])
    cited = [{"type": "url_citation", "url_citation": {"url": "https://example.org", "start_index": 0, "end_index": 5}}]
    whole(name + "chat-web-search", CHAT, chat([message("Paris", refusal=None, annotations=cited)]))
    picture = [{"type": "image_url", "index": 0, "image_url": {"url": "data:image/png;base64,iVBO"}}]
    whole("openrouter-written/chat-image", CHAT, chat([message("Here.", images=picture)]))
    whole("mistral-written/chat-parts", CHAT, chat([message([
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True},
        {"type": "text", "text": "Paris"}, {"type": "reference", "reference_ids": [1]}])]))
    said = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": "Paris", "annotations": []}]}
    calls = [{"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "capital"}},
             {"type": "custom_tool_call", "id": "ct_1", "call_id": "call_1", "status": "completed", "name": "run", "input": "print(1)"}]
    whole(name + "responses-tools", "/v1/responses", response("completed", [calls[0], said, calls[1]]))


def repeated():
    """Streams that repeat their text."""
    thoughts, texts = ["Hm", "."], ["Paris", " is", " it."]
    both, so_far = [], ""
    for i, text in enumerate(texts):
        so_far += text
        end = "stop" if i == len(texts) - 1 else None
        both.append(chunk({"role": "assistant", "content": text}, end, more={"message": {"role": "assistant", "content": so_far}}))
    events("perplexity-written/chat-stream", CHAT, [dict(c, citations=["https://example.org"]) for c in both])
    events("text-generation-webui-written/chat-stream", CHAT, [chunk({"role": "assistant", "content": text}, more={
        "message": {"role": "assistant", "content": text}}) for text in texts] + [chunk({"role": "assistant", "content": ""}, "stop", more={
            "message": {"role": "assistant", "content": ""}})])
    events("minimax-written/chat-stream", CHAT, [chunk({"role": "assistant", "reasoning_content": text}) for text in thoughts] + [
        chunk({"role": "assistant", "content": text}) for text in texts] + [chat([message(
            "".join(texts), reasoning_content="".join(thoughts), name="MiniMax AI")])], done=False)
    events("litellm-written/chat-text-stream", CHAT, [chunk({"content": text}, more={"text": text}) for text in texts] + [chunk({}, "stop")])


def counted():
    """Usage in other places, and under other names."""
    ended = chunk({}, "stop")
    whole("deepseek-written/chat", CHAT, chat([message("Paris")], usage=usage(prompt_cache_hit_tokens=4, prompt_cache_miss_tokens=3)))
    last = chunk({}, "stop", more={"usage": usage(completion=1, cached_tokens=4)})
    events("moonshot-written/chat-stream", CHAT, [chunk({"role": "assistant", "content": "Paris"}), last])
    events("groq-written/chat-stream", CHAT, [chunk({"role": "assistant", "content": "Paris"}, x_groq={"id": "req_1"}), dict(
        ended, x_groq={"id": "req_1", "usage": usage(completion=1, queue_time=0.5)})])
    beside = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 29, "completion_tokens_details": {"reasoning_tokens": 20}}
    whole("xai-written/chat", CHAT, chat([message(more=logprobs())], usage=beside))


def main():
    for write in (openai, anthropic, vllm, sglang, lmdeploy, tgi, tensorrt, llama, llama_old, ollama, others, in_text, unread, repeated, counted):
        write()
    print(f"{len(list(HERE.glob('*-written/*.response')))} answers written")


if __name__ == "__main__":
    main()
