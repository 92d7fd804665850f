#include "replay/suite_form.h"

#include <stdlib.h>

bool suite_text(struct span object, const char *name, struct buf *to)
{
	struct json_token value;
	if (!json_find(object, &name, 1, &value, NULL) || value.type != JSON_TOKEN_STRING) {
		return false;
	}
	json_token_unescape(&value, to);
	return true;
}

const char *suite_label(struct span text, size_t limit, char **ret)
{
	char *label;
	if (!exchange_label_make(text, limit, &label)) {
		return "its id, category or right answer is too long, or holds a NUL";
	}
	free(*ret);
	*ret = label;
	return NULL;
}

void suite_make_chat(struct span question, unsigned max_tokens, struct suite_item *ret)
{
	ret->endpoint = ENDPOINT_CHAT;
	buf_append_str(&ret->body, "{\"messages\":[{\"role\":\"user\",\"content\":");
	json_put_string(&ret->body, question);
	buf_printf(&ret->body, "}],\"max_tokens\":%u,\"temperature\":0}", max_tokens);
}

bool suite_has(struct span record, const char *name)
{
	struct json_token value;
	return json_find(record, &name, 1, &value, NULL);
}
