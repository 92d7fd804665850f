"""The reference scorer gives the logprobs that this process computes with the model itself.

    PLUMBLINE_LAB=DIR DIR/env/vllm/bin/python -m pytest -p no:cacheprovider tests/engines/test_scorer.py

pytest skips the tests without torch or the lab's weights.
"""
import http.client
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from places import Places
from services import free_port


# Texts without "▁", because the tokenizer takes that for a space.
TEXTS = ["The capital of France is", "  two  Ünïcödé 日本 👩‍👩‍👧‍👦\n\t<0x41> \u0cf0 <bos>\x00\x7f 𓀀"]
CHAT = [{"role": "user", "content": "Répète : 日本 😀"}]


@pytest.fixture(scope="module")
def directory(weights):
    found = Places().hf(weights)
    if not found.exists():
        pytest.skip(f"no weights in {found}")
    return found


@pytest.fixture(scope="module")
def model(directory):
    loaded = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, local_files_only=True)
    return loaded.eval()


@pytest.fixture(scope="module")
def tokenizer(directory):
    return transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)


@pytest.fixture(scope="module")
def port(tmp_path_factory, directory):
    number = free_port()
    log = tmp_path_factory.mktemp("scorer") / "log"
    with open(log, "wb") as out:
        process = subprocess.Popen([sys.executable, HERE / "scorer", directory, "--port", str(number), "--model-name", "g"],
                                   stdout=out, stderr=out, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    try:
        end = time.monotonic() + 120
        while b"scorer: g on" not in log.read_bytes():
            assert process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield number
    finally:
        process.terminate()
        process.wait()


def ask(port, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body))
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    if answer.getheader("content-type", "").startswith("text/event-stream"):
        lines = [line[6:] for line in data.decode().split("\n") if line.startswith("data: ")]
        assert lines.pop() == "[DONE]"
        return answer.status, [json.loads(line) for line in lines]
    return answer.status, json.loads(data)


def good(port, path, **body):
    status, said = ask(port, path, body)
    assert status == 200, said
    return said


def completion(port, **body):
    return good(port, "/v1/completions", **body)


def whole(model, ids):
    """Return the logprobs of the whole vocabulary after each of the ids."""
    with torch.inference_mode():
        return torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)


def token_bytes(name):
    return bytes.fromhex(name[6:].replace("\\x", "")) if name.startswith("bytes:\\x") else name.encode()


@pytest.mark.parametrize("text", TEXTS)
def test_prompt_scores_are_those_of_the_model(port, model, tokenizer, text):
    ids = tokenizer(text)["input_ids"]
    said = completion(port, prompt=text, max_tokens=0, prompt_logprobs=5, return_token_ids=True)["choices"][0]
    assert said["prompt_token_ids"] == ids and said["token_ids"] == [] and said["text"] == ""
    scores, truth = said["prompt_logprobs"], whole(model, ids)
    assert scores[0] is None and len(scores) == len(ids)
    for at in range(1, len(ids)):
        row = scores[at]
        assert next(iter(row)) == str(ids[at])
        best = torch.topk(truth[at - 1], 5)
        assert {int(k) for k in row} == set(best.indices.tolist()) | {ids[at]}
        for key, entry in row.items():
            lp = truth[at - 1, int(key)].item()
            assert abs(entry["logprob"] - lp) < 1e-6
            assert entry["rank"] == int((truth[at - 1] > lp).sum()) + 1


def test_a_long_prompt_goes_through_in_pieces_with_the_same_scores(port, model, tokenizer):
    text = "One river, two rivers, three rivers. " * 60
    ids = tokenizer(text)["input_ids"]
    assert len(ids) > 520
    scores = completion(port, prompt=ids, max_tokens=0, prompt_logprobs=0)["choices"][0]["prompt_logprobs"]
    truth = whole(model, ids)
    for at in range(1, len(ids)):
        assert abs(scores[at][str(ids[at])]["logprob"] - truth[at - 1, ids[at]].item()) < 1e-4


@pytest.mark.parametrize("text", TEXTS)
def test_echo_is_aligned_with_the_text(port, model, tokenizer, text):
    said = completion(port, prompt=text, max_tokens=3, temperature=0, echo=True, logprobs=3, return_token_ids=True)["choices"][0]
    assert said["text"].startswith(text)
    lists = said["logprobs"]
    ids = said["prompt_token_ids"] + said["token_ids"]
    assert len({len(lists[k]) for k in lists}) == 1 and len(lists["tokens"]) == len(ids)
    assert b"".join(map(token_bytes, lists["tokens"][:len(said["prompt_token_ids"])])) == text.encode()
    truth = whole(model, ids)
    for at, (lp, offset) in enumerate(zip(lists["token_logprobs"], lists["text_offset"])):
        if at == 0:
            assert lp is None and lists["top_logprobs"][0] is None
            continue
        assert abs(lp - truth[at - 1, ids[at]].item()) < 1e-4
        assert len(lists["top_logprobs"][at]) in (3, 4)
        name = lists["tokens"][at]
        if not name.startswith("bytes:") and name != "<bos>":
            assert said["text"][offset:offset + len(name)] == name


def test_generation_at_temperature_0_takes_the_likeliest_token(port, model, tokenizer):
    said = completion(port, prompt=TEXTS[0], max_tokens=12, temperature=0, logprobs=1, return_token_ids=True)["choices"][0]
    ids = said["prompt_token_ids"]
    for token, lp in zip(said["token_ids"], said["logprobs"]["token_logprobs"]):
        row = whole(model, ids)[-1]
        assert token == int(row.argmax()) and abs(lp - row[token].item()) < 1e-4
        ids = ids + [token]
    assert said["text"] == tokenizer.decode(said["token_ids"]) and said["finish_reason"] == "length"


def test_token_bytes_spell_what_the_tokenizer_decodes(port, tokenizer):
    for text in TEXTS:
        ids = tokenizer(text)["input_ids"]
        scores = completion(port, prompt=ids, max_tokens=0, prompt_logprobs=0)["choices"][0]["prompt_logprobs"]
        said = b"".join(bytes(row[str(i)]["bytes"]) for i, row in zip(ids[1:], scores[1:]))
        first = good(port, "/detokenize", tokens=ids[:1])["prompt"].encode()
        assert first + said == text.encode()
        assert good(port, "/detokenize", tokens=ids)["prompt"] == text


def test_a_character_split_between_tokens_is_whole(port, tokenizer, weights):
    ids = tokenizer("𓀀", add_special_tokens=False)["input_ids"]
    if weights.model.name == "gemma":   # its tokenizer puts a space before such a text
        ids = [tokenizer.convert_tokens_to_ids(f"<0x{b:02X}>") for b in "𓀀".encode()]
    assert len(ids) > 2
    said = completion(port, prompt=ids, max_tokens=0, echo=True, logprobs=0)["choices"][0]
    assert said["text"] == "𓀀" and said["logprobs"]["text_offset"] == [0] * len(ids)
    assert b"".join(map(token_bytes, said["logprobs"]["tokens"])) == "𓀀".encode()
    half = completion(port, prompt=ids[:2], max_tokens=0, echo=True)["choices"][0]
    assert half["text"] == "�"


@pytest.mark.parametrize("more", [{"temperature": 0}, {"seed": 7}, {"seed": 7, "n": 2, "top_p": 0.9, "top_k": 50},
                                  {"temperature": 0, "stop": [" The"]}, {"temperature": 0, "stop": ["zzz", " country of"]}])
@pytest.mark.parametrize("echo", [False, True])
def test_a_streamed_completion_equals_the_unary_one(port, more, echo):
    asked = {"prompt": [2, 818, 5279, 529, 7001, 563], "max_tokens": 6, "logprobs": 2, "echo": echo, "return_token_ids": True, **more}
    unary = completion(port, **asked)
    events = completion(port, **asked, stream=True, stream_options={"include_usage": True})
    assert events[-1]["choices"] == [] and events[-1]["usage"] == unary["usage"]
    for wanted in unary["choices"]:
        pieces = [c for e in events for c in e["choices"] if c["index"] == wanted["index"]]
        assert "".join(p["text"] for p in pieces) == wanted["text"]
        for key in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
            assert [x for p in pieces if p["logprobs"] for x in p["logprobs"][key]] == wanted["logprobs"][key], key
        assert [i for p in pieces for i in p.get("token_ids", [])] == wanted["token_ids"]
        assert pieces[0]["prompt_token_ids"] == wanted["prompt_token_ids"]
        assert [p["finish_reason"] for p in pieces if p["finish_reason"]] == [wanted["finish_reason"]]
        assert pieces[-1]["stop_reason"] == wanted["stop_reason"]


def test_a_streamed_chat_equals_the_unary_one(port):
    asked = {"messages": CHAT, "max_tokens": 16, "temperature": 0, "logprobs": True, "top_logprobs": 3}
    unary = good(port, "/v1/chat/completions", **asked)["choices"][0]
    pieces = [c for e in good(port, "/v1/chat/completions", **asked, stream=True) for c in e["choices"]]
    assert "".join(p["delta"]["content"] for p in pieces) == unary["message"]["content"]
    entries = [x for p in pieces if p["logprobs"] for x in p["logprobs"]["content"]]
    assert entries == unary["logprobs"]["content"] and len(entries) == 16
    assert b"".join(bytes(e["bytes"]) for e in entries).decode() == unary["message"]["content"]
    for entry in entries:
        tops = entry["top_logprobs"]
        assert len(tops) == 3 and tops[0]["id"] == entry["id"] and tops == sorted(tops, key=lambda t: -t["logprob"])


def test_a_chat_prompt_is_the_template_with_one_bos(port, tokenizer, weights):
    text = tokenizer.apply_chat_template(CHAT, tokenize=False, add_generation_prompt=True)
    ids = good(port, "/tokenize", messages=CHAT)["tokens"]
    assert ids == tokenizer(text, add_special_tokens=False)["input_ids"]
    assert weights.model.name != "gemma" or ids.count(2) == 1
    said = good(port, "/v1/chat/completions", messages=CHAT, max_tokens=1, return_token_ids=True, prompt_logprobs=1)
    assert said["prompt_token_ids"] == ids and len(said["prompt_logprobs"]) == len(ids)


def test_equal_seeds_give_equal_answers(port):
    def said(seed):
        return completion(port, prompt=TEXTS[0], max_tokens=8, seed=seed, return_token_ids=True)["choices"][0]["token_ids"]
    assert said(1) == said(1)
    assert len({tuple(said(seed)) for seed in range(5)}) > 1


def test_a_thousand_alternatives_sum_to_almost_one(port):
    said = completion(port, prompt=TEXTS[0], max_tokens=1, temperature=0, logprobs=1000)["choices"][0]
    top = said["logprobs"]["top_logprobs"][0]
    assert 990 <= len(top) <= 1000 and 0.9 < math.fsum(map(math.exp, top.values())) < 1


def test_token_names_can_be_ids(port):
    said = completion(port, prompt=TEXTS[0], max_tokens=2, temperature=0, logprobs=2, return_tokens_as_token_ids=True,
                      return_token_ids=True)["choices"][0]
    assert said["logprobs"]["tokens"] == [f"token_id:{i}" for i in said["token_ids"]]


@pytest.mark.parametrize("path, body, told", [
    ("/v1/completions", {"prompt": ""}, "at least one token"),
    ("/v1/completions", {}, "prompt must be"),
    ("/v1/completions", {"prompt": [1, "x"]}, "prompt must be"),
    ("/v1/completions", {"prompt": [262144]}, "no token 262144"),
    ("/v1/completions", {"prompt": [-1]}, "no token -1"),
    ("/v1/completions", {"prompt": "x", "logprobs": True}, "logprobs"),
    ("/v1/completions", {"prompt": "x", "logprobs": 1001}, "from 0 to 1000"),
    ("/v1/completions", {"prompt": "x", "max_tokens": -1}, "max_tokens"),
    ("/v1/completions", {"prompt": "x", "max_tokens": 10**6}, "max_tokens"),
    ("/v1/completions", {"prompt": "x", "temperature": "hot"}, "temperature"),
    ("/v1/completions", {"prompt": "x", "repetition_penalty": 1.1}, "repetition_penalty"),
    ("/v1/completions", {"prompt": "x", "frequency_penalty": False}, "frequency_penalty"),
    ("/v1/completions", {"prompt": "x", "stop": [""]}, "stop"),
    ("/v1/completions", {"prompt": "x", "stream_options": {}}, "needs stream"),
    ("/v1/completions", {"prompt": "x", "prompt_logprobs": 1, "stream": True}, "prompt_logprobs"),
    ("/v1/completions", {"prompt": "x", "colour": "red"}, "colour is not known"),
    ("/v1/chat/completions", {"messages": []}, "messages"),
    ("/v1/chat/completions", {"messages": [{"content": "x"}]}, "role"),
    ("/v1/chat/completions", {"messages": CHAT, "top_logprobs": 3}, "needs logprobs"),
    ("/v1/chat/completions", {"messages": CHAT, "echo": True}, "echo is not known"),
    ("/tokenize", {"prompt": 3}, "prompt must be a text"),
    ("/detokenize", {"tokens": "x"}, "list of ids"),
    ("/v1/completions", b'{"prompt": NaN}', "NaN"),
    ("/v1/completions", b"[1]", "JSON object"),
    ("/v1/completions", b"[" * 100000, "not JSON"),
    ("/v1/completions", b"\xff", "not JSON"),
])
def test_an_unsupported_member_is_refused_by_name(port, path, body, told):
    status, said = ask(port, path, body)
    assert status == 400 and told in said["error"]["message"], said


def test_another_model_and_another_path_are_not_found(port):
    assert ask(port, "/v1/completions", {"prompt": "x", "model": "h"})[0] == 404
    assert ask(port, "/v1/embeddings", {"input": "x"})[0] == 404
