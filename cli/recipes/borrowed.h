#pragma once
/*
 * borrowed - targets as infer-check's command line names them, made into words that recipe_target_parse() reads:
 *
 *	--base-url URL                              URL, if no target is named otherwise
 *	--models A=x,B=y --base-url URL             A=URL,model=x  B=URL,model=y
 *	--backends a,b --base-urls URL1,URL2        a=URL1  b=URL2
 *
 * Its --backend says which code speaks to an engine; here engines are recognised.
 */
#include <stddef.h>

#include "base/check.h"
#include "cli/replay/campaign.h"

struct borrowed { /* zero-initialised is ready; the first five are from the command line */
	const char *to, *backend, *base_url, *models;
	const char *backends, *base_urls;
	char *words[CAMPAIGN_TARGETS];
	size_t n;
};

/* Makes the words; more: are there targets beside? NULL, or the problem (the caller frees it). borrowed_finish() in both cases. */
char *borrowed_settle(struct borrowed *b, bool more) MUST_CHECK;
void borrowed_finish(struct borrowed *b);
