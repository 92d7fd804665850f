#pragma once
/*
 * scorer - has one engine score recorded answers, one after another: finds the prompt's context,
 * asks, and finds the scores in the engine's answer.
 *
 * Several scorers can work on one engine in parallel, each in its own thread. Only scorer_stop()
 * may be called from another thread or a signal handler.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "backends/scoring/score.h"
#include "backends/templates.h"
#include "base/claim.h"

#define SCORER_ANSWER_LIMIT ((size_t)256 << 20) /* bytes of an answer; it is read to its end */

/* Whose tokens of the prompt precede the scored answer. */
enum score_prompt {
	SCORE_PROMPT_OWN,     /* the scoring engine's: it writes the prompt by its own template */
	SCORE_PROMPT_PRIMARY, /* those that were recorded with the answer */
	N_SCORE_PROMPTS,
};
extern const char *const SCORE_PROMPT_WORDS[N_SCORE_PROMPTS + 1]; /* ended by NULL */

struct scorer_settings {
	const struct dialect *dialect; /* must not have SCORING_NONE */
	struct call_line_settings line;
	/* The template for chats, used whether or not the engine shows its own; NULL: the
	 * engine's own. */
	const struct chat_template *template;
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* a longer prompt is not scored; 0: any */
	int top;                    /* alternatives a position; the dialect's limit holds */
	uint64_t timeout_ms;        /* of one request */
	size_t answer_limit;        /* bytes of an answer; 0: SCORER_ANSWER_LIMIT */
	/* The memory that answers hold is taken from this budget; NULL: no limit. */
	struct budget *budget;
};

struct scorer;

/* Returns NULL and sets *ret_error to a sentence (the caller frees it) on error. The settings'
 * strings must outlive the scorer. */
struct scorer *scorer_create(const struct scorer_settings *s, char **ret_error);
void scorer_destroy(struct scorer *s); /* NULL is fine */
const struct dialect *scorer_dialect(const struct scorer *s);
void scorer_stop(struct scorer *s); /* what is in progress, and all later, end as SCORER_STOPPED */

enum scorer_end {
	SCORER_DONE,
	SCORER_UNABLE,  /* this answer can't be scored here, now or later */
	SCORER_FAILED,  /* the engine failed: another time it may succeed */
	SCORER_TIMEOUT, /* it did not answer in time */
	SCORER_NO_ROOM, /* the budget has no room for its answer */
	SCORER_GONE,    /* the engine can't be reached */
	SCORER_STOPPED,
};

struct scorer_result {
	enum scorer_end end;
	/* unless DONE: the reason, to be put after "can't be scored: " */
	char *why;
	struct buf request;        /* as it was sent */
	struct call_answer answer; /* the engine's answer to that request */
	struct claim claim;        /* what it holds of the settings' budget */
	uint64_t start_ns;         /* wall clock, when it was sent */
	struct reading *reading;   /* DONE: of the answer */
	uint32_t at;               /* DONE: number of the answer's first token */
	uint32_t marks;            /* DONE: which prompt was scored: bits of enum leg_mark */
};

/* model: as the engine names it, or NULL. */
void scorer_score(struct scorer *s, const struct score_subject *subject, const char *model,
        struct scorer_result *ret);
void scorer_result_finish(struct scorer_result *r);
