#pragma once
/*
 * cut - taking exactly what injection added out of what the client sees.
 *
 * What is left equals, byte for byte, what the engine would have sent unasked. That depends on its
 * kind: unasked, some engines send "logprobs":null, others no member; asked for usage, some put
 * "usage" into every event, as null or with zeros. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/kind.h"
#include "base/buf.h"

/*
 * Cuts a unary answer's JSON text: appends what the client may see to *to. CUT_KEPT: nothing had to
 * be cut; CUT_DONE; CUT_FAILED: the text is not a JSON object and was appended as it is. What is cut
 * need not be valid, as long as the rest is.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_FAILED };
enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to);
/* A text for which CUT_FAILED was returned names a member that was injected. */
bool cut_shows(struct span text, const struct injection *injected);

/* What cutting a text tells about it. */
struct cut_facts {
	bool has_choices; /* choices is there, and is an array */
	size_t n_choices;
	bool says;            /* without what was injected, a choice still says something */
	bool text;            /* a choice has a text, which may be empty */
	bool other;           /* a member that no event need have says something */
	bool error;           /* one of them is an error */
	bool added, finished; /* a choice has logprobs or injected token ids; its finish_reason */
	bool usage, counts;   /* there is a usage object, and it counts something */
	bool usage_taken;     /* it was cut */
	struct span tail;     /* the kind's tail, from the end of the member before it */
	size_t end;           /* behind the last member, in what was appended */
};

/* cut_json() that also writes the facts; all zero for CUT_FAILED. */
enum cut cut_text(struct span json, const struct injection *injected, const struct kind *learned,
        struct buf *to, struct cut_facts *facts);
