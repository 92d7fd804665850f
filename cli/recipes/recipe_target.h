#pragma once
/*
 * recipe_target - an engine under one condition, as a word of the command line:
 *
 *	[LABEL=]URL|NAME[,model=NAME][,dialect=NAME][,api-key-env=NAME][,align=HOW]
 *		[,set.MEMBER=JSON]...
 *
 * A NAME after LABEL= or alone is that of a backend in the configuration. ollama:MODEL,
 * vllm-mlx:MODEL and gguf:MODEL, which infer-check also has, mean a server at its usual address.
 */
#include "replay/campaign/campaign.h"

#define RECIPE_MEMBERS 16

struct recipe_target {
	char *text; /* a copy of the word; owned; strings of the options point into it */
	/* members to set: first those of all targets, then those of this target */
	struct member_setting members[2 * RECIPE_MEMBERS];
	size_t n_members;
};

/* Fills the options from the word. The caller has already set what all targets share: options in
 * these, members in t. base_url: the URL for ollama:MODEL and the like, in place of the usual
 * address; or NULL. Returns NULL, or the problem. Call recipe_target_finish() in both cases, after
 * the last use of the options. */
char *recipe_target_parse(struct recipe_target *t, const char *word, const char *base_url,
        struct replay_backend_options *options) MUST_CHECK;
void recipe_target_finish(struct recipe_target *t);
bool recipe_target_is_value(const char *text); /* true if text is exactly one JSON value */
/* True if the word is certainly a target: it has a label, a URL or ollama: and the like. Any
 * other word is a source, or the name of a backend in the configuration. */
bool recipe_target_is_one(const char *word);
