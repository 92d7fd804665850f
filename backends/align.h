#pragma once
/*
 * align - asking engines alike: a copy rewritten so that both engines are asked for the same thing,
 * each in its own dialect.
 *
 * ALIGN_GREEDY switches off, field by field, all that an engine does unasked: the dialect's greedy_
 * members. ALIGN_SAME writes what the primary's dialect (or its manifest) is known to take for unset
 * parameters into the copy, in the reference's words. Both, and ALIGN_NONE too, take out what a
 * strict engine would refuse, and rename what it names otherwise. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialect.h"
#include "backends/edits.h"
#include "base/buf.h"
#include "reading/request.h"

enum align { ALIGN_NONE, ALIGN_GREEDY, ALIGN_SAME, N_ALIGNS };
const char *align_name(enum align a); /* "off", "greedy", "same" */
bool align_parse(const char *name, enum align *ret) MUST_CHECK;

enum thinking { THINKING_AS_ASKED, THINKING_ON, THINKING_OFF };

struct align_plan {
	enum align align;
	enum thinking thinking;
	const struct dialect *from;           /* the primary's; may be generic */
	const struct dialect *to;             /* this backend's */
	const struct sampling *from_defaults; /* as its manifest tells; NULL: the dialect's */
};

/*
 * What to change in this body, as members to set or to take out; appended to *to with owned
 * strings, which align_members_finish() frees. Members that the caller's configuration sets itself
 * come after and win. False: not a JSON object.
 */
struct align_members {
	struct member_edit *items;
	size_t n;
	bool dropped; /* a member that the client had set was taken out for a strict engine */
};
bool align_request(const struct align_plan *plan, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, struct align_members *ret) MUST_CHECK;
void align_members_finish(struct align_members *m);

/*
 * Chat messages as one completion prompt, by a named template ("chatml", "llama2", "gemma",
 * "plain"...). Content that is not text (images) can't be: false. Appended to *to.
 */
const char *const *align_templates(void); /* names, ended by NULL */
bool align_apply_template(const char *name, struct span body, struct buf *to) MUST_CHECK;

/*
 * The decoding parameters in force: what the request says, else the defaults of the engine. NaN
 * where not known. facts are of the request as sent.
 */
struct sampling align_effective(const struct dialect *d, const struct sampling *manifest_defaults,
        enum endpoint endpoint, const struct request_facts *facts);
