#pragma once
/*
 * align - asking engines alike: a copy rewritten so that both engines are asked for the same thing,
 * each in its own dialect.
 *
 * ALIGN_GREEDY switches off, field by field, all that shapes the choice of tokens, whatever the
 * client asked for: the dialect's greedy_ members. ALIGN_SAME writes what the primary's dialect (or
 * its manifest) is known to take for unset parameters into the copy, in the reference's words. Both,
 * and ALIGN_NONE too, rename what the engine names otherwise, and change or take out what it would
 * refuse; a generic engine gets everything as it came. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialect.h"
#include "backends/injection/edits.h"
#include "base/buf.h"
#include "answers/request.h"

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
	const char *model; /* that the copy is sent to; NULL: as the request says */
};

/* What the plan asks for and can't be asked of this engine, as a sentence for the operator without a
 * full stop; or NULL. A constant: the same pointer for the same sentence. */
const char *align_unable(const struct align_plan *plan);

/*
 * What to change in this body, as members to set or to take out, with owned strings, which
 * align_members_finish() frees. Members that the caller's configuration sets itself go before them
 * in the list for inject_copy(), where the first edit of a name counts. False: not a JSON object, or
 * one of more members than a request has (ALIGN_MEMBERS_MAX); *ret is empty then.
 *
 * endpoint and facts are of the body given: a chat that becomes a completion is recast first
 * (templates.h).
 */
#define ALIGN_MEMBERS_MAX 256

struct align_members {
	struct member_edit *items;
	size_t n;
	/* What the client had set and what could shape the answer was taken out or cut down, since
	 * this engine would refuse it. */
	bool dropped;
};
bool align_request(const struct align_plan *plan, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, struct align_members *ret) MUST_CHECK;
void align_members_finish(struct align_members *m);

/*
 * The decoding parameters in force: what the request says, else the defaults of the engine. NaN
 * where not known. facts are of the request as sent. manifest_defaults (NULL: none) win over the
 * dialect's where they are not NaN.
 */
struct sampling align_effective(const struct dialect *d, const struct sampling *manifest_defaults,
        enum endpoint endpoint, const struct request_facts *facts);
/* The longest answer in force: -1 to the context's end, 0 unknown. */
int64_t align_effective_max_tokens(
        const struct dialect *d, enum endpoint endpoint, const struct request_facts *facts);
