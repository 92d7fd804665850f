#pragma once
/*
 * cut - removes from an answer exactly what injection added, before the client sees it.
 *
 * The rest equals, byte for byte, what the engine would have sent if nothing had been injected into
 * the request. What that is depends on the engine's kind: without logprobs, some send
 * "logprobs":null, others omit the member; if asked for usage, some put "usage" into every event,
 * as null or with zeros. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/kind.h"
#include "base/buf.h"

/*
 * Cuts a unary answer's JSON text and appends the rest to *to. CUT_KEPT: there was nothing to cut;
 * CUT_DONE; CUT_FAILED: the text is not a JSON object and was appended unchanged. Removed parts
 * need not be valid JSON.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_FAILED };
enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to);
/* For a text that gave CUT_FAILED: true if it contains the name of an injected member. */
bool cut_shows(struct span text, const struct injection *injected);

/* What cutting a text found out about it. */
struct cut_facts {
	bool has_choices; /* there is a `choices` array */
	size_t n_choices;
	bool says; /* a choice still has content after the injected parts are removed */
	bool text; /* a choice has a text, which may be empty */
	/* a member outside `choices` that not every event has (as id and model) has content */
	bool other;
	bool error; /* a member outside `choices` is `error` */
	/* added: a choice has logprobs or injected token ids; finished: a choice has its
	 * finish_reason */
	bool added, finished;
	bool usage, counts; /* there is a usage object, and it counts something */
	bool usage_taken;   /* the usage object was cut */
	struct span tail;   /* the kind's tail, from the end of the member before it */
	size_t end;         /* offset in the appended text, just after its last member */
};

/* cut_json() that also writes the facts; all zero for CUT_FAILED. */
enum cut cut_text(struct span json, const struct injection *injected, const struct kind *learned,
        struct buf *to, struct cut_facts *facts);
