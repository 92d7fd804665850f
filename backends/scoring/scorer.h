#pragma once
/*
 * scorer - has one engine score recorded answers, one after another: finds the prompt's context,
 * asks, and finds the scores in what comes.
 *
 * Several scorers may work on one engine side by side, each in its own thread; scorer_stop() alone
 * may come from another thread or a signal handler.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "backends/scoring/score.h"
#include "backends/templates.h"
#include "base/claim.h"

#define SCORER_ANSWER_LIMIT ((size_t)256 << 20) /* bytes of an answer; it is read to its end */

/* Whose tokens stand before the answer that is scored. */
enum score_prompt {
	SCORE_PROMPT_OWN,     /* the scoring engine's: it writes the prompt by its own template */
	SCORE_PROMPT_PRIMARY, /* those that were recorded with the answer */
	N_SCORE_PROMPTS,
};
extern const char *const SCORE_PROMPT_WORDS[N_SCORE_PROMPTS + 1]; /* ended by NULL */

struct scorer_settings {
	const struct dialect *dialect; /* whose scoring is not SCORING_NONE */
	struct call_line_settings line;
	/* For chats, whether the engine shows its own template or not; NULL: the engine's. */
	const struct chat_template *template;
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* a longer prompt is not scored; 0: any */
	int top;                    /* alternatives a position; the dialect's limit holds */
	uint64_t timeout_ms;        /* of one request */
	size_t answer_limit;        /* bytes of an answer; 0: SCORER_ANSWER_LIMIT */
	/* Answers take what they hold from it; NULL: no limit. */
	struct budget *budget;
};

struct scorer;

/* NULL and a sentence (the caller frees it). The settings' strings must outlive the scorer. */
struct scorer *scorer_create(const struct scorer_settings *s, char **ret_error);
void scorer_destroy(struct scorer *s); /* NULL is fine */
const struct dialect *scorer_dialect(const struct scorer *s);
void scorer_stop(struct scorer *s); /* what is under way, and all later, end as SCORER_STOPPED */

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
	char *why;                 /* unless DONE: fits behind "can't be scored: " */
	struct buf request;        /* as it was sent */
	struct call_answer answer; /* to it */
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
