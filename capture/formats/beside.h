#pragma once
/*
 * beside - what stands beside a prompt or a conversation in a line of a data set, and changes what is sent.
 *
 * Images, sound, video and files are only named there, or in forms of the data set's own: they can't be sent, and a request without
 * them would be another one. A system message and tools are part of the request. All other members (answers, sources,
 * counts) say something of the line and are not sent.
 *
 * One thread a caller.
 */
#include "base/buf.h"

struct beside {
	struct span system; /* a JSON string of the object; empty: none */
	struct buf tools;   /* a list as a chat has it, JSON; empty: none */
};

/* NULL, or that one of the object's members can't be sent, by its name; valid until this thread's next call. */
const char *beside_unsendable(struct span object);
/* NULL, or what can't be sent or read of the object's members. beside_finish() in either case. */
const char *beside_read(struct span object, struct beside *ret);
/* The same where nothing beside is used: a system message can't be sent either. */
const char *beside_alone(struct span object);
void beside_finish(struct beside *b);
