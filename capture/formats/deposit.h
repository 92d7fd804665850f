#pragma once
/*
 * deposit - puts imported answers into a capture: the exchanges they make, their legs, and what is known
 * of their backends.
 *
 * Answers to the same prompt (and of the same suite, item and category) become one exchange, whatever
 * files they are from. An answer that the capture has is not put there again, so that a file may be
 * imported twice. Several answers of one backend to one prompt are its repeats. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/formats/answer.h"

#define DEPOSIT_BACKENDS_LIMIT 256

struct deposit;

struct deposit_settings {
	const char *dir;
	const char *base; /* the backend that is the reference, all others are candidates; NULL: as
	                         the answers say */
	const char *settings; /* JSON for the segments' meta */
};

/* NULL and a sentence: the capture can't be opened, made or read. */
struct deposit *deposit_create(const struct deposit_settings *s, char **ret_error);

enum deposit_result {
	DEPOSIT_NEW,
	DEPOSIT_KNOWN,   /* it is there */
	DEPOSIT_REFUSED, /* *ret_why says why, without a full stop */
};
enum deposit_result deposit_add(
        struct deposit *d, const struct answer *a, const char **ret_why) MUST_CHECK;

struct deposit_backend {
	char *name;
	enum role role; /* of its first answer */
	uint64_t answers;
	struct id manifest;
};

struct deposit_figures {
	uint64_t exchanges, answers, known; /* new ones; answers that were there */
	uint64_t repeated; /* of the latter: that this import brought more than once */
	uint64_t gold;     /* of the new exchanges, those with a right answer */
	uint64_t lost;     /* rows that could not be written */
	struct deposit_backend *backends; /* deposit_figures_finish() */
	size_t n_backends;
};
/* Writes what is left and closes the capture; d is gone. */
void deposit_end(struct deposit *d, struct deposit_figures *ret);
void deposit_figures_finish(struct deposit_figures *f);
