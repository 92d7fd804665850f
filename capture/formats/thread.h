#pragma once
/*
 * thread - the turns of sessions in a trace whose lines name theirs: how many there were, when the latest was sent, and what was said
 * in them where a turn tells no more than what is new.
 *
 * What a line says is held until the file ends, of sessions alone. Answers are not in a trace: an empty one stands for each. One
 * thread.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/formats/memo.h"

struct thread {
	uint32_t turns;   /* lines of it so far, also those that were damaged */
	uint64_t wall_ns; /* of the latest; 0: not known */
	struct buf
	        said; /* messages of a chat, JSON with commas between them; empty: no chat so far */
};

struct threads { /* zero-initialised is empty */
	struct memo by_name, roots;
	struct thread *all;
	size_t n, room;
};

/* The session of that name, made if there was none. Valid until the next call. */
struct thread *thread_of(struct threads *t, struct span name);
/*
 * For lines that name the line before them, and no session: the number of the session's first line. A chat that has no chat
 * before it in the file, or a negative number for it, is the first of a session.
 */
int64_t thread_root(struct threads *t, int64_t chat, int64_t parent);
void threads_finish(struct threads *t);
