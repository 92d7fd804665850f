#pragma once
/*
 * story - what every short form of an analysis tells, in words: who stands before whom, the main figures, causes, examples.
 *
 * Read out of the document; nothing of it is trusted to be there, or to be harmless to where it is shown.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "analyzer/report/metric.h"

#define STORY_GROUPS_LIMIT 32 /* shown; the rest is counted */
#define STORY_CAUSES_LIMIT 12

enum story_verdict {
	STORY_SAME,    /* greedy answers were compared and none differs */
	STORY_DIFFERS, /* some do */
	STORY_NONE,    /* no greedy answers */
};

/* What stands for trial: floors only where there is nothing else. */
struct story {
	const json_t *groups[STORY_GROUPS_LIMIT];
	size_t n;
	size_t beyond; /* groups that are not shown */
};

void story_read(const json_t *document, struct story *ret);
enum story_verdict story_verdict_of(const json_t *group);
const json_t *story_greedy(const json_t *group); /* its greedy split, or NULL */
/* What ends a sentence of the document, which may be anybody's, where it has no end: "." or "". */
const char *story_full_stop(const char *text);

/* "prod, on trial against trusted" */
void story_sides(const json_t *group, struct buf *to);
/* The document's own, else one made of its figures. */
void story_sentence(const json_t *group, struct buf *to);
/* What is left over the noise floor, or how to get one; nothing where nothing differs. */
void story_floor(const json_t *group, struct buf *to);

/* "Only what was chosen was judged: since …"; nothing when everything was. */
void story_selection(const json_t *document, struct buf *to);

struct story_cause {
	const char *title, *text, *fix, *confirm; /* "" for none; text always */
	struct metric_value explained;            /* a share of the differing answers */
	bool has_explained;
};
/* The document's causes, else its hints that name one. */
size_t story_causes(const json_t *group, struct story_cause ret[STORY_CAUSES_LIMIT]);
/* What the figures lack: up to STORY_CAUSES_LIMIT sentences. */
size_t story_limits(const json_t *group, const char *ret[STORY_CAUSES_LIMIT]);

/* The i-th example, 0 to 2, or NULL; *ret_title says what it shows. The same exchange is told once. */
const json_t *story_example(const json_t *group, size_t i, const char **ret_title);
