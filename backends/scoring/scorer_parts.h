#pragma once
/*
 * scorer_parts - a scorer from inside. Only scorer.c, scorer_context.c and scorer_call.c include
 * it.
 */
#include "backends/scoring/scorer.h"

struct scorer {
	struct scorer_settings settings;
	struct call_line *line;
	struct claim claim; /* for the answer in progress */
	bool over_budget;   /* the answer was discarded, because the budget had no room */
	bool too_long;      /* for the engine, as it said, or for max_prompt_tokens */
	/* id_mismatches: how many consecutive answers of ids_model had recorded ids that mean
	 * something else to this engine. */
	char *ids_model;
	unsigned id_mismatches;
	bool no_tokenizer; /* the engine has no endpoint for tokenizing */
};

/* scorer_context.c */
/*
 * Makes the text to score: from recorded ids (own_ids), or from the engine's conversion of prompt
 * and answer. QUESTION_DONE: *ret is filled. Otherwise *ret_why says why not.
 */
enum question_end scorer_context(struct scorer *s, const struct score_subject *subject,
        const char *model, bool own_ids, struct score_text *ret, char **ret_why);

/* scorer_call.c */
/* Sends the call, and repeats it after a pause while the engine says that it is busy. */
void scorer_call(struct scorer *s, const char *path, struct span body, struct call_answer *ret);
/* Reads the engine's answer, which may be of any shape. The caller destroys the reading. */
struct reading *scorer_read(const struct call_answer *a);
/* Counts n bytes of memory for the answer in progress. False: the budget has no room. */
bool scorer_take_memory(struct scorer *s, size_t n);
/* Of an error: true if the engine refused the request itself (200, 400, 413, 422) and would refuse
 * it again. */
bool scorer_is_refusal(const struct call_answer *a);
/* The result for an error: QUESTION_UNABLE if it says that the text is longer than the engine's
 * context, else the call's failure. */
enum question_end scorer_failure(struct scorer *s, const struct call_answer *a, char **ret_why);
