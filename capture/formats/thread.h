#pragma once
/*
 * thread - the sessions of a trace in which each line names its session: for each session the
 * number of turns, the time of the latest one, and, if a line holds only the new messages, the
 * messages so far.
 *
 * The messages of sessions are held until the file ends. A trace has no answers: each is
 * represented by an empty one. One thread.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/formats/memo.h"

struct thread {
	uint32_t turns;   /* number of its lines so far, damaged ones included */
	uint64_t wall_ns; /* of the latest; 0: unknown */
	struct buf
	        /* messages of a chat, JSON with commas between them; empty: not a chat so far */
	        said;
};

struct threads { /* zero-initialised is empty */
	struct memo by_name, roots;
	struct thread *all;
	size_t n, room;
};

/* The session of this name, created if there was none. Valid until the next call. */
struct thread *thread_of(struct threads *t, struct span name);
/*
 * For lines that name the previous chat instead of a session: the number of the session's first
 * line. A chat whose parent is not in the file, or is negative, begins a session.
 */
int64_t thread_root(struct threads *t, int64_t chat, int64_t parent);
void threads_finish(struct threads *t);
