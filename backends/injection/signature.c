#include "backends/injection/signature.h"

#include <xxhash.h>

#include "backends/injection/kind.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/sse.h"

enum stands { STANDS_ABSENT, STANDS_NULL, STANDS_ELSE };

struct look {
	uint64_t hash;
	enum stands logprobs, usage, token_ids;
};

static void mix(uint64_t *hash, struct span s)
{
	*hash = XXH3_64bits_withSeed(s.data, s.len, *hash);
}

static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

uint32_t signature_head(const struct http_head *head)
{
	uint64_t hash = 0;
	if (head) {
		mix(&hash, http_field(head, "server"));
	}
	return fold(hash);
}

static enum stands stands_as(const struct json_token *value)
{
	return value->type == JSON_TOKEN_NULL ? STANDS_NULL : STANDS_ELSE;
}

/* Several members may contain ids; the most informative one counts. */
static void note_ids(struct look *l, const struct json_token *value)
{
	l->token_ids = MAX(l->token_ids, stands_as(value));
}

static void look_at_choice(struct json *j, struct look *l)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(j);
		if (value.type == JSON_TOKEN_ERROR) {
			return;
		}
		if (json_token_is_key(&t, "logprobs")) {
			l->logprobs = stands_as(&value);
			/* Parsed as the cut does: the value need not be valid JSON. */
			json_skip_unchecked(j, &value);
		} else if (kind_is_token_ids(&t)) {
			note_ids(l, &value);
			json_skip_unchecked(j, &value);
		} else {
			mix(&l->hash, json_token_raw(&t));
			json_skip(j, &value);
		}
	}
}

/* Only the first of several choices counts. */
static void look_at_choices(struct json *j, struct look *l)
{
	struct json_token t;
	for (size_t i = 0;
	        (t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		if (i == 0 && t.type == JSON_TOKEN_OBJECT) {
			look_at_choice(j, l);
		} else {
			json_skip(j, &t);
		}
	}
}

/* Returns "fp" for fp_44709d and "vllm" for vllm-0.32.0-7c2dfb7f: the rest differs between
 * versions and setups. */
static struct span letters_of(const struct json_token *value)
{
	struct span s = json_token_raw(value);
	size_t n = 0;
	while (n < s.len && is_latin(s.data[n])) {
		n++;
	}
	return (struct span){s.data, n};
}

static void look_at_text(struct json *j, struct look *l)
{
	struct json_token t;
	for (size_t i = 0; (t = json_next(j)).type == JSON_TOKEN_KEY; i++) {
		struct json_token value = json_next(j);
		if (value.type == JSON_TOKEN_ERROR) {
			return; /* it lies nowhere in the text */
		}
		if (i == 0) {
			const char *end = t.start + t.len;
			mix(&l->hash, (struct span){end, (size_t)(value.start - end)});
		}
		if (json_token_is_key(&t, "usage")) {
			l->usage = stands_as(&value);
			json_skip(j, &value);
			continue;
		}
		if (kind_is_token_ids(&t)) {
			note_ids(l, &value);
			json_skip_unchecked(j, &value);
			continue;
		}
		mix(&l->hash, json_token_raw(&t));
		if (json_token_is_key(&t, "choices") && value.type == JSON_TOKEN_ARRAY) {
			look_at_choices(j, l);
			continue;
		}
		if (json_token_is_key(&t, "system_fingerprint") &&
		        value.type == JSON_TOKEN_STRING) {
			mix(&l->hash, letters_of(&value));
		}
		json_skip(j, &value);
	}
}

struct signature signature_of_text(uint32_t head, struct span text)
{
	struct look l = {0};
	struct json j;
	if (json_begin_lenient(&j, text).type == JSON_TOKEN_OBJECT) {
		look_at_text(&j, &l);
	}
	return (struct signature){
	        .form = (uint64_t)head << 32 | fold(l.hash),
	        .style = 9 * (unsigned)l.token_ids + 3 * (unsigned)l.logprobs + (unsigned)l.usage,
	};
}

struct first {
	uint32_t head;
	bool found;
	struct signature signature;
};

static void on_event(void *arg, const struct sse_event *e)
{
	struct first *f = arg;
	if (!f->found && e->has_data) {
		f->found = true;
		f->signature = signature_of_text(f->head, e->data);
	}
}

bool signature_of_answer(uint32_t head, struct span body, bool stream, struct signature *ret)
{
	if (!stream) {
		*ret = signature_of_text(head, body);
		return true;
	}
	struct first f = {.head = head};
	sse_read(body, on_event, &f);
	*ret = f.signature;
	return f.found;
}
