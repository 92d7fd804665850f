#include "replay/target.h"

#include <stdlib.h>
#include <string.h>

#include "capture/privacy/privacy.h"
#include "base/ascii.h"
#include "base/mem.h"

char *target_path(const struct target *t, const char *path_and_query, bool recast)
{
	static const char chat[] = "/chat/completions";
	char *as_sent = privacy_public_target(span_of(path_and_query));
	size_t base = strlen(t->base_path);
	/* --to http://host/v1 and /v1/chat/completions mean one /v1. */
	bool twice = base > 0 && strncmp(as_sent, t->base_path, base) == 0 && as_sent[base] == '/';
	const char *under = twice ? "" : t->base_path;
	const char *at = recast ? strstr(as_sent, chat) : NULL;
	char *path = NULL;
	if (at) {
		path = xasprintf("%s%.*s/completions%s", under, (int)(at - as_sent), as_sent,
		        at + sizeof(chat) - 1);
	} else {
		path = xasprintf("%s%s", under, as_sent);
	}
	free(as_sent);
	return path;
}

char *target_of_engine(const char *path_and_query)
{
	static const char *const ENDS[] = {"/chat/completions", "/completions"};
	const char *query = path_and_query + strcspn(path_and_query, "?");
	for (size_t i = 0; i < ARRAY_LEN(ENDS); i++) {
		if (span_ends(span_between(path_and_query, query), ENDS[i])) {
			return xasprintf("/v1%s%s", ENDS[i], query);
		}
	}
	return xstrdup(path_and_query);
}

int target_post(const struct target *t, struct upstream *u, const struct target_post *p)
{
	char *key = t->api_key ? xasprintf("Bearer %s", t->api_key) : NULL;
	const struct http_field fields[] = {
	        {SPAN("Content-Type"), SPAN("application/json")},
	        {SPAN("Accept"), p->stream ? SPAN("text/event-stream") : SPAN("application/json")},
	        {SPAN("Accept-Encoding"), SPAN("identity")},
	        {SPAN("User-Agent"), span_of(p->agent)},
	        {SPAN("Authorization"), span_of(key)},
	};
	const struct upstream_request request = {
	        .method = SPAN("POST"),
	        .target = span_of(p->path),
	        .fields = fields,
	        .n_fields = ARRAY_LEN(fields) - !key,
	        .has_body = true,
	        .body = p->body,
	        .replayable = true,
	};
	int code = upstream_start(u, &request);
	free(key);
	return code;
}
