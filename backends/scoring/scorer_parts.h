#pragma once
/*
 * scorer_parts - what scorer.c and scorer_context.c share. Private to these two.
 */
#include "backends/scoring/scorer.h"

struct scorer {
	struct scorer_settings settings;
	struct call_line *line;
	struct claim claim; /* of the answer in progress */
	bool over_budget;   /* the answer was given up because the budget had no room */
	/* ids_unlike: the number of consecutive answers of ids_model whose recorded ids meant
	 * something else to the engine. */
	char *ids_model;
	unsigned ids_unlike;
	bool no_tokenizer; /* the engine turned out to have no endpoint for tokenizing */
};

/*
 * Makes the text to be scored: from recorded ids (own_ids), or from the engine's conversion of
 * prompt and answer. SCORER_DONE: *ret is filled; otherwise *ret_why says why not, and the caller
 * frees it.
 */
enum scorer_end scorer_context(struct scorer *s, const struct score_subject *subject,
        const char *model, bool own_ids, struct score_text *ret, char **ret_why);
/* Sends the call, and repeats it after a pause as long as the engine says that it is busy. */
void scorer_call(struct scorer *s, const char *path, struct span body, struct call_answer *ret);
/* The result for an answer whose status is not 200. */
enum scorer_end scorer_failure(const struct scorer *s, const struct call_answer *a, char **ret_why);
