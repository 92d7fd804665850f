#pragma once
/*
 * advice - the commands that a report proposes. Every word is known and quoted for a shell, so that
 * the command can be pasted. If a word is not known (for example the URLs of an imported capture)
 * there is no command: NULL. The caller frees the result. Any thread.
 */
#include <stdbool.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/record.h"

#define ADVICE_URL_SIZE 256
#define ADVICE_NAME_SIZE 128

/* One side of a comparison, from its first leg (by id) that has a URL; zero-initialised is not
 * known. */
struct advice_engine {
	struct id leg;
	char url[ADVICE_URL_SIZE];   /* "": not known, or not safe to paste */
	char name[ADVICE_NAME_SIZE]; /* name of the backend; "": not known, or not safe to paste */
	bool can_score;              /* it returns logprobs of a given text */
	bool may_score;              /* can_score, or the engine is not known */
	bool has_again;              /* its new answers are recorded already, see advice_replay() */
};
/* New answers of a backend are recorded under its name with this at its end. */
#define ADVICE_AGAIN "-again"
/* url, dialect: NULL if not known. */
void advice_engine_note(struct advice_engine *e, struct id leg, const char *url,
        const char *backend, const char *dialect);

/* What all commands of one analysis share. A NULL pointer means that it is not known. */
struct advice_place {
	const char *const *dirs; /* of the captures, as given by the user */
	size_t n_dirs;
	/* Returns whether the captures' settings have a backend of this name at this URL. arg: the
	 * member below. */
	bool (*has_backend)(void *arg, const char *name, const char *url);
	void *arg;
};

/* The directories as operands of a command. NULL: there are none, or one can't be pasted. */
char *advice_captures(const struct advice_place *p) MUST_CHECK;

/* A command that shows what one engine can do, or what two can; it asks a URL that both share only
 * once. */
char *advice_probe(const struct advice_engine *e) MUST_CHECK;
char *advice_probes(const struct advice_engine *a, const struct advice_engine *b) MUST_CHECK;

/* Sends the requests again, with the options `how`, to the base, the test or both, and compares the
 * new answers with the other side's. A side whose new answers are recorded is not sent to again; a
 * side that is itself such new answers gives NULL. Only for one directory: with several it is not
 * known which one holds the requests. */
char *advice_replay(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool to_base, bool to_test, const char *how) MUST_CHECK;
/* Lets one side that can score (the base, if possible) score the other side's answers. may: a
 * side with may_score is also accepted. Only for one directory. */
char *advice_score(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool may) MUST_CHECK;
/* Lets the base score its own answers, so that the noise of scoring is known. answered: the capture
 * has such answers; else the base generates them first. Only for one directory. */
char *advice_score_itself(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool answered) MUST_CHECK;
/* Shows one exchange. */
char *advice_show(const struct advice_place *p, struct id exchange) MUST_CHECK;
/* Compares the answers of two backends. */
char *advice_compare(const struct advice_place *p, const char *base, const char *test) MUST_CHECK;
/* Only for one directory. */
char *advice_grade(const struct advice_place *p) MUST_CHECK;
/* Lists the stacks under which the captures' backends answered. */
char *advice_stacks(const struct advice_place *p) MUST_CHECK;
