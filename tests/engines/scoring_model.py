"""A Hugging Face model in float32. It computes the exact logprob of every token of its vocabulary from its logits."""
import dataclasses
import json
import re

import torch
import transformers

CHUNK = 512    # tokens of a prompt per run of the model: limits the memory for their logits
ROWS = 32      # rows of logits that are converted to float64 together


class ModelError(Exception):
    pass


@dataclasses.dataclass
class Score:
    """A token at its position: its logprob (None: it is the first), its rank, and the most probable tokens."""
    id: int
    logprob: float | None = None
    rank: int | None = None
    top: list = dataclasses.field(default_factory=list)    # (id, logprob), most probable first


class Model:
    def __init__(self, directory, template=None, max_length=None):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, local_files_only=True)
        self.model.eval()
        self.vocabulary = self.model.get_output_embeddings().weight.shape[0]
        self.max_length = max_length or min(getattr(self.model.config, "max_position_embeddings", 4096), 8192)
        self.template = template
        self.pieces = Pieces(self.tokenizer)
        self.ends = self._ends()

    def _ends(self):
        found = {self.tokenizer.eos_token_id}
        for config in (self.model.config, self.model.generation_config):
            ids = getattr(config, "eos_token_id", None)
            found |= set(ids) if isinstance(ids, (list, tuple)) else {ids}
        return found - {None}

    def encode(self, text, special=True):
        return self.tokenizer(text, add_special_tokens=special)["input_ids"]

    def encode_chat(self, messages, add_generation_prompt=True, special=False, **more):
        """Return the ids of the template's text. Raises ModelError if the template refuses the messages."""
        try:
            text = self.tokenizer.apply_chat_template(messages, chat_template=self.template, tokenize=False,
                                                      add_generation_prompt=add_generation_prompt, **more)
        except Exception as e:    # the template engine chooses the type for a template's raise_exception()
            raise ModelError(f"the chat template does not take these messages: {e}") from None
        return self.encode(text, special)

    def text(self, ids, skip_special=True):
        return b"".join(self.pieces.shown(i, skip_special) for i in ids).decode("utf-8", "replace")

    @torch.inference_mode()
    def prompt(self, ids, top=None):
        """Return (scores of the prompt's tokens or None, logits after the last token, cache)."""
        cache, scores, logits = None, [Score(ids[0])] if top is not None else None, None
        for at in range(0, len(ids), CHUNK):
            piece = torch.tensor([ids[at:at + CHUNK]])
            said = self.model(input_ids=piece, past_key_values=cache, use_cache=True)
            cache, logits = said.past_key_values, said.logits[0]
            if scores is not None:
                following = ids[at + 1:at + 1 + len(logits)]
                for row in range(0, len(following), ROWS):
                    scores += self.score(logits[row:row + ROWS][:len(following) - row], following[row:row + ROWS], top)
        return scores, logits[-1].clone(), cache

    @torch.inference_mode()
    def next(self, token, cache):
        said = self.model(input_ids=torch.tensor([[token]]), past_key_values=cache, use_cache=True)
        return said.logits[0, -1], said.past_key_values

    @torch.inference_mode()
    def score(self, logits, ids, top):
        """Return a Score for each id from its row of logits. Float64 adds no rounding to that of the model."""
        wide = torch.log_softmax(logits.double(), dim=-1)
        chosen = wide.gather(1, torch.tensor(ids).unsqueeze(1))
        ranks = (wide > chosen).sum(dim=1) + 1
        values, order = wide.topk(min(top, self.vocabulary), dim=-1) if top else (torch.empty(len(ids), 0),) * 2
        return [Score(i, lp, rank, list(zip(map(int, o), v))) for i, lp, rank, v, o in
                zip(ids, chosen[:, 0].tolist(), ranks.tolist(), values.tolist(), order.tolist())]

    @torch.inference_mode()
    def choose(self, logits, asked, random):
        """Return the most probable token at temperature 0 (the lowest id of equal ones), else a sampled one."""
        if asked.temperature == 0:
            return int(torch.argmax(logits))
        p = torch.softmax(logits.double() / asked.temperature, dim=-1)
        order = torch.argsort(p, descending=True, stable=True)
        kept = p[order]
        if asked.top_k > 0:
            kept[asked.top_k:] = 0
        if asked.top_p < 1:
            before = torch.cumsum(kept, 0) - kept
            kept[before >= asked.top_p * kept.sum()] = 0
        return int(order[torch.multinomial(kept / kept.sum(), 1, generator=random)])


class Pieces:
    """The exact bytes of each token, computed as the tokenizer's own decoder does."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise ModelError("the tokenizer is not a fast one, so the bytes of its tokens are unknown")
        decoder = json.loads(backend.to_str()).get("decoder") or {}
        steps = decoder.get("decoders", [decoder])
        kinds = {step.get("type") for step in steps}
        self.byte_level = "ByteLevel" in kinds
        self.byte_fallback = "ByteFallback" in kinds
        self.space = next((step["replacement"] for step in steps if step.get("type") == "Metaspace"), None)
        if self.space is None:
            self.space = next((step["pattern"]["String"] for step in steps
                               if step.get("type") == "Replace" and step.get("content") == " " and "String" in step["pattern"]), None)
        unknown = kinds - {"ByteLevel", "ByteFallback", "Metaspace", "Replace", "Fuse", "Strip"}
        if unknown:
            raise ModelError(f"the tokenizer decodes by {', '.join(map(str, unknown))}, whose bytes are not known here")
        self.added = {i: token.content.encode() for i, token in tokenizer.added_tokens_decoder.items()}
        self.special = {i for i, token in tokenizer.added_tokens_decoder.items() if token.special}
        self.alphabet = byte_alphabet() if self.byte_level else {}

    def bytes(self, token):
        if token in self.added:
            return self.added[token]
        piece = self.tokenizer.convert_ids_to_tokens(token)
        if piece is None:      # the model's vocabulary may be padded beyond the tokenizer's
            return b""
        if self.byte_level:
            return bytes(self.alphabet[c] for c in piece)
        if self.byte_fallback and re.fullmatch(r"<0x[0-9A-F]{2}>", piece):
            return bytes([int(piece[3:5], 16)])
        return (piece.replace(self.space, " ") if self.space else piece).encode()

    def shown(self, token, skip_special=True):
        """Return the bytes that the token adds to a text."""
        return b"" if skip_special and token in self.special else self.bytes(token)

    def name(self, token):
        """Return the token as text; bytes that are not UTF-8 are escaped as OpenAI does it."""
        data = self.bytes(token)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{b:02x}" for b in data)


def byte_alphabet():
    """GPT-2's alphabet: the character for each byte in the vocabulary."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}
