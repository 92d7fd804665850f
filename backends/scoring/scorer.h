#pragma once
/*
 * scorer - has one engine score recorded answers, one after another: prepares the prompt before the
 * answer, asks, and finds the scores in the engine's answer.
 *
 * Several scorers can ask one engine in parallel, each in its own thread. Only scorer_stop() may be
 * called from another thread or a signal handler.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/question_end.h"
#include "backends/dialects/dialect.h"
#include "backends/scoring/score_request.h"
#include "backends/templates.h"
#include "base/claim.h"

#define SCORER_ANSWER_LIMIT ((size_t)256 << 20) /* bytes of an answer, which is read to its end */

/* Which tokens of the prompt stand before the scored answer. */
enum score_prompt {
	SCORE_PROMPT_OWN,     /* the scoring engine writes the prompt by its own template */
	SCORE_PROMPT_PRIMARY, /* the tokens that were recorded with the answer */
	N_SCORE_PROMPTS,
};
extern const char *const SCORE_PROMPT_WORDS[N_SCORE_PROMPTS + 1]; /* NULL ends the list */

struct scorer_settings {
	const struct dialect *dialect; /* must not have SCORING_NONE */
	struct call_line_settings line;
	/* The template for chats, used even if the engine shows its own; NULL: the engine's own. */
	const struct chat_template *template;
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* a longer prompt is not scored; 0: any */
	int top;                    /* alternatives per position, at most the dialect's limit */
	uint64_t timeout_ms;        /* limit of one request; 0: 2 s */
	size_t answer_limit;        /* bytes of an answer; 0: SCORER_ANSWER_LIMIT */
	/* The memory of answers counts in this budget; NULL: no limit. */
	struct budget *budget;
};

struct scorer;

/* Returns NULL, and in *ret_error a sentence that the caller frees, on error. The settings'
 * strings must outlive the scorer. */
struct scorer *scorer_create(const struct scorer_settings *s, char **ret_error);
void scorer_destroy(struct scorer *s); /* NULL is fine */
const struct dialect *scorer_dialect(const struct scorer *s);
/* the current request and all later ones end as QUESTION_STOPPED */
void scorer_stop(struct scorer *s);

struct scorer_result {
	enum question_end end;
	/* unless DONE: the end of a sentence that begins with "can't be scored: " */
	char *why;
	struct buf request;        /* as sent */
	struct call_answer answer; /* the engine's answer to that request */
	struct claim claim;        /* its share of the settings' budget */
	uint64_t start_ns;         /* time of sending, ns since 1970 */
	struct reading *reading;   /* DONE: the reading of the answer */
	uint32_t at;               /* DONE: index of the scored answer's first token */
	uint32_t marks;            /* DONE: which prompt was used: bits of enum leg_mark */
};

/* Scores one answer. Blocks for one or more requests. model: as the engine names it, or NULL. The
 * caller finishes *ret, whatever its end. */
void scorer_score(struct scorer *s, const struct score_subject *subject, const char *model,
        struct scorer_result *ret);
void scorer_result_finish(struct scorer_result *r);
