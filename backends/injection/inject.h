#pragma once
/*
 * inject - asking an engine for logprobs and usage that the client did not ask for.
 *
 * A request is edited as text: members are put before the closing brace, values replaced in place,
 * so that every other byte stays. Of duplicate keys the last counts, as it does for engines. The
 * other half, taking what came of it out of the answer, is cut.h; what engines are like is
 * remembered in kinds.h. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cutter.h"
#include "backends/dialect.h"
#include "backends/injection/edits.h"
#include "backends/injection/kinds.h"
#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

/*
 * What to add of what is wanted: logprobs where the client did not ask, in the dialect's words and no
 * more alternatives than it gives, unless it is believed to refuse them or to give none (of an
 * engine that is not known, with tools in a stream); not with echo: the prompt's logprobs would come
 * too. With logprobs, token ids where a cut knows what they bring and the client did not ask for
 * them. include_usage for streams of one choice whose client did not ask for it (with several, what
 * an engine puts on which last event can't be restored). Writes the edits and what was added. For an
 * answer that a client will see, the caller wants only what the engine's kind can_cut. d NULL:
 * generic. False: nothing can or need be added (not a JSON object, or the client asked for
 * everything).
 */
bool inject_request(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, const struct injection *want,
        struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/*
 * Edits of a copy for a reference: members set and removed (the model is one that is set). A member
 * that is set replaces the last of its name in place or is added at the end; one that is removed
 * goes in all its duplicates. False: not a JSON object; nothing was written.
 */
bool rewrite_request(struct span body, const struct member_edit *members, size_t n,
        struct edits *ret) MUST_CHECK;

/*
 * Both at once, for a copy whose answer no client sees, as one edit list over body; members that
 * are set or removed are not injected. With the logprobs go the dialect's words for token
 * ids, unless the client set them. *ret may say that nothing was injected. False: not a JSON
 * object; nothing was written.
 */
bool inject_copy(const struct dialect *d, enum endpoint endpoint, const struct request_facts *facts,
        struct span body, const struct injection *want, const struct member_edit *members, size_t n,
        struct edits *ret_edits, struct injection *ret) MUST_CHECK;

/* Statuses that may mean that the added fields were not liked. */
bool inject_status_refuses(int status);
