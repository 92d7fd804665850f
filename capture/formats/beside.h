#pragma once
/*
 * beside - for a line of a data set: the members beside its prompt or conversation that change what
 * is sent.
 *
 * Images, sound, video and files are only named in the line, or have a form of the data set's own.
 * They cannot be sent, and a request without them would be another request. A system message and
 * tools are part of the request. All other members (answers, sources, counts) describe the line and
 * are not sent.
 *
 * One thread a caller.
 */
#include "base/buf.h"

struct beside {
	struct span system; /* a JSON string; empty: none */
	struct buf tools;   /* a list as in a chat, JSON; empty: none */
};

/* Returns NULL, or a sentence that names a member that cannot be sent; valid until this thread's
 * next call. */
const char *beside_unsendable(struct span object);
/* Returns NULL, or which of the object's members cannot be sent or read. Call beside_finish() in
 * either case. */
const char *beside_read(struct span object, struct beside *ret);
/* As beside_unsendable(), for callers that send only the prompt or conversation: a system
 * message cannot be sent either. */
const char *beside_alone(struct span object);
void beside_finish(struct beside *b);
