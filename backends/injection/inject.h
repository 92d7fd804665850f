#pragma once
/*
 * inject - adds requests for logprobs and usage that the client did not make.
 *
 * A request is edited as text: members are added before the closing brace, values are replaced in
 * place, and every other byte stays. Of duplicate keys the last counts, as for engines. cut.h
 * removes the results from the answer; kinds.h remembers the kinds of engines. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cut_stream.h"
#include "backends/dialect.h"
#include "backends/injection/edits.h"
#include "backends/injection/kinds.h"
#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

/*
 * Adds what `want` says: Logprobs, if the client did not request them. They are requested in the
 * dialect's words, with at most its number of alternatives. They are not added if the engine is
 * believed to refuse them or to give none (for an unknown engine: with tools in a stream), nor with
 * echo, which would add the prompt's logprobs. Token ids, together with logprobs, if a cut can
 * remove them and the client did not request them. include_usage, for streams of one choice, if the
 * client did not request it (with several choices, the engine's last events cannot be restored).
 * Writes the edits and what was added. For an answer that a client sees, the caller requests only
 * what the engine's kind can_cut. d NULL: generic. False: nothing can be added or nothing needs to
 * be added (not a JSON object, or the client requested everything).
 */
bool inject_request(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, const struct injection *want,
        struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/*
 * Edits of a copy for a reference: members to set and remove. A member that is set replaces the
 * last one of its name in place, or is added at the end; a removed one is removed with all
 * duplicates. False: not a JSON object; nothing was written.
 */
bool rewrite_request(struct span body, const struct member_edit *members, size_t n,
        struct edits *ret) MUST_CHECK;

/*
 * inject_request() and rewrite_request() together, as one list of edits, for a copy whose answer no
 * client sees. Members that are set or removed are not injected. With logprobs, the dialect's
 * members for token ids are added too, unless the client set them. *ret may be empty. False: not a
 * JSON object; nothing was written.
 */
bool inject_copy(const struct dialect *d, enum endpoint endpoint, const struct request_facts *facts,
        struct span body, const struct injection *want, const struct member_edit *members, size_t n,
        struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/* True for a status that may mean that the engine refused the added fields. */
bool inject_status_refuses(int status);
