#pragma once
/*
 * sandbox - a foreign program in Python, without network, files or a way to what else runs: bubblewrap's
 * namespaces, and limits of time, memory and output. Any thread; each call is one process tree, which is
 * gone when it returns.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/check.h"

struct sandbox {
	const char *python;         /* a path as in a virtual environment; NULL: /usr/bin/python3 */
	const atomic_bool *stopped; /* true: end at once; may be NULL */
	uint64_t timeout_ms;        /* of the whole call */
	uint64_t memory;            /* bytes of address space, of each process */
	size_t output_limit;        /* bytes that are read of what it prints */
};

enum sandbox_end {
	SANDBOX_DONE,     /* it ended by itself, with 0 */
	SANDBOX_FAILED,   /* it ended otherwise, or could not be started; see error */
	SANDBOX_TIMEOUT,  /* and was ended */
	SANDBOX_TOO_MUCH, /* printed, and was ended */
	SANDBOX_STOPPED,  /* as was asked for */
};

struct sandbox_result {
	enum sandbox_end end;
	struct buf output;
	struct buf error; /* the end of what it wrote to its standard error */
};

/* NULL, or one sentence: why nothing can be run here (the caller frees it). */
char *sandbox_check(const struct sandbox *s) MUST_CHECK;
/* program: Python; input: what its standard input holds. */
void sandbox_run(const struct sandbox *s, const char *program, struct span input,
        struct sandbox_result *ret);
void sandbox_result_finish(struct sandbox_result *r);
