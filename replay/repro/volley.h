#pragma once
/*
 * volley - sends several requests to one engine at set times, and returns the answer to one.
 *
 * It is for faults that appear only when other requests run at the same time. The other answers are
 * read and dropped. Nothing is recorded. volley_send() runs its own event loop; SIGINT and SIGTERM
 * interrupt it. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"
#include "replay/target.h"

struct volley_request {
	uint64_t at;      /* ns from the start of volley_send() to sending */
	uint64_t cancel;  /* ns from sending to cancelling; 0: never cancelled */
	const char *path; /* from target_path() */
	struct span body;
	bool stream;
};

struct volley_answer {
	const char *failure;     /* static text; NULL: a complete answer came, with any status */
	int status;              /* status of the answer; 0: no head came */
	struct reading *reading; /* NULL: no head came */
};

struct volley {
	const struct target *target;
	const struct volley_request *requests; /* any order */
	size_t n;
	size_t examined;        /* index of the request whose answer is returned */
	enum endpoint endpoint; /* the endpoint of request `examined` */
};

/* Returns when all requests have ended. 0: volley_answer_finish() frees what *ret has.
 * -ECANCELED: a signal came, and *ret is unchanged. */
int volley_send(const struct volley *v, struct volley_answer *ret) MUST_CHECK;
void volley_answer_finish(struct volley_answer *a);
