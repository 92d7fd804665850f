#pragma once
/*
 * mathematics - asks Math-Verify (PyPI: math-verify), in a sandbox, whether mathematical values in
 * LaTeX are equal.
 *
 * For two answers it asks strictly, so that a wrong "same" is unlikely: names, units and the kind
 * of each list must be equal, and numbers must agree to 15 digits. For a right answer it grades as
 * benchmarks do: units are left out and decimals are rounded to six places. Math-Verify's result
 * depends on the order of its arguments; each question is asked once.
 */
#include "backends/opinion.h"
#include "analyzer/opinions/sandbox.h"

/* Questions of one call: starting Python takes as long as a hundred of them. */
#define MATHEMATICS_BATCH 256
/* The default of question_ms, for every command. */
#define MATHEMATICS_QUESTION_MS UINT64_C(5000)

struct mathematics {
	const char *python;         /* with the package installed; NULL: /usr/bin/python3 */
	uint64_t question_ms;       /* CPU time for one question */
	uint64_t memory;            /* bytes, of each process */
	const atomic_bool *stopped; /* true: end at once; may be NULL */
};

enum mathematics_use { MATHEMATICS_PAIR, MATHEMATICS_GOLD };

struct mathematics_question {
	struct span first,
	        /* LaTeX without the marks of a formula; of GOLD the right answer is first */
	        second;
};

struct mathematics_reply {
	enum opinion verdict;
	char *why; /* why it can't be told, in a few words; else empty */
};

/* NULL and the version, or a sentence why it can't be used. The caller frees either. */
char *mathematics_check(const struct mathematics *m, char **ret_version) MUST_CHECK;
/*
 * Answers the questions in order and returns the number of answers: all of them, unless it was
 * stopped or the sandbox ended twice without an answer; *ret_why then gives the reason (NULL: it
 * was stopped). A question that takes too long can't be told. Any thread; n <= MATHEMATICS_BATCH.
 */
size_t mathematics_ask(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct mathematics_reply *replies,
        char **ret_why);
void mathematics_reply_finish(struct mathematics_reply *r);
