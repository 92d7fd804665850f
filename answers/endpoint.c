#include <string.h>

#include "base/ascii.h"
#include "base/check.h"
#include "answers/request.h"
#include "base/enum_names.h"

/* Matched against the end of the path; the first match counts. */
static const struct {
	const char *suffix;
	enum endpoint endpoint;
} routes[] = {
        {"/chat/completions", ENDPOINT_CHAT},
        {"/completions", ENDPOINT_COMPLETION},
        {"/responses", ENDPOINT_RESPONSES},
        {"/embeddings", ENDPOINT_EMBEDDING},
        {"/api/embed", ENDPOINT_EMBEDDING},
        {"/v1/messages", ENDPOINT_MESSAGES},
        {"/api/chat", ENDPOINT_NATIVE_CHAT},
        {"/api/generate", ENDPOINT_NATIVE_GENERATE},
        {"/completion", ENDPOINT_NATIVE_GENERATE},
        {"/generate", ENDPOINT_NATIVE_GENERATE},
        {"/generate_stream", ENDPOINT_NATIVE_GENERATE},
};

enum endpoint endpoint_of(struct span method, struct span target)
{
	if (!span_is(method, "POST")) {
		return ENDPOINT_OTHER;
	}
	const char *query = target.len ? memchr(target.data, '?', target.len) : NULL;
	struct span path = {target.data, query ? (size_t)(query - target.data) : target.len};
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		if (span_ends(path, routes[i].suffix)) {
			return routes[i].endpoint;
		}
	}
	return ENDPOINT_OTHER;
}

bool endpoint_is_openai(enum endpoint e)
{
	return e == ENDPOINT_CHAT || e == ENDPOINT_COMPLETION;
}

ENUM_NAMES(endpoint_name, enum endpoint, [ENDPOINT_OTHER] = "other", [ENDPOINT_CHAT] = "chat",
        [ENDPOINT_COMPLETION] = "completion", [ENDPOINT_RESPONSES] = "responses",
        [ENDPOINT_EMBEDDING] = "embedding", [ENDPOINT_MESSAGES] = "messages",
        [ENDPOINT_NATIVE_CHAT] = "native chat", [ENDPOINT_NATIVE_GENERATE] = "native generate");
