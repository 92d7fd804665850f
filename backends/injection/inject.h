#pragma once
/*
 * inject - adds to a request what the client did not request: logprobs and usage.
 *
 * A request is edited as text: members are added before the closing brace, values are replaced in
 * place, and every other byte stays. Of duplicate keys the last one counts, as for engines. cut.h
 * removes the results from the answer; kinds.h remembers the kinds of engines. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cut_stream.h"
#include "backends/dialects/dialect.h"
#include "capture/edits.h"
#include "backends/injection/kinds.h"
#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

/* A client's request, which this module edits. */
struct injectable {
	const struct dialect *dialect; /* of the backend; NULL: generic */
	enum endpoint endpoint;
	const struct request_facts *facts; /* of the body */
	struct span body;
};

/*
 * Adds what `want` says and the client did not request:
 *	logprobs   in the dialect's members, with at most the dialect's number of alternatives. Not
 *	           if asking_logprobs() is false, as for an unknown engine with tools in a stream.
 *	           Not with echo, which would add the prompt's logprobs
 *	token ids  together with logprobs, if a cut can remove them
 *	usage      include_usage, for streams of one choice. With several choices a cut could not
 *	           restore the engine's last events
 * The caller finishes the edits; *ret is what was added. For an answer that a client sees, the
 * caller must want only what kind_can_cut() allows. False: there is nothing to add, or the body is
 * no JSON object, and nothing was written.
 */
bool inject_request(const struct injectable *r, const struct injection *want,
        struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/*
 * Makes the edits of a copy for a reference: members to set and remove. A member that is set
 * replaces the last one with its name in place, or is added at the end. A removed member is removed
 * with all its duplicates. False: the body is no JSON object, and nothing was written.
 */
bool rewrite_request(struct span body, const struct member_edit *members, size_t n,
        struct edits *ret) MUST_CHECK;

/*
 * As inject_request() and rewrite_request() together, as one list of edits, for a copy whose answer
 * no client sees. Members that are set or removed are not injected. With logprobs, it also adds the
 * dialect's members for token ids, unless the client set them. The edits and *ret may be empty.
 * False: the body is no JSON object, and nothing was written.
 */
bool inject_copy(const struct injectable *r, const struct injection *want,
        const struct member_edit *members, size_t n, struct edits *ret_edits,
        struct injection *ret) MUST_CHECK;

/* True for 500, 501, and 4xx but 401, 408 and 429: the engine may have refused the added
 * members. */
bool inject_status_refuses(int status);
