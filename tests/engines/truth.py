"""Computes the exact logprobs of given tokens in this process, for the live tests to compare an engine's scores with.

    PYTHON tests/engines/truth.py llama GGUF < questions     in the environment of llama-cpp-python
    PYTHON tests/engines/truth.py hf DIRECTORY < questions   in the environment of vLLM, float32
    PYTHON tests/engines/truth.py llama|hf PATH OUT < questions   also write OUT/I.npy: the distributions of question I

questions is a JSON list of {"text": ...}, tokenized like a prompt with special tokens, or {"ids": [...]}. The order must
be that in which the engine got them, because llama-cpp-python's logits depend on the request before. Prints a JSON list
of {"ids", "pieces", "logprobs", "best"}. The logprob of the first token is null, because nothing precedes it. best has
the logprob of the most probable token at each position. "last": N in a question: OUT gets only the distributions of its
last N tokens, and the model evaluates these one at a time, as an engine that generates them does.
"""
import json
import os
import sys


class Llama:
    def __init__(self, path):
        import llama_cpp
        self.model = llama_cpp.Llama(path, n_ctx=1024, logits_all=True, verbose=False)
        self.model.eval([self.model.token_bos()])   # the server got a request before the first question

    def ids(self, text):
        return self.model.tokenize(text.encode(), add_bos=True, special=True)

    def piece(self, token):
        return self.model.detokenize([token], special=True).decode(errors="replace")

    def logits(self, ids):
        """Evaluate the tokens after the common prefix with the text before, as the server does.

        The kernel for a token depends on its place in the batch, and kernels for quantised weights differ by tenths of a
        nat.
        """
        before = self.model.input_ids[:self.model.n_tokens].tolist()
        if ids != before:
            self.model.n_tokens = min(len(os.path.commonprefix([before, ids])), len(ids) - 1)
            self.model.eval(ids[self.model.n_tokens:])
        return self.model.scores[:len(ids)]

    def logits_of_generating(self, ids, last):
        self.model.reset()
        self.model.eval(ids[:-last])
        for token in ids[-last:]:
            self.model.eval([token])
        return self.model.scores[:len(ids)]


class Transformers:
    def __init__(self, path):
        import torch
        import transformers
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, local_files_only=True).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)

    def ids(self, text):
        return self.tokenizer(text).input_ids

    def piece(self, token):
        return self.tokenizer.decode([token])

    def logits(self, ids):
        with self.torch.no_grad():
            return self.model(self.torch.tensor([ids])).logits[0].numpy()

    def logits_of_generating(self, ids, last):
        """Return the same logits: in float32 it makes no difference to a divergence how many tokens are evaluated at once."""
        return self.logits(ids)


def answer(model, question, file=None):
    import numpy
    ids = question.get("ids") or model.ids(question["text"])
    last = question.get("last")
    logits = (model.logits_of_generating(ids, last) if last else model.logits(ids)).astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    logprobs = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
    if file:
        numpy.save(file, logprobs[-last - 1:-1].astype(numpy.float32))
    own = [None] + [float(logprobs[i, ids[i + 1]]) for i in range(len(ids) - 1)]
    best = [None] + [float(logprobs[i].max()) for i in range(len(ids) - 1)]
    return {"ids": ids, "pieces": [model.piece(i) for i in ids], "logprobs": own, "best": best}


def main():
    kind, path, *out = sys.argv[1:]
    model = {"llama": Llama, "hf": Transformers}[kind](path)
    json.dump([answer(model, question, *(f"{d}/{i}.npy" for d in out)) for i, question in enumerate(json.load(sys.stdin))], sys.stdout)


if __name__ == "__main__":
    main()
