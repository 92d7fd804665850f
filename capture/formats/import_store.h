#pragma once
/*
 * import_store - stores imported answers in a capture: exchanges, legs, backends' manifests.
 *
 * Answers to the same prompt (with the same suite, item, category and gold answer) form one
 * exchange, whichever files they come from. An answer that the capture has is not stored again.
 * Several answers of one backend to one prompt are repeats. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/formats/imported_answer.h"

#define IMPORT_STORE_BACKENDS_LIMIT 256

struct import_store;

struct import_store_settings {
	const char *dir;
	/* the backend that becomes the reference, while all others become candidates; must outlive
	 * the store. NULL: the roles are those of the answers. */
	const char *base;
	const char *settings; /* JSON for the segments' meta */
};

/* Returns NULL, and in *ret_error a sentence that the caller frees, if the capture cannot be
 * opened, created or read. */
struct import_store *import_store_create(const struct import_store_settings *s, char **ret_error);

enum import_store_result {
	IMPORT_STORE_NEW,
	IMPORT_STORE_KNOWN, /* the capture has it already */
	/* it cannot be stored; *ret_why is a static sentence without a full stop */
	IMPORT_STORE_REFUSED,
};
enum import_store_result import_store_add(
        struct import_store *d, const struct imported_answer *a, const char **ret_why) MUST_CHECK;

struct import_store_backend {
	char *name;
	enum role role; /* the role in its first answer */
	uint64_t answers;
	struct id manifest;
};

struct import_store_figures {
	/* exchanges, answers: new ones; known: answers that the capture had already */
	uint64_t exchanges, answers, known;
	uint64_t repeated; /* known answers that this import contains more than once */
	uint64_t gold;     /* new exchanges with a known right answer */
	uint64_t lost;     /* exchanges and answers that could not be written */
	struct import_store_backend *backends; /* freed by import_store_figures_finish() */
	size_t n_backends;
};
/* Writes what is left, closes the capture and frees d. */
void import_store_end(struct import_store *d, struct import_store_figures *ret);
void import_store_figures_finish(struct import_store_figures *f);
