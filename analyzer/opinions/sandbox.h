#pragma once
/*
 * sandbox - runs an untrusted Python program in bubblewrap's namespaces: without network, without
 * access to other processes, and with limits of time, memory and output. The program sees only the
 * machine's programs and libraries, and a temporary folder of 64 MiB. Any thread. Each call starts
 * one process tree, which has ended when the call returns.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/check.h"

struct sandbox {
	const char *python; /* path of the interpreter; NULL: /usr/bin/python3 */
	/* if *stopped becomes true, the program is killed within 0.1 s; may be NULL */
	const atomic_bool *stopped;
	uint64_t timeout_ms; /* real time for the whole call */
	uint64_t memory;     /* bytes of address space, for each process */
	size_t output_limit; /* the most bytes of output; with more, the program is killed */
};

enum sandbox_end {
	SANDBOX_DONE, /* the program exited with 0 */
	/* another exit code, or a signal; or the program could not be started. See `error` */
	SANDBOX_FAILED,
	SANDBOX_TIMEOUT,  /* the program took too long and was killed */
	SANDBOX_TOO_MUCH, /* the program printed too much and was killed */
	SANDBOX_STOPPED,  /* *stopped became true, and the program was killed */
};

struct sandbox_result {
	enum sandbox_end end;
	struct buf output;
	struct buf error; /* last 4 KiB of standard error, or why the program did not start */
};

/* Runs a small program, for at most s->timeout_ms or 20 s, whichever is longer. Returns NULL, or a
 * sentence: why this machine can run no program. */
char *sandbox_check(const struct sandbox *s) MUST_CHECK;
/* Runs a program, blocks until it has ended, and sets *ret. program: Python source. input: standard
 * input of the program. Call sandbox_result_finish() last. */
void sandbox_run(const struct sandbox *s, const char *program, struct span input,
        struct sandbox_result *ret);
/* Removes the next line from *lines and returns the line without the line feed. Empty: the line is
 * empty; or no line feed is left, and *lines is unchanged. */
struct span sandbox_next_line(struct span *lines);
void sandbox_result_finish(struct sandbox_result *r);
