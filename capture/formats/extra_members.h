#pragma once
/*
 * extra_members - says which members of a data set's line, besides the prompt or conversation,
 * belong to the request.
 *
 * Images, sound, video and files cannot be sent, because the line only names them or has them in a
 * form of its own; a request without them would be another request. A system message and tools are
 * part of the request. All other members (answers, sources, counts) describe the line and are not
 * sent.
 *
 * Any thread.
 */
#include "base/buf.h"

struct extra_members {
	struct span system; /* a JSON string; empty: none */
	struct buf tools;   /* a list as in a chat, JSON; empty: none */
};

/* Returns NULL, or a sentence that names a member that belongs to the request but cannot be
 * sent. The sentence is valid until this thread's next call. */
const char *extra_members_unsendable(struct span object);
/* Reads the system message and the tools. Returns as extra_members_unsendable(), also for a member
 * that cannot be read. Call extra_members_finish() in either case. */
const char *extra_members_read(struct span object, struct extra_members *ret);
/* As extra_members_unsendable(), for callers that send only the prompt or conversation: a system
 * message, too, cannot be sent. */
const char *extra_members_alone(struct span object);
void extra_members_finish(struct extra_members *b);
