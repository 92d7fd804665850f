#include "backends/injection/asking.h"

#include <string.h>

bool asking_is_named(const char *const *names, const char *name)
{
	for (; names && *names; names++) {
		if (strcmp(*names, name) == 0) {
			return true;
		}
	}
	return false;
}

const struct strict_models *asking_strict(const struct dialect *d, const char *model)
{
	const char *slash = model ? strrchr(model, '/') : NULL;
	const char *name = slash ? slash + 1 : model;
	if (!d->strict_models || !name) {
		return NULL;
	}
	for (const char *const *p = d->strict_models->prefixes; *p; p++) {
		size_t len = strlen(*p);
		/* "o1" and "o1-mini", not "o100". */
		if (strncmp(name, *p, len) == 0 && !(name[len] >= '0' && name[len] <= '9')) {
			return d->strict_models;
		}
	}
	return NULL;
}

static unsigned needed(enum endpoint endpoint, bool stream)
{
	if (endpoint == ENDPOINT_CHAT) {
		return stream ? ABILITY_CHAT_STREAM_LOGPROBS : ABILITY_CHAT_LOGPROBS;
	}
	return stream ? ABILITY_COMPLETION_STREAM_LOGPROBS : ABILITY_COMPLETION_LOGPROBS;
}

static const struct member_edit *openai_words(enum endpoint endpoint)
{
	static const struct member_edit chat[] = {
	        {"logprobs", "true"}, {"top_logprobs", ASKING_TOP}, {NULL, NULL}};
	static const struct member_edit completion[] = {{"logprobs", ASKING_TOP}, {NULL, NULL}};
	return endpoint == ENDPOINT_CHAT ? chat : completion;
}

bool asking_logprobs(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, const char *model, bool copy, int top,
        struct asking *ret)
{
	const struct strict_models *strict = asking_strict(d, model);
	bool chat = endpoint == ENDPOINT_CHAT;
	if (!endpoint_is_openai(endpoint) || !(d->abilities & needed(endpoint, facts->stream)) ||
	        (strict && asking_is_named(strict->refused, "logprobs"))) {
		return false;
	}
	const struct member_edit *words = chat ? d->ask_chat : d->ask_completion;
	unsigned tools = facts->stream ? ABILITY_TOOLS_STREAM_LOGPROBS : ABILITY_TOOLS_LOGPROBS;
	if (facts->has_tools && !(d->abilities & tools)) {
		words = d->ask_tools;
		if (!words || !copy) {
			return false;
		}
	}
	int max = chat || !d->max_top_completion ? d->max_top : d->max_top_completion;
	*ret = (struct asking){
	        .words = words ? words : openai_words(endpoint),
	        .extra = !copy && !d->ids_are_cut                     ? NULL
	                 : chat && facts->stream && d->ask_ids_stream ? d->ask_ids_stream
	                                                              : d->ask_ids,
	        .top = max > 0 && top > max ? max : top,
	};
	return true;
}

void asking_put_value(const char *json, int top, struct buf *to)
{
	const char *at = strstr(json, ASKING_TOP);
	if (!at) {
		buf_append_str(to, json);
		return;
	}
	buf_append(to, json, (size_t)(at - json));
	buf_printf(to, "%d", top);
	buf_append_str(to, at + strlen(ASKING_TOP));
}
