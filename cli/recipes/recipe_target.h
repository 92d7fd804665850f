#pragma once
/*
 * recipe_target - an engine under one condition, as a word of a command line says it:
 *
 *	[LABEL=]URL|NAME[,model=NAME][,dialect=NAME][,api-key-env=NAME][,align=HOW][,set.MEMBER=JSON]...
 *
 * NAME is looked up in the configuration. ollama:MODEL, vllm-mlx:MODEL and gguf:MODEL, which infer-check knows, are servers at
 * their usual ports here.
 */
#include "cli/replay/campaign.h"

#define RECIPE_MEMBERS 16

struct recipe_target {
	char *text; /* the word, cut to pieces: the wish's strings point into it */
	struct member_setting members[2 * RECIPE_MEMBERS]; /* of all targets, then its own */
	size_t n_members;
};

/* Fills the wish, which holds what was said of all targets; members that are set for all are in t by now. base_url: of a server at
 * a usual port, or NULL. NULL, or the problem (the caller frees it). recipe_target_finish() in both cases, after the wish. */
char *recipe_target_parse(struct recipe_target *t, const char *word, const char *base_url,
        struct replay_wish *wish) MUST_CHECK;
void recipe_target_finish(struct recipe_target *t);
bool recipe_target_is_value(const char *text); /* one JSON value? */
/* Does the word name a target, whatever files there are? Others are sources, or names in a configuration. */
bool recipe_target_is_one(const char *word);
