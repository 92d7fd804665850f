#!/usr/bin/env python3
"""Makes sample files of lm-evaluation-harness with its own writer, from a table of answers.

usage: make_lm_eval.py DIR      needs lm_eval (PyPI); made the files under lm-eval-VERSION/
"""
import importlib.metadata
import json
import pathlib
import sys

from lm_eval.loggers.evaluation_tracker import EvaluationTracker
from lm_eval.models.api_models import JsonChatStr
from lm_eval.utils import hash_string

SUMS = [(17, 25), (3, 4), (250, 250), (9, 9), (1200, 34), (5, 6)]
ANSWERS = {"org/large": ["17 + 25 = 42. The answer is 42.", "The answer is 7.", "The answer is 500.", "The answer is 18.",
                         "The answer is 1,234.", "The answer is 12."],
           "org/small": ["17 + 25 = 41. The answer is 41.", "7", "The answer is 500.", "The answer is **18**.", "The answer is 1243.",
                         "The answer is 11."]}


def sample(doc_id, doc, target, arguments, resps, name, filtered, metrics):
    """Make samples like the evaluator's."""
    return {"doc_id": doc_id, "doc": doc, "target": target, "arguments": arguments, "resps": resps, "filtered_resps": filtered,
            "filter": name, "metrics": list(metrics), "doc_hash": hash_string(json.dumps(doc, indent=2, ensure_ascii=False)),
            "prompt_hash": hash_string(str(arguments[0][0])), "target_hash": hash_string(str(target)), **metrics}


def sums(model):
    how = {"until": ["Question:", "\n\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 256}
    for name in ("strict-match", "flexible-extract"):
        for i, ((a, b), answer) in enumerate(zip(SUMS, ANSWERS[model])):
            doc = {"question": f"What is {a} + {b}?", "answer": f"{a} and {b} are {a + b}.\n#### {a + b}",
                   "subject": "small" if a + b < 100 else "large"}
            yield sample(i, doc, doc["answer"], [(f"Question: {doc['question']}\nAnswer:", how)], [[answer]], name,
                         [answer.split()[-1].strip(".")], {"exact_match": float(str(a + b) in answer)})


def chats(model):
    for i, (word, gold) in enumerate([("Norway", "Oslo"), ("Perú", "Lima")]):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"Name the capital of {word}."}]
        answers = [gold, gold + "."] if model == "org/large" else ["It is " + gold, "Bergen"]
        yield sample(i, {"country": word}, gold, [(JsonChatStr(json.dumps(messages, ensure_ascii=False)), {"temperature": 0.7, "do_sample": True})],
                     [answers], "none", [answers[0]], {"exact_match": 1.0})


def letters(model):
    yield sample(0, {"question": "Pick one."}, 1, [("Pick one. Answer:", " A"), ("Pick one. Answer:", " B")],
                 [[(-1.5, False)], [(-0.5, True)]], "none", [(-1.5, False), (-0.5, True)], {"acc": 1.0})


def main():
    to = pathlib.Path(sys.argv[1]) / f"lm-eval-{importlib.metadata.version('lm_eval')}"
    for model in ANSWERS:
        tracker = EvaluationTracker(output_path=str(to))
        tracker.general_config_tracker.model_name_sanitized = model.replace("/", "__")
        tracker.date_id = "2026-04-19T12-00-00.250000"
        for task in (sums, chats, letters):
            tracker.save_results_samples(task.__name__, list(task(model)))


if __name__ == "__main__":
    main()
