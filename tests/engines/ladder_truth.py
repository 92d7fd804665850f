"""Computes the exact divergence between precisions of one model, for test_ladder.py to compare with.

    PYTHON tests/engines/ladder_truth.py BASE.gguf TEST.gguf... < texts     in the environment of llama-cpp-python

texts is a JSON list of strings. Prints JSON: for each TEST, for each text, for each token but the first, KL(BASE || TEST)
over the whole vocabulary in nats, and whether both models have the same most probable token.
"""
import json
import sys

import llama_cpp
import numpy


def logprobs(model, ids):
    model.reset()
    model.eval(ids)
    logits = model.scores[:len(ids)].astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))


def load(path):
    return llama_cpp.Llama(path, n_ctx=512, logits_all=True, verbose=False)


def apart(p, r):
    return {"kl": (numpy.exp(p) * (p - r)).sum(axis=1).tolist(), "same_top": (p.argmax(axis=1) == r.argmax(axis=1)).tolist()}


def main():
    base, *tests = sys.argv[1:]
    texts = json.load(sys.stdin)
    models = [load(path) for path in (base, *tests)]
    ids = [models[0].tokenize(text.encode(), add_bos=True, special=True) for text in texts]
    found = [[] for _ in tests]
    for sequence in ids:
        # The row after the last token predicts nothing. One text at a time, because a row has 262,144 numbers.
        p = logprobs(models[0], sequence)[:-1]
        for model, list_of in zip(models[1:], found):
            list_of.append(apart(p, logprobs(model, sequence)[:-1]))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
