#pragma once
/*
 * cut - removes from an answer exactly what injection added, before the client sees it.
 *
 * The rest equals, byte for byte, what the engine would have sent without injection. That depends
 * on the engine's kind (kind.h). Without logprobs, some engines send "logprobs":null, others omit
 * the member. If usage is requested, some put "usage" into every event, as null or with zeros.
 * Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/kind.h"
#include "backends/injection/outline.h"
#include "base/buf.h"

/*
 * Cuts the JSON text of a unary answer and appends the rest to *to. CUT_KEPT: there was nothing to
 * cut; CUT_DONE: something was cut; CUT_FAILED: the text is no JSON object, and was appended
 * unchanged. Removed parts need not be valid JSON.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_FAILED };
enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to);
/* For a text that gave CUT_FAILED: true if it has the name of an injected member. */
bool cut_shows(struct span text, const struct injection *injected);
/* A hash of all logprobs and token ids in a text that are not null, wherever they are; 0: there are
 * none. injected: which of the two to look for. */
uint64_t cut_elsewhere(struct span text, const struct injection *injected);
/* rest: what a cut (not CUT_FAILED) has appended. True if it still has injected logprobs or token
 * ids, in a place where cuts do not look, such as a delta. False also if plain answers have the
 * same ones there (learned->elsewhere). */
bool cut_misses(struct span rest, const struct injection *injected, const struct kind *learned);

/* What cut_outline() found in a text. */
struct cut_facts {
	bool has_choices; /* the text has a `choices` array */
	size_t n_choices;
	bool says;           /* without the injected parts, a choice still has content */
	bool text;           /* a choice has a text, which may be empty */
	enum kind_said told; /* the most that a choice's text says */
	/* A hash of the names of members outside `choices` that have content; members that every
	 * event has, such as id and model, do not count. 0: there are none. */
	uint64_t others;
	bool error; /* there is a member `error` outside `choices` */
	bool added; /* a choice has logprobs or injected token ids */
	/* bits of choices (outline.h); finished: with a finish_reason */
	uint64_t begun, finished;
	/* usage: there is a usage object; counts: it has a count other than 0 */
	bool usage, counts;
	bool usage_taken; /* the usage object was cut */
	struct span tail; /* the member kind.tail, from the end of the member before it */
	size_t end;       /* in the appended text: the offset after its last member */
};

/* As cut_json(), and writes the facts; for CUT_FAILED all are zero. learned: the kind. begun: bits
 * of the choices that earlier events have. */
enum cut cut_outline(const struct outline *text, const struct injection *injected,
        const struct kind *learned, uint64_t begun, struct buf *to, struct cut_facts *facts);
