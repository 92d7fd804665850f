#pragma once
/*
 * trace_session - the sessions of a trace. A line names its session, or only the chat before it
 * (trace_session_root()). For each session: the number of turns, the time of the latest one, and,
 * if lines have only the new messages, the messages so far.
 *
 * The messages of all sessions are held until the file ends. A trace has no answers; an empty
 * answer stands for each. One thread.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/formats/digest_map.h"

/* The caller updates the members. */
struct trace_session {
	uint32_t turns;   /* number of its lines so far, including damaged ones */
	uint64_t wall_ns; /* time of the latest turn, ns since 1970; 0: unknown */
	/* JSON: messages of a chat with commas between them; empty: no chat so far */
	struct buf history;
};

struct trace_sessions { /* zero-initialised is empty */
	struct digest_map by_name, roots;
	struct trace_session *all;
	size_t n, room;
};

/* The session with this name; adds it if there is none. Valid until the next call. */
struct trace_session *trace_session_of(struct trace_sessions *t, struct span name);
/*
 * Finds the session of a chat, for a trace whose lines name no session. chat: its number.
 * parent: the number of the chat before it; negative: none. Call it for each line, in order.
 * Returns the number of the session's first chat. If no earlier line has the parent, the parent
 * counts as the first chat of the session.
 */
int64_t trace_session_root(struct trace_sessions *t, int64_t chat, int64_t parent);
void trace_sessions_finish(struct trace_sessions *t);
