#include "backends/injection/signature.h"

#include <xxhash.h>

#include "base/ascii.h"
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

static enum stands stands_as(const struct outline_member *m)
{
	return m->first.type == JSON_TOKEN_NULL ? STANDS_NULL : STANDS_ELSE;
}

/* Several members may contain ids; the most informative one counts. */
static void note_ids(struct look *l, const struct outline_member *m)
{
	l->token_ids = MAX(l->token_ids, stands_as(m));
}

static void look_at_choice(
        const struct outline *o, const struct outline_choice *choice, struct look *l)
{
	struct outline_members members = outline_choice_members(o, choice);
	for (size_t i = 0; i < members.n; i++) {
		const struct outline_member *m = &members.items[i];
		if (m->name == OUTLINE_LOGPROBS) {
			l->logprobs = stands_as(m);
		} else if (m->name == OUTLINE_TOKEN_IDS) {
			note_ids(l, m);
		} else {
			mix(&l->hash, json_token_raw(&m->key));
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

static void look_at_member(const struct outline *o, const struct outline_member *m, struct look *l)
{
	if (m->name == OUTLINE_USAGE) {
		l->usage = stands_as(m);
		return;
	}
	if (m->name == OUTLINE_TOKEN_IDS) {
		note_ids(l, m);
		return;
	}
	mix(&l->hash, json_token_raw(&m->key));
	if (m->n_choices > 0) {
		/* Only the first of several choices counts. */
		look_at_choice(o, outline_choices(o, m).items, l);
	} else if (json_token_is_key(&m->key, "system_fingerprint") &&
	           m->first.type == JSON_TOKEN_STRING) {
		mix(&l->hash, letters_of(&m->first));
	}
}

struct signature signature_of_outline(uint32_t head, const struct outline *o)
{
	struct look l = {0};
	struct outline_members members = outline_members(o);
	if (members.n > 0) { /* the spacing between the first key and its value */
		const struct outline_member *m = members.items;
		mix(&l.hash, span_between(m->key.start + m->key.len, m->first.start));
	}
	for (size_t i = 0; i < members.n; i++) {
		look_at_member(o, &members.items[i], &l);
	}
	uint32_t text = fold(l.hash);
	return (struct signature){
	        /* 0 would mean that only the head is known. */
	        .form = (uint64_t)head << 32 | (text ? text : 1),
	        .style = 9 * (unsigned)l.token_ids + 3 * (unsigned)l.logprobs + (unsigned)l.usage,
	};
}

struct signature signature_of_text(uint32_t head, struct span text)
{
	struct outline o = {0};
	outline_read(&o, text);
	struct signature s = signature_of_outline(head, &o);
	outline_finish(&o);
	return s;
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
