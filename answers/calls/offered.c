#include "answers/calls/offered.h"

#include <xxhash.h>

#include "base/json.h"
#include "answers/json_key.h"

static uint32_t hash_of(struct span name)
{
	return (uint32_t)XXH3_64bits(name.data, name.len);
}

bool offered_has(const struct offered *o, struct span name)
{
	uint32_t hash = hash_of(name);
	for (uint16_t i = 0; i < o->n; i++) {
		if (o->names[i] == hash) {
			return true;
		}
	}
	return false;
}

void offered_add(struct offered *o, struct span name)
{
	if (o->n == OFFERED_LIMIT) {
		*o = (struct offered){.too_many = true};
	}
	if (!o->too_many && name.len) {
		o->names[o->n++] = hash_of(name);
	}
}

static void add_name(struct offered *o, const struct json_token *t)
{
	struct buf name = {0};
	if (t->type == JSON_TOKEN_STRING) {
		json_token_unescape(t, &name);
		offered_add(o, buf_span(&name));
	}
	buf_finish(&name);
}

/* Reads one tool: its name, or the name in the object that describes its function. */
static void read_tool(struct offered *o, struct json *j, bool is_whole)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		bool describes = is_whole && (KEY_IS(&t, "function") || KEY_IS(&t, "custom"));
		if (KEY_IS(&t, "name")) {
			add_name(o, &v);
		} else if (describes && v.type == JSON_TOKEN_OBJECT) {
			read_tool(o, j, false);
			continue;
		} else if (KEY_IS(&t, "tools")) { /* of a namespace */
			(void)offered_read(o, j, &v);
			continue;
		}
		json_skip(j, &v);
	}
}

uint32_t offered_read(struct offered *o, struct json *j, const struct json_token *first)
{
	struct json_token t;
	uint32_t n = 0;
	if (first->type != JSON_TOKEN_ARRAY) {
		json_skip(j, first);
		return 0;
	}
	for (; (t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR; n++) {
		if (t.type == JSON_TOKEN_OBJECT) {
			read_tool(o, j, true);
		} else {
			json_skip(j, &t);
		}
	}
	return n;
}
