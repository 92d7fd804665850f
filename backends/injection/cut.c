#include "backends/injection/cut.h"

#include <string.h>

#include <xxhash.h>

#include "capture/edits.h"
#include "base/ascii.h"

/* A text being copied to the client: everything before `from` has been appended or omitted. */
struct cutting {
	const struct outline *outline;
	struct buf *to;
	const char *from;
	uint64_t begun;
	bool cut;
	bool usage_stays;
};

static const char *end_of(struct span s)
{
	return s.data + s.len;
}

static void leave_out(void *arg, const char *from, const char *to)
{
	struct cutting *c = arg;
	buf_append(c->to, c->from, (size_t)(from - c->from));
	c->from = to;
	c->cut = true;
}

/* Restores a member to what it would have been without our request. */
static void cut_member(struct cutting *c, struct members *open, enum kind_member kind,
        const struct outline_member *m)
{
	const char *end = end_of(m->value);
	if (kind == KIND_ABSENT) {
		members_take(open, m->key.start, end);
		return;
	}
	members_keep(open, m->key.start, end);
	if (kind == KIND_NULL && m->first.type != JSON_TOKEN_NULL) {
		leave_out(c, m->value.data, end);
		buf_append(c->to, "null", 4);
	}
}

static void keep_member(struct members *open, const struct outline_member *m)
{
	members_keep(open, m->key.start, end_of(m->value));
}

static void cut_choice_member(struct cutting *c, struct members *open, const struct kind *kind,
        uint64_t choice, const struct outline_member *m, struct cut_facts *facts)
{
	if (m->name == OUTLINE_LOGPROBS) {
		facts->added |= m->first.type != JSON_TOKEN_NULL || kind->logprobs == KIND_ABSENT;
		cut_member(c, open, kind->logprobs, m);
	} else if (m->name == OUTLINE_TOKEN_IDS && kind_can_cut(kind->token_ids)) {
		facts->added |= m->first.type != JSON_TOKEN_NULL;
		cut_member(c, open, kind->token_ids, m);
	} else {
		enum kind_said least = c->begun & choice ? KIND_SAYS_FIGURE : KIND_SAYS_ROLE;
		enum kind_said said =
		        m->name == OUTLINE_INDEX ? KIND_SAYS_NOTHING : kind_says(m->value);
		facts->finished |= m->name == OUTLINE_FINISH_REASON ? choice : 0;
		facts->says |= said >= least;
		facts->told = kind_is_text(&m->key) ? MAX(facts->told, said) : facts->told;
		facts->text |= kind_has_text(&m->key, m->value);
		keep_member(open, m);
	}
}

static void cut_choices(struct cutting *c, const struct kind *kind, const struct outline_member *m,
        struct cut_facts *facts)
{
	struct outline_choices choices = outline_choices(c->outline, m);
	facts->has_choices = true;
	facts->n_choices += choices.n;
	for (size_t i = 0; i < choices.n; i++) {
		struct span text = choices.items[i].text;
		struct outline_members inside =
		        outline_choice_members(c->outline, &choices.items[i]);
		struct members open;
		members_open(&open, text.data, leave_out, c);
		facts->begun |= choices.items[i].bit;
		for (size_t j = 0; j < inside.n; j++) {
			cut_choice_member(
			        c, &open, kind, choices.items[i].bit, &inside.items[j], facts);
		}
		members_close(&open, end_of(text) - 1);
	}
}

/* Some engines (Ollama), when asked for usage, put a usage of zeros into each event. */
static bool counts_something(struct span usage)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, usage.data, usage.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_NUMBER && json_token_number(&t) != 0) {
			return true;
		}
	}
	return false;
}

static void cut_usage(struct cutting *c, struct members *open, enum kind_member kind,
        const struct outline_member *m, struct cut_facts *facts)
{
	bool object = m->first.type == JSON_TOKEN_OBJECT;
	facts->usage |= object;
	facts->counts |= object && counts_something(m->value);
	if (facts->counts && (facts->says || c->usage_stays)) {
		kind = KIND_UNKNOWN;
	}
	facts->usage_taken |= object && kind_can_cut(kind);
	cut_member(c, open, kind, m);
}

static void cut_text_member(struct cutting *c, struct members *open, const struct kind *kind,
        const struct outline_member *m, struct cut_facts *facts)
{
	bool is_tail = kind->tail[0] && json_token_is_key(&m->key, kind->tail);
	if (is_tail) {
		facts->tail = (struct span){open->end, (size_t)(end_of(m->value) - open->end)};
	}
	if (m->name == OUTLINE_CHOICES) {
		/* Kept before anything inside is cut, since pieces must be in order. */
		keep_member(open, m);
		cut_choices(c, kind, m, facts);
	} else if (m->name == OUTLINE_USAGE) {
		cut_usage(c, open, kind->usage, m, facts);
	} else if (m->name == OUTLINE_TOKEN_IDS && kind_can_cut(kind->token_ids)) {
		cut_member(c, open, kind->token_ids, m);
	} else {
		bool says = !kind_is_label(&m->key) && !is_tail &&
		            kind_says(m->value) != KIND_SAYS_NOTHING;
		struct span name = json_token_raw(&m->key);
		facts->others = says ? XXH3_64bits_withSeed(name.data, name.len, facts->others + 1)
		                     : facts->others;
		facts->error |= says && json_token_is_key(&m->key, "error");
		keep_member(open, m);
	}
}

static void cut_pass(struct cutting *c, const struct kind *kind, struct cut_facts *facts)
{
	struct span text = c->outline->text;
	struct outline_members members = outline_members(c->outline);
	struct members open;
	*facts = (struct cut_facts){0};
	c->from = text.data;
	members_open(&open, c->outline->object.data, leave_out, c);
	for (size_t i = 0; i < members.n; i++) {
		cut_text_member(c, &open, kind, &members.items[i], facts);
	}
	members_close(&open, end_of(c->outline->object) - 1);
	facts->end = c->to->len + (open.end > c->from ? (size_t)(open.end - c->from) : 0);
	buf_append(c->to, c->from, (size_t)(end_of(text) - c->from));
}

enum cut cut_outline(const struct outline *text, const struct injection *injected,
        const struct kind *learned, uint64_t begun, struct buf *to, struct cut_facts *facts)
{
	size_t begin = to->len;
	struct cutting c = {.outline = text, .to = to, .begun = begun};
	struct kind kind = *learned;
	if (!text->object.len) {
		buf_append_span(to, text->text);
		*facts = (struct cut_facts){0};
		return CUT_FAILED;
	}
	kind.logprobs = injected->logprobs ? kind.logprobs : KIND_UNKNOWN;
	kind.usage = injected->usage ? kind.usage : KIND_UNKNOWN;
	kind.token_ids = injected->token_ids ? kind.token_ids : KIND_UNKNOWN;
	cut_pass(&c, &kind, facts);
	if (facts->says && facts->counts && facts->usage_taken) {
		/* The usage came first and was removed; the later choices show that the engine
		 * sends it unasked. */
		to->len = begin;
		c.cut = false;
		c.usage_stays = true;
		cut_pass(&c, &kind, facts);
	}
	return c.cut ? CUT_DONE : CUT_KEPT;
}

enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to)
{
	struct outline o = {0};
	struct cut_facts facts;
	outline_read(&o, json);
	enum cut cut = cut_outline(&o, injected, &kind, 0, to, &facts);
	outline_finish(&o);
	return cut;
}

static bool holds(struct span text, struct span part)
{
	return text.len && memmem(text.data, text.len, part.data, part.len);
}

bool cut_shows(struct span text, const struct injection *injected)
{
	return (injected->logprobs && holds(text, SPAN("\"logprobs\""))) ||
	       (injected->usage && holds(text, SPAN("\"usage\""))) ||
	       (injected->token_ids && holds(text, SPAN("token_ids\"")));
}

#define NAME_REST 8     /* bytes of a name after those searched for */
#define ASKED "prompt_" /* prompt_logprobs are never injected */

/*
 * Mixes in the first `len` bytes of the values of all members whose names contain this, other than
 * null. A quote within a string is escaped, so that it ends no name.
 */
static void mix_values(uint64_t *hash, struct span text, struct span name, size_t len)
{
	const char *begin = text.data, *end = end_of(text), *at;
	while (text.len && (at = memmem(text.data, text.len, name.data, name.len)) != NULL) {
		text = span_between(at + name.len, end);
		const char *quote = memchr(text.data, '"', MIN(text.len, NAME_REST));
		size_t before = MIN((size_t)(at - begin), strlen(ASKED));
		bool asked = memcmp(at - before, ASKED, strlen(ASKED)) == 0;
		if (!quote || quote[-1] == '\\' || asked) {
			continue;
		}
		struct span value = span_skip_layout(span_between(quote + 1, end));
		if (!value.len || *value.data != ':') {
			continue;
		}
		value = span_skip_layout(span_between(value.data + 1, end));
		if (!span_starts(value, "null")) {
			size_t n = 0;
			while (n < MIN(value.len, len) && !strchr(",}] \t\r\n", value.data[n])) {
				n++;
			}
			*hash = XXH3_64bits_withSeed(value.data, n, *hash + 1);
		}
	}
}

uint64_t cut_elsewhere(struct span text, const struct injection *injected)
{
	uint64_t hash = 0;
	if (injected->logprobs) {
		mix_values(&hash, text, SPAN("logprob"), 64);
	}
	if (injected->token_ids) {
		mix_values(&hash, text, SPAN("\"token_ids"), 1);
	}
	return hash;
}

bool cut_misses(struct span rest, const struct injection *injected, const struct kind *learned)
{
	uint64_t left = cut_elsewhere(rest, injected);
	return left && left != learned->elsewhere;
}
