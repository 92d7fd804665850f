"""Generates an answer of the scorer in pieces of text with their tokens, and formats its scores for each API."""
import codecs
import dataclasses

import torch


@dataclasses.dataclass
class Piece:
    """A step of the answer: its text, and the tokens of this text."""
    text: str
    scores: list
    finish: str | None = None
    stop_reason: str | None = None


class Writer:
    """Turns tokens into final text. It holds back half characters and the possible start of a stop text."""

    def __init__(self, stop):
        self.stop = stop
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.held = ""
        self.stopped = None

    def take(self, data, last=False):
        self.held += self.decoder.decode(data, last)
        found = [(self.held.find(s), s) for s in self.stop if s in self.held]
        if found:
            at, self.stopped = min(found)
            out, self.held = self.held[:at], ""
            return out
        keep = 0 if last else max((self._begun(s) for s in self.stop), default=0)
        out = self.held[:len(self.held) - keep]
        self.held = self.held[len(out):]
        return out

    def _begun(self, stop):
        """Return how many of the last characters may be the start of this stop text."""
        return next((n for n in range(min(len(stop) - 1, len(self.held)), 0, -1) if self.held.endswith(stop[:n])), 0)


def generate(model, asked, prompt, index):
    """Yield the prompt's scores (or None), then Pieces; the last one has a finish."""
    top = asked.prompt_top
    if asked.echo and asked.top is not None:
        top = max(asked.top, top or 0)
    scores, logits, cache = model.prompt(prompt, top)
    yield scores
    random = torch.Generator()
    if asked.seed is None:
        random.seed()
    else:
        random.manual_seed((asked.seed + index) % 2**64)
    writer = Writer(asked.stop)
    if asked.max_tokens == 0:
        yield Piece("", [], "length")
        return
    for made in range(1, asked.max_tokens + 1):
        token = model.choose(logits, asked, random)
        score = model.score(logits.unsqueeze(0), [token], asked.top or 0)[0]
        ended = token in model.ends and not asked.ignore_eos
        last = ended or made == asked.max_tokens
        text = writer.take(b"" if ended else model.pieces.shown(token, asked.skip_special), last)
        if writer.stopped is not None or last:
            stopped = writer.stopped is not None or ended
            yield Piece(text, [score], "stop" if stopped else "length", writer.stopped)
            return
        yield Piece(text, [score])
        logits, cache = model.next(token, cache)


class Offsets:
    """The offset of each token in the text, in characters. A part of a character has the character's offset.

    In an echoed text, special tokens that the client wrote have a length, but those that the tokenizer added have none.
    """

    def __init__(self, model, asked, prompt=(), text=None):
        self.model, self.asked, self.at = model, asked, 0
        as_written = text is not None and b"".join(map(model.pieces.bytes, prompt)) == text.encode()
        self.written = len(prompt) if asked.echo and as_written else 0
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def of(self, scores):
        out = []
        for s in scores:
            out.append(self.at)
            skip = self.asked.skip_special and self.written <= 0
            self.at += len(self.decoder.decode(self.model.pieces.shown(s.id, skip)))
            self.written -= 1
        return out


class Shapes:
    """Formats scores as the APIs of engines do."""

    def __init__(self, model, asked):
        self.model, self.asked = model, asked

    def name(self, token):
        return f"token_id:{token}" if self.asked.names_are_ids else self.model.pieces.name(token)

    def _entry(self, token, logprob):
        return {"token": self.name(token), "id": token, "logprob": logprob, "bytes": list(self.model.pieces.bytes(token))}

    def chat(self, scores):
        return {"content": [{**self._entry(s.id, s.logprob), "top_logprobs": [self._entry(*t) for t in s.top[:self.asked.top]]}
                            for s in scores]}

    def legacy(self, scores, offsets):
        return {"text_offset": offsets.of(scores), "token_logprobs": [s.logprob for s in scores],
                "tokens": [self.name(s.id) for s in scores],
                "top_logprobs": [None if s.logprob is None else
                                 {self.name(i): lp for i, lp in [*s.top[:self.asked.top], (s.id, s.logprob)]} for s in scores]}

    def prompt(self, scores):
        """vLLM's prompt_logprobs, with an additional member `bytes`."""
        def entry(token, logprob, rank):
            data = self.model.pieces.bytes(token)
            return {"logprob": logprob, "rank": rank, "decoded_token": data.decode("utf-8", "replace"), "bytes": list(data)}

        out = []
        for s in scores:
            if s.logprob is None:
                out.append(None)
                continue
            row = {str(s.id): entry(s.id, s.logprob, s.rank)}
            for rank, (token, logprob) in enumerate(s.top[:self.asked.prompt_top], 1):
                row.setdefault(str(token), entry(token, logprob, rank))
            out.append(row)
        return out
