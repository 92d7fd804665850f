#include "capture/formats/trace_session.h"

#include <stdlib.h>

#include "base/grow.h"

struct trace_session *trace_session_of(struct trace_sessions *t, struct span name)
{
	bool is_new;
	struct digest_entry *entry = digest_map_named(&t->by_name, "session", name, &is_new);
	if (!is_new) {
		return &t->all[entry->number];
	}
	t->all = grow(t->all, t->n, &t->room, sizeof(*t->all));
	entry->number = t->n;
	t->all[t->n] = (struct trace_session){0};
	return &t->all[t->n++];
}

static struct digest_entry *chat_at(struct trace_sessions *t, int64_t chat, bool *ret_new)
{
	return digest_map_named(
	        &t->roots, "chat", (struct span){(char *)&chat, sizeof(chat)}, ret_new);
}

int64_t trace_session_root(struct trace_sessions *t, int64_t chat, int64_t parent)
{
	bool is_new;
	uint64_t root = (uint64_t)chat;
	if (parent >= 0 && parent != chat) {
		/* If the file lacks a chat's parent, the parent's id becomes that of the session's
		 * first chat. */
		struct digest_entry *before = chat_at(t, parent, &is_new);
		before->number = is_new ? (uint64_t)parent : before->number;
		root = before->number;
	}
	chat_at(t, chat, &is_new)->number = root;
	return (int64_t)root;
}

void trace_sessions_finish(struct trace_sessions *t)
{
	for (size_t i = 0; i < t->n; i++) {
		buf_finish(&t->all[i].history);
	}
	free(t->all);
	digest_map_finish(&t->by_name);
	digest_map_finish(&t->roots);
	*t = (struct trace_sessions){0};
}
