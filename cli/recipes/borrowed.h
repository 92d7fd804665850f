#pragma once
/*
 * borrowed - converts targets in infer-check's syntax to words for recipe_target_parse():
 *
 *	--base-url URL                              URL, if there is no other target
 *	--models A=x,B=y --base-url URL             A=URL,model=x  B=URL,model=y
 *	--backends a,b --base-urls URL1,URL2        a=URL1  b=URL2
 *
 * infer-check's --backend selects its code for an engine; plumbline recognises engines.
 */
#include <stddef.h>

#include "base/check.h"
#include "cli/replay/campaign.h"

struct borrowed { /* zero-initialised; the first six are from the command line */
	const char *to, *backend, *base_url, *models;
	const char *backends, *base_urls;
	char *words[CAMPAIGN_TARGETS];
	size_t n;
};

/* Fills `words`. more: the command line has other targets too. Returns NULL, or the problem,
 * which the caller frees. Call borrowed_finish() in both cases. */
char *borrowed_make_words(struct borrowed *b, bool more) MUST_CHECK;
void borrowed_finish(struct borrowed *b);
