#pragma once
/*
 * deposit - stores imported answers in a capture: exchanges, legs, and what is known of the
 * backends.
 *
 * Answers to the same prompt (with the same suite, item and category) form one exchange, from
 * whatever files. An answer that the capture has is not stored again, so a file may be imported
 * twice. Several answers of one backend to one prompt are repeats. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/formats/answer.h"

#define DEPOSIT_BACKENDS_LIMIT 256

struct deposit;

struct deposit_settings {
	const char *dir;
	/* the backend that becomes the reference, all others candidates; NULL: as the answers
	 * say */
	const char *base;
	const char *settings; /* JSON for the segments' meta */
};

/* Returns NULL and a sentence if the capture cannot be opened, created or read. */
struct deposit *deposit_create(const struct deposit_settings *s, char **ret_error);

enum deposit_result {
	DEPOSIT_NEW,
	DEPOSIT_KNOWN,   /* the capture has it */
	DEPOSIT_REFUSED, /* refused; *ret_why is a sentence without a full stop */
};
enum deposit_result deposit_add(
        struct deposit *d, const struct answer *a, const char **ret_why) MUST_CHECK;

struct deposit_backend {
	char *name;
	enum role role; /* role of its first answer */
	uint64_t answers;
	struct id manifest;
};

struct deposit_figures {
	uint64_t exchanges, answers, known; /* new ones; answers that the capture had */
	uint64_t repeated; /* of these, answers that this import has more than once */
	uint64_t gold;     /* new exchanges with a known right answer */
	uint64_t lost;     /* rows that could not be written */
	struct deposit_backend *backends; /* deposit_figures_finish() */
	size_t n_backends;
};
/* Writes the rest, closes the capture and frees d. */
void deposit_end(struct deposit *d, struct deposit_figures *ret);
void deposit_figures_finish(struct deposit_figures *f);
