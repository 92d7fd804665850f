#include "reading/usage.h"

#include "reading/keys.h"

void usage_count(int64_t *to, const struct json_token *t)
{
	int64_t n;
	if (t->type == JSON_NUMBER && json_integer(t, &n) && n >= 0) {
		*to = n;
	}
}

/* One member of an object of counts. */
static void read_one(struct json *j, const struct json_token *first, const char *name, int64_t *to)
{
	struct json_token t;
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (json_is_key(&t, name)) {
			usage_count(to, &v);
		}
		json_skip(j, &v);
	}
}

void usage_read(struct draft *d, struct json *j, const struct json_token *first)
{
	struct usage *u = &d->usage;
	struct json_token t;
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "prompt_tokens_details") || KEY_IS(&t, "input_tokens_details")) {
			read_one(j, &v, "cached_tokens", &u->cached_tokens);
			continue;
		}
		if (KEY_IS(&t, "completion_tokens_details") ||
		        KEY_IS(&t, "output_tokens_details")) {
			read_one(j, &v, "reasoning_tokens", &u->reasoning_tokens);
			continue;
		}
		if (KEY_IS(&t, "prompt_tokens") || KEY_IS(&t, "input_tokens")) {
			usage_count(&u->prompt_tokens, &v);
		} else if (KEY_IS(&t, "completion_tokens") || KEY_IS(&t, "output_tokens")) {
			usage_count(&u->completion_tokens, &v);
		} else if (KEY_IS(&t, "total_tokens")) {
			usage_count(&u->total_tokens, &v);
		} else if (KEY_IS(&t, "reasoning_tokens")) {
			usage_count(&u->reasoning_tokens, &v);
		} else if (KEY_IS(&t, "cached_tokens")) {
			usage_count(&u->cached_tokens, &v);
		}
		json_skip(j, &v);
	}
}

void usage_read_timings(struct draft *d, struct json *j, const struct json_token *first)
{
	read_one(j, first, "cache_n", &d->usage.cached_tokens);
}
