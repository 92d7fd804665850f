"""Full-vocabulary logprobs of given tokens, computed in this process: what an engine's scores are held against.

    PYTHON tests/engines/truth.py llama GGUF < questions     in the environment of llama-cpp-python
    PYTHON tests/engines/truth.py hf DIRECTORY < questions   in the environment of vLLM, float32

questions: JSON, a list of {"text": ...} (tokenized as a prompt is, special tokens and all) or {"ids": [...]}, in the order in
which the engine got them: llama-cpp-python's logits depend on the question before.
Answers: for each {"ids", "pieces", "logprobs", "best"}; the first token has nothing before it, so its logprob is null;
best is the most probable token's logprob at the place.
"""
import json
import os
import sys


class Llama:
    def __init__(self, path):
        import llama_cpp
        self.model = llama_cpp.Llama(path, n_ctx=1024, logits_all=True, verbose=False)
        self.model.eval([self.model.token_bos()])   # the server has it from the request before the first question

    def ids(self, text):
        return self.model.tokenize(text.encode(), add_bos=True, special=True)

    def piece(self, token):
        return self.model.detokenize([token], special=True).decode(errors="replace")

    def logits(self, ids):
        """Evaluates what the text before does not begin with, as the server does.

        The kernel of a token depends on its place in the batch, and kernels for quantized weights differ by tenths of a nat.
        """
        before = self.model.input_ids[:self.model.n_tokens].tolist()
        if ids != before:
            self.model.n_tokens = min(len(os.path.commonprefix([before, ids])), len(ids) - 1)
            self.model.eval(ids[self.model.n_tokens:])
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


def answer(model, question):
    import numpy
    ids = question.get("ids") or model.ids(question["text"])
    logits = model.logits(ids).astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    logprobs = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
    own = [None] + [float(logprobs[i, ids[i + 1]]) for i in range(len(ids) - 1)]
    best = [None] + [float(logprobs[i].max()) for i in range(len(ids) - 1)]
    return {"ids": ids, "pieces": [model.piece(i) for i in ids], "logprobs": own, "best": best}


def main():
    kind, path = sys.argv[1:]
    model = {"llama": Llama, "hf": Transformers}[kind](path)
    json.dump([answer(model, question) for question in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
