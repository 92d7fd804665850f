#pragma once
/*
 * deposit - stores imported answers in a capture: exchanges, legs, and manifests of the backends.
 *
 * Answers to the same prompt (with the same suite, item and category) form one exchange, whichever
 * files they come from. An answer that the capture has is not stored again, so a file may be
 * imported twice. Several answers of one backend to one prompt are repeats. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/formats/answer.h"

#define DEPOSIT_BACKENDS_LIMIT 256

struct deposit;

struct deposit_settings {
	const char *dir;
	/* the backend that becomes the reference, while all others become candidates; NULL: the
	 * roles are those of the answers */
	const char *base;
	const char *settings; /* JSON for the segments' meta */
};

/* Returns NULL, and in *ret_error a sentence that the caller frees, if the capture cannot be
 * opened, created or read. */
struct deposit *deposit_create(const struct deposit_settings *s, char **ret_error);

enum deposit_result {
	DEPOSIT_NEW,
	DEPOSIT_KNOWN, /* the capture has it already */
	/* it cannot be stored; *ret_why is a static sentence without a full stop */
	DEPOSIT_REFUSED,
};
enum deposit_result deposit_add(
        struct deposit *d, const struct answer *a, const char **ret_why) MUST_CHECK;

struct deposit_backend {
	char *name;
	enum role role; /* the role in its first answer */
	uint64_t answers;
	struct id manifest;
};

struct deposit_figures {
	/* new ones; known: answers that the capture had already */
	uint64_t exchanges, answers, known;
	uint64_t repeated; /* known answers that this import contains more than once */
	uint64_t gold;     /* new exchanges with a known right answer */
	uint64_t lost;     /* rows that could not be written */
	struct deposit_backend *backends; /* freed by deposit_figures_finish() */
	size_t n_backends;
};
/* Writes what is left, closes the capture and frees d. */
void deposit_end(struct deposit *d, struct deposit_figures *ret);
void deposit_figures_finish(struct deposit_figures *f);
