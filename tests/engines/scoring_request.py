"""Parses requests for the scorer. It checks every member, and refuses one that the scorer cannot use, with its name."""
import dataclasses
import json

TOP_LIMIT = 1000
NEUTRAL = {"presence_penalty": (0,), "frequency_penalty": (0,), "repetition_penalty": (1,), "min_p": (0,), "min_tokens": (0,),
           "logit_bias": ({},), "best_of": (1,), "response_format": ({"type": "text"},), "tools": ([],), "suffix": ("",),
           "include_reasoning": (True,), "tool_choice": ("none", "auto")}
BOTH = {"model", "max_tokens", "temperature", "top_p", "top_k", "seed", "n", "stop", "stream", "stream_options", "logprobs",
        "prompt_logprobs", "return_token_ids", "return_tokens_as_token_ids", "add_special_tokens", "skip_special_tokens",
        "ignore_eos", "user", *NEUTRAL}
COMPLETION = BOTH | {"prompt", "echo"}
CHAT = BOTH | {"messages", "top_logprobs", "max_completion_tokens", "add_generation_prompt", "chat_template_kwargs"}


class Refusal(Exception):
    def __init__(self, message, param=None, status=400):
        super().__init__(message)
        self.param, self.status = param, status


@dataclasses.dataclass
class Asked:
    prompts: list                  # lists of ids
    texts: list                    # the prompts as the client wrote them, None for ids
    chat: bool
    max_tokens: int
    temperature: float
    top_p: float
    top_k: int
    seed: int | None
    n: int
    stop: list
    stream: bool
    usage_in_stream: bool
    top: int | None                # alternatives per token; None: no logprobs
    prompt_top: int | None
    echo: bool
    ids: bool
    names_are_ids: bool
    skip_special: bool
    ignore_eos: bool


def document_of(body):
    def no(what):
        raise Refusal(f"the body is not JSON: {what} is no number")

    try:
        document = json.loads(body, parse_constant=no)
    except (ValueError, RecursionError) as e:
        raise Refusal(f"the body is not JSON: {e}") from None
    if not isinstance(document, dict):
        raise Refusal("the body must be a JSON object")
    return document


class Members:
    """Takes members with a known type out of a request; null means absent."""

    def __init__(self, document, known):
        for key in document:
            if key not in known:
                raise Refusal(f"{key} is not known here", key)
        self.document = document
        for key, neutral in NEUTRAL.items():
            value = document.get(key)
            if value is not None and not any(value == n and isinstance(value, bool) == isinstance(n, bool) for n in neutral):
                raise Refusal(f"{key} is not supported; it may only be {' or '.join(map(json.dumps, neutral))}", key)

    def number(self, key, default, low, high, whole=True):
        value = self.document.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not low <= value <= high:
            raise Refusal(f"{key} must be {'a whole' if whole else 'a'} number from {low} to {high}", key)
        return value

    def flag(self, key, default=False):
        value = self.document.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise Refusal(f"{key} must be true or false", key)
        return value

    def stop(self):
        value = self.document.get("stop")
        value = [value] if isinstance(value, str) else value or []
        if not isinstance(value, list) or len(value) > 16 or not all(isinstance(s, str) and s for s in value):
            raise Refusal("stop must be a text or a list of at most 16 texts, none of them empty", "stop")
        return value

    def usage_in_stream(self, stream):
        value = self.document.get("stream_options")
        if value is None:
            return False
        if not stream:
            raise Refusal("stream_options needs stream", "stream_options")
        if not isinstance(value, dict) or set(value) - {"include_usage"} or not isinstance(value.get("include_usage", False), bool):
            raise Refusal('stream_options must be {"include_usage": true} or false', "stream_options")
        return value.get("include_usage", False)


def ids_of(value, vocabulary, param):
    """Return the list of ids, or None if the value is something else."""
    if not isinstance(value, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in value):
        return None
    for i in value:
        if not 0 <= i < vocabulary:
            raise Refusal(f"{param}: there is no token {i}; the vocabulary has {vocabulary}", param)
    return value


def completion_prompts(members, model):
    prompt = members.document.get("prompt")
    special = members.flag("add_special_tokens", True)
    single = ids_of(prompt, model.vocabulary, "prompt") if prompt else None
    given = [single] if single else prompt if isinstance(prompt, list) else [prompt]
    if not given or len(given) > 64:
        raise Refusal("prompt must be one to 64 texts or lists of ids", "prompt")
    prompts, texts = [], []
    for one in given:
        text = one if isinstance(one, str) else None
        ids = model.encode(one, special) if text is not None else ids_of(one, model.vocabulary, "prompt")
        if ids is None:
            raise Refusal("prompt must be a text, a list of texts, a list of ids, or a list of such lists", "prompt")
        if not ids:
            raise Refusal("prompt must have at least one token", "prompt")
        prompts.append(ids)
        texts.append(text)
    return prompts, texts


def messages_of(document):
    """Return the messages, with contents as plain texts."""
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refusal("messages must be a list of at least one message", "messages")
    out = []
    for i, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise Refusal(f"messages[{i}] must be an object with a role", "messages")
        content = message.get("content")
        if isinstance(content, list) and all(isinstance(p, dict) and p.get("type") == "text" and isinstance(p.get("text"), str)
                                             for p in content):
            content = "".join(p["text"] for p in content)
        if not isinstance(content, str):
            raise Refusal(f"messages[{i}].content must be a text or a list of text parts", "messages")
        out.append({**message, "content": content})
    return out


def chat_prompt(members, model):
    more = members.document.get("chat_template_kwargs") or {}
    if not isinstance(more, dict) or set(more) & {"messages", "chat_template", "tokenize", "add_generation_prompt"}:
        raise Refusal("chat_template_kwargs must be an object of the template's own variables", "chat_template_kwargs")
    return model.encode_chat(messages_of(members.document), members.flag("add_generation_prompt", True),
                             members.flag("add_special_tokens"), **more)


def asked_of(body, model, name, chat):
    members = Members(document_of(body), CHAT if chat else COMPLETION)
    wanted = members.document.get("model")
    if wanted is not None and wanted != name:
        raise Refusal(f"the model {wanted!r} does not exist; this is {name!r}", "model", 404)
    prompts, texts = ([chat_prompt(members, model)], [None]) if chat else completion_prompts(members, model)
    room = model.max_length - max(map(len, prompts))
    if room < 0:
        raise Refusal(f"the prompt has {max(map(len, prompts))} tokens; the context holds {model.max_length}")
    key = "max_completion_tokens" if members.document.get("max_completion_tokens") is not None else "max_tokens"
    max_tokens = members.number(key, room if chat else min(16, room), 0, model.max_length)
    if max_tokens > room:
        raise Refusal(f"{key} is {max_tokens}, but after the prompt there is room for {room}", key)
    stream = members.flag("stream")
    prompt_top = members.number("prompt_logprobs", None, 0, TOP_LIMIT)
    if stream and prompt_top is not None:
        raise Refusal("prompt_logprobs are not available with stream", "prompt_logprobs")
    if chat:
        top = members.number("top_logprobs", 0, 0, TOP_LIMIT)
        if not members.flag("logprobs"):
            if members.document.get("top_logprobs"):
                raise Refusal("top_logprobs needs logprobs: true", "top_logprobs")
            top = None
    else:
        top = members.number("logprobs", None, 0, TOP_LIMIT)
    return Asked(prompts, texts, chat, max_tokens, float(members.number("temperature", 1.0, 0, 100, whole=False)),
                 float(members.number("top_p", 1.0, 1e-9, 1, whole=False)), members.number("top_k", 0, -1, model.vocabulary),
                 members.number("seed", None, -2**63, 2**64 - 1), members.number("n", 1, 1, 64), members.stop(), stream,
                 members.usage_in_stream(stream), top, prompt_top, members.flag("echo"), members.flag("return_token_ids"),
                 members.flag("return_tokens_as_token_ids"), members.flag("skip_special_tokens", True), members.flag("ignore_eos"))
