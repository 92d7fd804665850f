#pragma once
/*
 * mathematics - asks Math-Verify (PyPI: math-verify) whether mathematical values in LaTeX are
 * equal, in a sandbox of its own.
 *
 * Of two answers it asks so that a wrong "same" is unlikely: names, units and the kind of each list
 * must be equal, and numbers must agree to 15 digits. An answer is graded as benchmarks do it:
 * units are left out and decimals are rounded to six places. The answer depends on the order;
 * nothing here asks twice.
 */
#include "backends/opinion.h"
#include "analyzer/opinions/sandbox.h"

/* Questions of one call: starting Python takes as long as a hundred of them. */
#define MATHEMATICS_BATCH 256

struct mathematics {
	const char *python;         /* that has the package; NULL: /usr/bin/python3 */
	uint64_t question_ms;       /* processor time of one question */
	uint64_t memory;            /* bytes, of each process */
	const atomic_bool *stopped; /* true: end at once; may be NULL */
};

enum mathematics_use { MATHEMATICS_PAIR, MATHEMATICS_GOLD };

struct mathematics_question {
	struct span first,
	        second; /* LaTeX without the marks of a formula; of GOLD the right answer is first */
};

struct mathematics_reply {
	enum opinion verdict;
	char *why; /* it can't be told, in a few words; else empty */
};

/* NULL and its version, or one sentence: why nothing can be asked. The caller frees either. */
char *mathematics_check(const struct mathematics *m, char **ret_version) MUST_CHECK;
/*
 * Answers the questions in their order and returns how many it answered, which is all of them
 * unless it was stopped or the sandbox ended twice without an answer; *ret_why then says why (NULL:
 * it was stopped). A question without an answer in time cannot be told. Any thread; n <=
 * MATHEMATICS_BATCH.
 */
size_t mathematics_ask(const struct mathematics *m, enum mathematics_use use,
        const struct mathematics_question *questions, size_t n, struct mathematics_reply *replies,
        char **ret_why);
void mathematics_reply_finish(struct mathematics_reply *r);
