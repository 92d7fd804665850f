#pragma once
/*
 * scorer_parts - what scorer.c and scorer_context.c share. Private to these two.
 */
#include <stdatomic.h>

#include "backends/scoring/scorer.h"

struct scorer {
	struct scorer_settings settings;
	struct call_line *line;
	atomic_bool stopped;
	struct claim claim; /* of the answer under way */
	bool over_budget;   /* it was given up since the budget was spent */
	/* Of this model's answers in a row, those whose recorded ids meant something else to the
	 * engine. */
	char *ids_model;
	unsigned ids_unlike;
	bool no_tokenizer; /* the engine has no such endpoint after all */
};

/*
 * The text to be scored, by recorded ids (own_ids), or by what the engine makes of prompt and answer. *ret is filled with SCORER_DONE; else *ret_why (the caller frees it) says why not.
 */
enum scorer_end scorer_context(struct scorer *s, const struct score_subject *subject,
        const char *model, bool own_ids, struct score_text *ret, char **ret_why);
/* Calls, and again after a pause while the engine says that it is busy. */
void scorer_call(struct scorer *s, const char *path, struct span body, struct call_answer *ret);
/* What an answer that is not 200 comes to. */
enum scorer_end scorer_failure(const struct scorer *s, const struct call_answer *a, char **ret_why);
