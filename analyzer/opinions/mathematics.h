#pragma once
/*
 * mathematics - asks Math-Verify (PyPI: math-verify), in a sandbox, whether mathematical values in
 * LaTeX are equal.
 *
 *	MATHEMATICS_PAIR  compares two answers strictly, so that a wrong "same" is unlikely: names,
 *	                  units and the kind of each list must be equal, and numbers must agree to
 *	                  15 digits
 *	MATHEMATICS_GOLD  grades an answer by the right answer, as benchmarks do: units are left
 *	                  out, and decimals are rounded to six places
 *
 * Math-Verify's result depends on the order of its arguments; each question is asked in one order
 * only.
 */
#include "backends/judge_opinion.h"
#include "analyzer/opinions/sandbox.h"

/* The most questions in one call. Starting Python takes as long as a hundred questions. */
#define MATHEMATICS_BATCH 256
/* The default of question_ms, for every command. */
#define MATHEMATICS_QUESTION_MS UINT64_C(5000)

struct mathematics {
	const char *python;   /* interpreter that has the package; NULL: /usr/bin/python3 */
	uint64_t question_ms; /* ms of CPU time for one question */
	uint64_t memory;      /* bytes, of each process */
	/* if *stopped becomes true, the call ends within 0.1 s; may be NULL */
	const atomic_bool *stopped;
};

enum mathematics_use { MATHEMATICS_PAIR, MATHEMATICS_GOLD };

struct mathematics_question {
	/* LaTeX without the delimiters of a formula. For MATHEMATICS_GOLD, `first` is the right
	 * answer. */
	struct span first, second;
};

struct mathematics_reply {
	enum opinion verdict;
	char *why; /* for OPINION_CANNOT_TELL: why, in a few words; else "" */
};

/* Checks whether mathematics_ask() will work. Returns NULL and sets *ret_version, a text with the
 * package's version, which the caller frees. Or returns a sentence that says why not. Blocks as
 * long as Python takes to start. */
char *mathematics_check(const struct mathematics *m, char **ret_version) MUST_CHECK;
/*
 * Answers the n <= MATHEMATICS_BATCH questions in order, and returns how many it answered. It sets
 * as many items of replies[]; call mathematics_reply_finish() for each. The answer to a question
 * that takes too long is OPINION_CANNOT_TELL. Any thread. Blocks.
 *
 *	returned  *ret_why
 *	n         NULL
 *	below n   NULL: the call was stopped
 *	          else a sentence, which the caller frees: the sandbox failed twice in a row
 *	          without an answer
 */
size_t mathematics_ask(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct mathematics_reply *replies,
        char **ret_why);
void mathematics_reply_finish(struct mathematics_reply *r);
