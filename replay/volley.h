#pragma once
/*
 * volley - several requests sent to one engine at set times, and the answer to one of them.
 *
 * For what shows only in company: the others are sent for their own sake, their answers are read and thrown
 * away. Nothing is recorded. Runs a loop of its own; SIGINT and SIGTERM break it off. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"
#include "replay/target.h"

struct volley_shot {
	uint64_t at;     /* ns since the volley's start */
	uint64_t cancel; /* ns after it was sent its client leaves; 0: it stays */
	const char *path;
	struct span body;
	bool stream;
};

struct volley_answer {
	const char *failure; /* NULL: answered, with whatever status; static */
	int status;          /* 0: no head came */
	struct reading *reading;
};

struct volley {
	const struct target *target;
	const struct volley_shot *shots; /* any order */
	size_t n;
	size_t asked;           /* whose answer is wanted */
	enum endpoint endpoint; /* its */
};

/* 0, or -ECANCELED: broken off by a signal. It returns when all have ended. *ret is written on success. */
int volley_fire(const struct volley *v, struct volley_answer *ret) MUST_CHECK;
void volley_answer_finish(struct volley_answer *a);
