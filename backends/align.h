#pragma once
/*
 * align - rewrites a copy of a request so that it means the same in the other engine's dialect.
 *
 * ALIGN_GREEDY switches off everything that affects the choice of tokens, whatever the client
 * requested (the dialect's greedy_ members). ALIGN_SAME sets parameters that the client left unset
 * to the primary's defaults, which its dialect or manifest states, under the reference's names.
 * ALIGN_NONE does neither. All three also rename members for the engine, and change or remove
 * members that it would refuse; a generic engine gets the client's own members unchanged. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialects/dialect.h"
#include "capture/edits.h"
#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

enum thinking { THINKING_AS_ASKED, THINKING_ON, THINKING_OFF, N_THINKINGS };
extern const char *const THINKING_NAMES[N_THINKINGS + 1]; /* NULL ends the list */
bool thinking_parse(const char *name, enum thinking *ret) MUST_CHECK;

struct align_plan {
	enum align align;
	enum thinking thinking;
	const struct dialect *from; /* the primary's dialect; may be generic */
	const struct dialect *to;   /* this backend's dialect */
	/* the primary's defaults by its manifest; NULL, or a NaN in it: by its dialect */
	const struct sampling *from_defaults;
	const char *model; /* the model that the copy names; NULL: the model of the request */
};

/* Says why requests cannot follow the whole plan: this engine cannot switch thinking, or the
 * primary's defaults are not known. A static sentence without a full stop; NULL: they can. */
const char *align_unable(const struct align_plan *plan);

/*
 * Lists the changes: members to set or remove. The caller finishes *ret, which owns its strings.
 * For inject_copy(), put the members of the user's configuration before these, because the first
 * edit of a name counts. Endpoints other than chats and completions get no changes. False: the body
 * is no JSON object, or has over ALIGN_MEMBERS_MAX members; *ret is then empty.
 *
 * endpoint and facts describe the body as given. A chat that becomes a completion must be converted
 * first (templates.h).
 */
#define ALIGN_MEMBERS_MAX 256

struct align_members {
	struct member_edit *items;
	size_t n;
	/* Something that the client set and that affects the answer was removed or reduced, because
	 * this engine would refuse it. */
	bool dropped;
};
bool align_request(const struct align_plan *plan, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, struct align_members *ret) MUST_CHECK;
void align_members_finish(struct align_members *m);

/* The limit of tokens in force; -1: up to the end of the context; 0: unknown. */
int64_t align_effective_max_tokens(
        const struct dialect *d, enum endpoint endpoint, const struct request_facts *facts);
