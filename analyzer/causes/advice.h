#pragma once
/*
 * advice - the commands that a report proposes. Every word is known and quoted for a shell, so that
 * the user can paste the command. If a word is unknown (for example the URLs of an imported
 * capture) there is no command, and the function returns NULL. The caller frees each result. Any
 * thread.
 */
#include <stdbool.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/record.h"

#define ADVICE_URL_SIZE 256
#define ADVICE_NAME_SIZE 128

/* The engine of one side of a comparison, taken from the side's first leg (by id) that has a
 * URL. Zero-initialised: unknown. */
struct advice_engine {
	struct id leg;
	char url[ADVICE_URL_SIZE];   /* "": unknown, or not safe to paste */
	char name[ADVICE_NAME_SIZE]; /* name of the backend; "": unknown, or not safe to paste */
	bool can_score;              /* it returns logprobs of a given text */
	bool may_score;              /* can_score, or the engine is unknown */
	bool has_again;              /* the capture has its new answers already (ADVICE_AGAIN) */
};
/* The end of a backend's name under which advice_replay() has its new answers recorded. */
#define ADVICE_AGAIN "-again"
/* Sets *e from a leg, if it is the first one with a URL. url, dialect: NULL: unknown. */
void advice_engine_add_leg(struct advice_engine *e, struct id leg, const char *url,
        const char *backend, const char *dialect);

/* What all commands of one analysis have in common. A pointer to it may be NULL: unknown. */
struct advice_place {
	const char *const *dirs; /* directories of the captures, as given by the user */
	size_t n_dirs;
	/* True if the captures' settings have a backend of this name at this URL. arg: the
	 * member below. May be NULL: unknown. */
	bool (*has_backend)(void *arg, const char *name, const char *url);
	void *arg;
};

/* The directories as words of a command. NULL: there are none, or one can't be pasted. */
char *advice_captures(const struct advice_place *p) MUST_CHECK;

/* A command that shows what one engine can do, or two engines. If both have the same URL, it
 * asks only once. */
char *advice_probe(const struct advice_engine *e) MUST_CHECK;
char *advice_probes(const struct advice_engine *a, const struct advice_engine *b) MUST_CHECK;

/* A command that sends the requests again, with the options `how`, to the base, the test or
 * both, and compares the new answers with the other side's. It does not send to a side whose new
 * answers are recorded already. NULL also if a side is itself such new answers, or for several
 * directories, since it is unknown which one has the requests. */
char *advice_replay(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool to_base, bool to_test, const char *how) MUST_CHECK;
/* A command that lets one side that can score (the base, if possible) score the other side's
 * answers. may: also accept a side with may_score. Only for one directory. */
char *advice_score(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool may) MUST_CHECK;
/* A command that lets the base score its own answers, which shows the noise of scoring.
 * answered: the capture has such answers; if not, the base generates them first. Only for one
 * directory. */
char *advice_score_itself(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool answered) MUST_CHECK;
/* A command that shows one exchange. */
char *advice_show(const struct advice_place *p, struct id exchange) MUST_CHECK;
/* A command that compares the answers of two backends. */
char *advice_compare(const struct advice_place *p, const char *base, const char *test) MUST_CHECK;
/* A command that grades the answers. Only for one directory. */
char *advice_grade(const struct advice_place *p) MUST_CHECK;
/* A command that lists the stacks under which the captures' backends answered. */
char *advice_stacks(const struct advice_place *p) MUST_CHECK;
