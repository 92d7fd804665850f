#include "backends/injection/outline.h"

/* What outline_read() has open. */
struct reading {
	struct json json;
	struct outline *outline;
	size_t n; /* members and choices so far */
};

/* Counts one member or choice. False: there are too many. */
static bool count(struct reading *r)
{
	return ++r->n <= OUTLINE_LIMIT(r->outline->text.len);
}

static enum outline_name name_of(
        const struct json_token *key, const struct json_token *value, bool in_choice)
{
	if (json_token_is_key(key, "token_ids") || json_token_is_key(key, "prompt_token_ids")) {
		return OUTLINE_TOKEN_IDS;
	}
	if (in_choice && json_token_is_key(key, "index")) {
		return OUTLINE_INDEX;
	}
	if (in_choice && json_token_is_key(key, "logprobs")) {
		return OUTLINE_LOGPROBS;
	}
	if (in_choice && json_token_is_key(key, "finish_reason") && json_token_raw(value).len) {
		return OUTLINE_FINISH_REASON;
	}
	if (!in_choice && json_token_is_key(key, "choices") && value->type == JSON_TOKEN_ARRAY) {
		return OUTLINE_CHOICES;
	}
	if (!in_choice && json_token_is_key(key, "usage")) {
		return OUTLINE_USAGE;
	}
	return OUTLINE_OTHER;
}

/* Reads a key and the first token of its value. False: the object has ended, or an error. */
static bool read_key(struct reading *r, bool in_choice, struct outline_member *ret)
{
	*ret = (struct outline_member){.key = json_next(&r->json)};
	if (ret->key.type != JSON_TOKEN_KEY || !count(r)) {
		return false;
	}
	ret->first = json_next(&r->json);
	ret->name = name_of(&ret->key, &ret->first, in_choice);
	return ret->first.type != JSON_TOKEN_ERROR;
}

/* Adds the member, also if its value has an error. False: it has one. */
static bool read_value(struct reading *r, struct outline_member *m, struct buf *to)
{
	bool unchecked = m->name == OUTLINE_LOGPROBS || m->name == OUTLINE_TOKEN_IDS;
	m->value = unchecked ? json_skip_unchecked(&r->json, &m->first)
	                     : json_skip(&r->json, &m->first);
	buf_append(to, m, sizeof(*m));
	return m->value.data != NULL;
}

static uint64_t bit_of(const struct json_token *index)
{
	int64_t n;
	return json_token_integer(index, &n) && n >= 0 && n < 63 ? UINT64_C(1) << n
	                                                         : OUTLINE_NO_BIT;
}

static bool read_choice(struct reading *r, const struct json_token *first)
{
	struct outline *o = r->outline;
	struct outline_choice choice = {
	        .bit = 1,
	        .first_member = o->choice_members.len / sizeof(struct outline_member),
	};
	struct outline_member m = {0};
	bool ok = true;
	if (first->type == JSON_TOKEN_OBJECT) {
		while (ok && read_key(r, true, &m)) {
			ok = read_value(r, &m, &o->choice_members);
			choice.bit = m.name == OUTLINE_INDEX ? bit_of(&m.first) : choice.bit;
			choice.n_members++;
		}
		ok = ok && m.key.type == JSON_TOKEN_OBJECT_END;
		choice.text = (struct span){first->start, (size_t)(r->json.p - first->start)};
	} else {
		choice.text = json_skip(&r->json, first);
		ok = choice.text.data != NULL;
	}
	buf_append(&o->choices, &choice, sizeof(choice));
	return ok;
}

static bool read_choices(struct reading *r, struct outline_member *m)
{
	struct buf *choices = &r->outline->choices;
	struct json_token t = {0};
	bool ok = true;
	m->first_choice = choices->len / sizeof(struct outline_choice);
	while (ok && (t = json_next(&r->json)).type != JSON_TOKEN_ARRAY_END) {
		ok = t.type != JSON_TOKEN_ERROR && count(r) && read_choice(r, &t);
	}
	m->n_choices = choices->len / sizeof(struct outline_choice) - m->first_choice;
	m->value = (struct span){m->first.start, (size_t)(r->json.p - m->first.start)};
	buf_append(&r->outline->members, m, sizeof(*m));
	return ok;
}

/* Returns the object's text; empty: an error. */
static struct span read_object(struct reading *r)
{
	struct outline_member m = {0};
	struct json_token brace = json_begin_lenient(&r->json, r->outline->text);
	bool ok = brace.type == JSON_TOKEN_OBJECT;
	while (ok && read_key(r, false, &m)) {
		ok = m.name == OUTLINE_CHOICES ? read_choices(r, &m)
		                               : read_value(r, &m, &r->outline->members);
	}
	struct span object = {brace.start, (size_t)(r->json.p - brace.start)};
	ok = ok && m.key.type == JSON_TOKEN_OBJECT_END &&
	     json_next(&r->json).type == JSON_TOKEN_END;
	return ok ? object : (struct span){0};
}

void outline_read(struct outline *o, struct span text)
{
	struct reading r = {.outline = o};
	o->text = text;
	buf_reuse(&o->members);
	buf_reuse(&o->choices);
	buf_reuse(&o->choice_members);
	o->object = read_object(&r);
}

void outline_finish(struct outline *o)
{
	buf_finish(&o->members);
	buf_finish(&o->choices);
	buf_finish(&o->choice_members);
	*o = (struct outline){0};
}

static struct outline_members part_of(const struct buf *members, size_t first, size_t n)
{
	const struct outline_member *all = (const void *)buf_span(members).data;
	return (struct outline_members){all + first, n};
}

struct outline_members outline_members(const struct outline *o)
{
	return part_of(&o->members, 0, o->members.len / sizeof(struct outline_member));
}

struct outline_choices outline_choices(const struct outline *o, const struct outline_member *m)
{
	const struct outline_choice *all = (const void *)buf_span(&o->choices).data;
	return (struct outline_choices){all + m->first_choice, m->n_choices};
}

struct outline_members outline_choice_members(
        const struct outline *o, const struct outline_choice *choice)
{
	return part_of(&o->choice_members, choice->first_member, choice->n_members);
}
