#pragma once
/*
 * advice - makes the commands that a report proposes. Each function below that returns a char *
 * returns such a command, quoted for a shell so that the user can paste it. The caller frees the
 * command. NULL: a part of the command is unknown (for example the URL, in an imported capture) or
 * not safe to paste. Pure, if has_backend() is.
 */
#include <stdbool.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/record.h"

#define ADVICE_URL_SIZE 256
#define ADVICE_NAME_SIZE 128

/* The engine of one side of a comparison, as one leg of this side states it: the leg with the
 * lowest id among those with a URL; if no leg has a URL, among all. Zero-initialised: unknown. */
struct advice_engine {
	struct id leg;
	/* the URL, and the name of the backend; "": unknown, too long, or not safe to paste */
	char url[ADVICE_URL_SIZE], name[ADVICE_NAME_SIZE];
	bool can_score; /* its dialect can return logprobs of a given text */
	bool may_score; /* can_score, or the dialect is unknown */
	/* the capture has answers of a backend named `name` plus ADVICE_AGAIN; set by the caller
	 * after the last leg was added */
	bool has_again;
};
/* advice_replay() proposes to send requests again, and to record the answers under the backend's
 * name plus this suffix. */
#define ADVICE_AGAIN "-again"
/* Considers one more leg of the side; legs may come in any order. url, dialect: NULL: unknown. */
void advice_engine_add_leg(struct advice_engine *e, struct id leg, const char *url,
        const char *backend, const char *dialect);

/* The environment variable with the API key of the backend with this name, at this URL. */
struct advice_key {
	const char *name, *url, *variable;
};

/* What all commands of one analysis have in common. A pointer to it may be NULL: unknown. */
struct advice_place {
	const char *const *dirs; /* directories of the captures, as given by the user */
	size_t n_dirs;
	/* True if the settings that the captures contain have a backend with this name and URL.
	 * The function gets the member `arg` below. May be NULL: unknown. */
	bool (*has_backend)(void *arg, const char *name, const char *url);
	void *arg;
	/* The API keys that the user of this process named. Never take them from a capture:
	 * somebody else's capture could choose which secret a pasted command sends where. */
	const struct advice_key *keys;
	size_t n_keys;
	/* no request in the captures can be sent again, because private text in it was replaced */
	bool has_no_requests;
	/* The recipe of this analysis, as a command without the option that limits its prompts; and
	 * this option. NULL: none. */
	const char *recipe, *limit_option;
	uint64_t limit; /* the option's value; 0: the recipe sent all prompts of its suites */
};

/* Not a command, only its arguments: the directories. */
char *advice_captures(const struct advice_place *p) MUST_CHECK;

/* Shows what the engine can do (`plumbline probe --deep`). advice_probes(): both engines, or the
 * one whose URL is known; one command if both have the same URL. */
char *advice_probe(const struct advice_place *p, const struct advice_engine *e) MUST_CHECK;
char *advice_probes(const struct advice_place *p, const struct advice_engine *a,
        const struct advice_engine *b) MUST_CHECK;

/* Sends the requests of the capture again and analyzes the new answers. to_base, to_test: true: new
 * answers of this side are compared; false: its recorded answers. The command does not send to a
 * side that has_again, because its new answers exist. how: further options of `plumbline replay`;
 * "": none. Also NULL in these cases:
 *
 *	- the name of a side whose new answers are compared already ends in ADVICE_AGAIN
 *	- there are several directories, so it is unknown which one has the requests
 *	- no request can be sent again */
char *advice_replay(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool to_base, bool to_test, const char *how) MUST_CHECK;
/* Lets one side (the scorer) score the other side's answers, and analyzes the scores. The scorer
 * is the side that can_score; if both can, the base. allow_unknown: if neither can_score, the
 * scorer is the side that may_score; if both may, the base. Also NULL if no side is the scorer, or
 * for several directories. */
char *advice_score(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool allow_unknown) MUST_CHECK;
/* Lets the base score its own answers, which shows the noise of scoring, and analyzes the pair of
 * base and test. answered: the capture has answers of the base; if false, the command first replays
 * the requests to the base. Also NULL if the test's name is unknown, if may_score of the base is
 * false, or for several directories. */
char *advice_score_itself(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool answered) MUST_CHECK;
/* Shows one exchange. */
char *advice_show(const struct advice_place *p, struct id exchange) MUST_CHECK;
/* Compares the answers of two backends, given by name. */
char *advice_compare(const struct advice_place *p, const char *base, const char *test) MUST_CHECK;
/* Runs the recipe again with `times` times as many prompts. If the recipe sent all prompts of its
 * suites (limit 0), lists the suites instead. Also NULL without a recipe. */
char *advice_more_prompts(const struct advice_place *p, double times) MUST_CHECK;
/* Grades the answers. Also NULL for several directories. */
char *advice_grade(const struct advice_place *p) MUST_CHECK;
/* Lists the stacks of the captures' backends, and analyzes the answers of each stack by itself. */
char *advice_stacks(const struct advice_place *p) MUST_CHECK;
