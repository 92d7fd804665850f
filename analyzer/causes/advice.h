#pragma once
/*
 * advice - the commands that a report proposes. Each is made of words that are known and quoted
 * for a shell, so that it can be pasted. Where a word is not known, as of an imported capture the
 * URLs, there is no command: NULL. The caller frees what it gets. Any thread.
 */
#include <stdbool.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/record.h"

#define ADVICE_URL_SIZE 256
#define ADVICE_NAME_SIZE 128

/* One side of a comparison, as its first leg (by its id) with a URL has it; zero-initialised is not
 * known. */
struct advice_engine {
	struct id leg;
	char url[ADVICE_URL_SIZE];   /* "": none, or none that can be pasted */
	char name[ADVICE_NAME_SIZE]; /* of the backend; likewise */
	bool can_score;              /* it gives logprobs of a text that it is given */
	bool may_score;              /* or it is not known which engine it is */
};
/* url, dialect: NULL where not known. */
void advice_engine_note(struct advice_engine *e, struct id leg, const char *url,
        const char *backend, const char *dialect);

/* What all commands of one analysis have in common. NULL pointers: not known. */
struct advice_place {
	const char *const *dirs; /* of the captures, as the user gave them */
	size_t n_dirs;
	/* Do the captures' settings have a backend of that name at that URL? */
	bool (*has_backend)(void *arg, const char *name, const char *url);
	void *arg;
};

/* The directories as operands; NULL: there are none, or one can't be pasted. */
char *advice_captures(const struct advice_place *p) MUST_CHECK;

/* The capabilities of an engine, or of two; one URL is asked once. */
char *advice_probe(const struct advice_engine *e) MUST_CHECK;
char *advice_probes(const struct advice_engine *a, const struct advice_engine *b) MUST_CHECK;

/* Sends the requests again, with the options how, to the base, the test or both, and compares
 * the new answers with the other side's. Of one directory alone: of several it is not known
 * which holds the requests. */
char *advice_replay(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool to_base, bool to_test, const char *how) MUST_CHECK;
/* Has the side that can score, preferably the base, score the other's answers. may: one of which
 * that is not known will do. Of one directory alone. */
char *advice_score(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool may) MUST_CHECK;
/* Has the base score its own answers, so that the noise of scoring is known; answered: the capture
 * has such answers, else the base is asked for them first. Of one directory alone. */
char *advice_score_itself(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool answered) MUST_CHECK;
char *advice_show(const struct advice_place *p, struct id exchange) MUST_CHECK;
/* Of one directory alone. */
char *advice_grade(const struct advice_place *p) MUST_CHECK;
char *advice_stacks(const struct advice_place *p) MUST_CHECK;
