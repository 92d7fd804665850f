#pragma once
/*
 * recipe_target - an engine under one condition, as a word of the command line:
 *
 *	[LABEL=]URL|NAME[,model=NAME][,dialect=NAME][,api-key-env=NAME][,align=HOW]
 *		[,set.MEMBER=JSON]...
 *
 * NAME is looked up in the configuration. ollama:MODEL, vllm-mlx:MODEL and gguf:MODEL, which
 * infer-check has, are servers at their usual ports.
 */
#include "cli/replay/campaign.h"

#define RECIPE_MEMBERS 16

struct recipe_target {
	char *text; /* a copy of the word, owned; strings of the wish point into it */
	/* members to set: first those of all targets, then those of this target */
	struct member_setting members[2 * RECIPE_MEMBERS];
	size_t n_members;
};

/* Fills the wish from the word. Before the call, the wish must have the options for all targets,
 * and t the members for all targets. base_url: the URL to use in place of a server's usual
 * address (for ollama:MODEL and the like), or NULL. Returns NULL, or the problem, which the
 * caller frees. Call recipe_target_finish() in both cases, after the last use of the wish. */
char *recipe_target_parse(struct recipe_target *t, const char *word, const char *base_url,
        struct replay_wish *wish) MUST_CHECK;
void recipe_target_finish(struct recipe_target *t);
bool recipe_target_is_value(const char *text); /* true if text is exactly one JSON value */
/* True if the word is certainly a target. Other words are sources, or names in a configuration. */
bool recipe_target_is_one(const char *word);
