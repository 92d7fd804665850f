/*
 * What a running proxy can't change: sockets, threads, what the recorder was opened with.
 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "proxy/settings_parts.h"

static void tell(struct buf *kept, const char *key)
{
	buf_printf(kept, "%s%s", kept->len ? ", " : "", key);
}

static void keep_text(char **text, const char *now, const char *key, struct buf *kept)
{
	if (!settings_same_text(*text, now)) {
		tell(kept, key);
		settings_replace(text, now);
	}
}

static void keep_address(
        struct address *a, const struct address *now, const char *key, struct buf *kept)
{
	keep_text(&a->text, now->text, key, kept);
	settings_replace(&a->host, now->host);
	a->port = now->port;
}

#define KEEP(member, key)                                                                          \
	do {                                                                                       \
		if (s->member != now->member) {                                                    \
			tell(kept, key);                                                           \
			s->member = now->member;                                                   \
		}                                                                                  \
	} while (0)

void settings_keep(struct settings *s, const struct settings *now, struct buf *kept)
{
	keep_address(&s->listen, &now->listen, "listen", kept);
	keep_address(&s->admin, &now->admin, "admin", kept);
	KEEP(share_port, "share_port");
	KEEP(workers, "workers");
	KEEP(memory_limit, "memory_limit");
	keep_text(&s->capture_path, now->capture_path, "capture.path", kept);
	KEEP(capture_max_size, "capture.max_size");
	KEEP(capture_drop_oldest, "capture.when_full");
	KEEP(capture_retain, "capture.retain");
	KEEP(segment_size, "capture.segment_size");
	KEEP(durable, "capture.durable");
	KEEP(encoders, "capture.encoders");
	KEEP(recorder_scheduling, "capture.scheduling");
	KEEP(recorder_queue, "capture.queue_limit");
	if (!settings_keep_privacy(&s->privacy, &now->privacy)) {
		tell(kept, "capture.content");
	}
	keep_text(&s->hash_key_env, now->hash_key_env, "capture.hash_key_env", kept);
}
