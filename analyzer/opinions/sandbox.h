#pragma once
/*
 * sandbox - runs an untrusted Python program without network, files or access to other processes:
 * in bubblewrap's namespaces, with limits of time, memory and output. Any thread. Each call starts
 * one process tree, which has ended when the call returns.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/check.h"

struct sandbox {
	const char *python; /* path of the interpreter; NULL: /usr/bin/python3 */
	/* may be NULL; when it becomes true, the program is killed at once */
	const atomic_bool *stopped;
	uint64_t timeout_ms; /* time for the whole call */
	uint64_t memory;     /* bytes of address space, for each process */
	size_t output_limit; /* the most bytes of output that are read */
};

enum sandbox_end {
	SANDBOX_DONE,     /* the program exited with 0 */
	SANDBOX_FAILED,   /* it ended in another way, or could not be started; see `error` */
	SANDBOX_TIMEOUT,  /* it took too long and was killed */
	SANDBOX_TOO_MUCH, /* it printed too much and was killed */
	SANDBOX_STOPPED,  /* `stopped` became true */
};

struct sandbox_result {
	enum sandbox_end end;
	struct buf output;
	struct buf error; /* the end of its standard error */
};

/* Returns NULL, or a sentence about why no program can be run on this machine, which the caller
 * frees. */
char *sandbox_check(const struct sandbox *s) MUST_CHECK;
/* program: Python source; input: its standard input. */
void sandbox_run(const struct sandbox *s, const char *program, struct span input,
        struct sandbox_result *ret);
/* Removes the next whole line from *lines and returns it; empty: there is none. */
struct span sandbox_next_line(struct span *lines);
void sandbox_result_finish(struct sandbox_result *r);
