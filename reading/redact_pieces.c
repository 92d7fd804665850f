/*
 * A body as pieces. What the members of a document mean is told by their names and by where they are, not by the
 * endpoint: engines have many forms, and a form that nobody knows must not let a secret through.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "reading/redact_form.h"
#include "reading/redact_parts.h"

#define PIECES_LIMIT ((size_t)1 << 20)
#define BODY_LIMIT ((size_t)1 << 30)
#define LONG_NUMBER 13 /* of digits: shorter ones are nobody's card */
#define NONE UINT32_MAX
#define DATA "data:"
#define RAW_CHANNEL 2 /* those of documents are odd */

enum node_flag {
	NODE_SKIP = 1 << 0, /* told of by a piece of its parent's */
	NODE_PRIVATE = 1 << 1,
	NODE_ALTERNATIVE = 1 << 2,
	NODE_BLANK = 1 << 3,
	NODE_FOREIGN = 1 << 4, /* names, texts and numbers in it are somebody's */
};

struct maker {
	const struct redact_policy *policy;
	struct span body;
	struct redact_tree tree;
	struct pieces *out;
	uint64_t document;
	struct buf name; /* scratch */
	int error;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
	a ^= a >> 32;
	a *= 0xd6e8feb86659fd93u;
	return a ^ a >> 32;
}

static uint64_t hash_of(struct span s)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < s.len; i++) {
		h = (h ^ (unsigned char)s.data[i]) * 0x100000001b3u;
	}
	return h;
}

static struct span raw_of(const struct maker *m, const struct redact_node *n)
{
	return (struct span){m->body.data + n->at, n->len};
}

/* A member's name, unescaped where it was written in a way that hides it. Valid until the next call. */
static struct span name_of(struct maker *m, const struct redact_node *n)
{
	if (n->key == REDACT_NO_NODE) {
		return (struct span){"", 0};
	}
	struct span raw = raw_of(m, &m->tree.items[n->key]);
	if (!memchr(raw.data, '\\', raw.len)) {
		return raw;
	}
	buf_clear(&m->name);
	redact_decode(REDACT_ESCAPED, raw, &m->name);
	return buf_span(&m->name);
}

static bool is_one_of(struct span name, const char *const *list)
{
	for (; *list; list++) {
		if (span_is(name, *list)) {
			return true;
		}
	}
	return false;
}

static struct piece *add(
        struct maker *m, size_t at, size_t len, enum redact_spelling how, unsigned flags)
{
	struct pieces *p = m->out;
	static struct piece nowhere;
	if (p->n == PIECES_LIMIT) {
		m->error = -E2BIG;
		return &nowhere;
	}
	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		p->items = xrealloc(p->items, p->cap * sizeof(*p->items));
	}
	struct piece *piece = &p->items[p->n];
	*piece = (struct piece){
	        .at = at,
	        .len = (uint32_t)len,
	        .order = (uint32_t)p->n++,
	        .document = (uint32_t)m->document,
	        .flags = (uint16_t)flags,
	        .spelling = (uint8_t)how,
	};
	p->has_private |= (flags & PIECE_PRIVATE) != 0;
	return piece;
}

/* Where it is told which of several texts an object belongs to. */
static void mark_parents(struct maker *m)
{
	static const char *const TELLING[] = {
	        "index", "output_index", "content_index", "item_id", NULL};
	for (size_t i = 0; i < m->tree.n; i++) {
		struct redact_node *n = &m->tree.items[i];
		if (n->key == REDACT_NO_NODE || n->kind <= REDACT_ARRAY) {
			continue;
		}
		struct redact_node *parent = &m->tree.items[n->parent];
		struct span name = name_of(m, n);
		bool root = parent->parent == REDACT_NO_NODE;
		if (is_one_of(name, TELLING) || (root && span_is(name, "type"))) {
			parent->mark += mix(hash_of(name), hash_of(raw_of(m, n)));
		}
	}
}

static bool is_member(struct maker *m, size_t node, char *const *names)
{
	for (size_t at = node; *names; names++) {
		while (m->tree.items[at].key == REDACT_NO_NODE) {
			if (m->tree.items[at].parent == REDACT_NO_NODE) {
				return false;
			}
			at = m->tree.items[at].parent;
		}
		if (strcmp(*names, "*") != 0 && !span_is(name_of(m, &m->tree.items[at]), *names)) {
			return false;
		}
		if (m->tree.items[at].parent == REDACT_NO_NODE) {
			return !names[1];
		}
		at = m->tree.items[at].parent;
	}
	return true;
}

static bool is_private(struct maker *m, size_t node)
{
	if (m->tree.items[node].key == REDACT_NO_NODE) {
		return false;
	}
	for (size_t i = 0; i < m->policy->n_members; i++) {
		if (is_member(m, node, m->policy->members[i])) {
			return true;
		}
	}
	return false;
}

/* Where the tokens of an answer are: in a box, by their positions in it. */
static void place(struct maker *m, uint32_t i)
{
	static const char *const LISTS[] = {"logprobs", "completion_probabilities", NULL};
	static const char *const HOLDERS[] = {"meta_info", "details", NULL};
	static const char *const OTHERS[] = {"top_logprobs", "top_tokens", "probs", "top_probs",
	        "candidates", "output_top_logprobs", "output_token_ids_logprobs", NULL};
	static const char *const PROMPTS[] = {"prompt_logprobs", "prefill", "input_token_logprobs",
	        "input_top_logprobs", "input_token_ids_logprobs", "prompt_token_logprobs", NULL};
	struct redact_node *n = &m->tree.items[i];
	struct span name = name_of(m, n);
	const struct redact_node *parent =
	        n->parent == REDACT_NO_NODE ? NULL : &m->tree.items[n->parent];
	bool object = n->kind == REDACT_OBJECT, array = n->kind == REDACT_ARRAY;
	if (object && (span_is(name, "logprobs") || is_one_of(name, HOLDERS))) {
		n->box = i;
		n->pos = NONE;
	} else if (array && is_one_of(name, LISTS)) {
		n->box = n->parent;
		n->pos = NONE;
	} else if (n->box == NONE &&
	           ((object && span_is(name, "token")) || span_is(name, "top_tokens"))) {
		n->box = n->parent;
		n->pos = 0;
	} else if (n->box != NONE && n->pos == NONE && parent && parent->kind == REDACT_ARRAY &&
	           n->kind != REDACT_KEY) {
		n->pos = n->index;
	}
	n->flags |= n->box != NONE && is_one_of(name, OTHERS) ? NODE_ALTERNATIVE : 0;
	n->flags |= is_one_of(name, PROMPTS) ? NODE_BLANK : 0;
}

static const struct redact_node *first_child(const struct maker *m, size_t i)
{
	bool has = i + 1 < m->tree.n && m->tree.items[i + 1].parent == i;
	return has ? &m->tree.items[i + 1] : NULL;
}

/* Prompts and answers as numbers: nobody can look into them. */
static bool is_ids(struct maker *m, size_t i)
{
	static const char *const NAMES[] = {"token_ids", "prompt_token_ids", "output_ids",
	        "input_ids", "output_token_ids", "context", "tokens", "prompt", "input", NULL};
	const struct redact_node *n = &m->tree.items[i];
	const struct redact_node *child = first_child(m, i);
	if (n->kind != REDACT_ARRAY || !is_one_of(name_of(m, n), NAMES)) {
		return false;
	}
	if (child && child->kind == REDACT_ARRAY) {
		child = first_child(m, i + 1);
	}
	return child && child->kind == REDACT_NUMBER;
}

static uint64_t slot_of(const struct maker *m, const struct redact_node *n)
{
	return n->box == NONE || n->pos == NONE ? 0 : mix(mix(m->document + 1, n->box), n->pos) | 1;
}

static unsigned flags_of(const struct maker *m, const struct redact_node *n)
{
	unsigned flags = n->flags & NODE_PRIVATE ? PIECE_PRIVATE : 0;
	flags |= n->flags & NODE_BLANK ? PIECE_BLANK : 0;
	if (slot_of(m, n)) {
		flags |= n->flags & NODE_ALTERNATIVE ? PIECE_ALTERNATIVE : PIECE_TOKEN;
	}
	return flags;
}

/* A member of the answer itself, or of what an event says is the answer. */
static bool is_at_top(const struct maker *m, const struct redact_node *n)
{
	const struct redact_node *object = &m->tree.items[n->parent];
	if (object->key == REDACT_NO_NODE) {
		return object->parent == REDACT_NO_NODE;
	}
	struct span name = raw_of(m, &m->tree.items[object->key]);
	return m->tree.items[object->parent].parent == REDACT_NO_NODE &&
	       (span_is(name, "response") || span_is(name, "message"));
}

/* Texts that give a document its form, where all others go. */
static bool is_form(const struct maker *m, const struct redact_node *n)
{
	if (n->key == REDACT_NO_NODE || n->flags & NODE_FOREIGN || slot_of(m, n)) {
		return false;
	}
	struct span name = raw_of(m, &m->tree.items[n->key]), value = raw_of(m, n);
	if (span_is(name, "model") || span_is(name, "system_fingerprint")) {
		return is_at_top(m, n) && redact_form_is_label(value);
	}
	return redact_form_is_value(name, value);
}

/* A name that is a token, or stands for one. */
static bool is_token_name(const struct maker *m, const struct redact_node *object, struct span name)
{
	return (object->flags & NODE_ALTERNATIVE && object->only_numbers) ||
	       (object->flags & NODE_BLANK && name.len && name.data[0] >= '0' &&
	               name.data[0] <= '9');
}

/* Whether names, texts and numbers in the member are its writer's: it is known for that, or not known. */
static bool is_foreign(const struct maker *m, const struct redact_node *n)
{
	struct span name = raw_of(m, &m->tree.items[n->key]);
	if (is_token_name(m, &m->tree.items[n->parent], name)) {
		return false;
	}
	return !redact_form_has_name(name) ||
	       redact_form_is_foreign(name, n->kind == REDACT_OBJECT);
}

/* A number that counts or measures something, and tells nothing of anybody. */
static bool is_measure(const struct maker *m, const struct redact_node *n)
{
	if (n->flags & NODE_FOREIGN) {
		return false;
	}
	while (n->key == REDACT_NO_NODE) {
		if (n->parent == REDACT_NO_NODE) {
			return false;
		}
		n = &m->tree.items[n->parent];
	}
	struct span name = raw_of(m, &m->tree.items[n->key]);
	return is_token_name(m, &m->tree.items[n->parent], name) || redact_form_is_measure(name);
}

static void inherit(struct maker *m, uint32_t i)
{
	struct redact_node *n = &m->tree.items[i];
	n->box = n->pos = NONE;
	n->hash = n->path = 1;
	if (n->parent != REDACT_NO_NODE) {
		const struct redact_node *parent = &m->tree.items[n->parent];
		n->flags = parent->flags;
		n->box = parent->box;
		n->pos = parent->pos;
		n->hash = parent->hash;
		n->path = parent->path;
	}
	if (n->key != REDACT_NO_NODE) {
		n->flags |= is_private(m, i) ? NODE_PRIVATE : 0;
		n->flags |= m->policy->everything && is_foreign(m, n) ? NODE_FOREIGN : 0;
		struct span name = name_of(m, n);
		n->hash = mix(n->hash, hash_of(name));
		n->path = mix(n->path, hash_of(name));
	}
	if (n->mark) {
		n->hash = mix(n->hash, n->mark);
	}
	place(m, i);
}

/* What it spells goes on in others. */
static void put_channel(struct piece *p, const struct redact_node *n)
{
	if (!(p->flags & (PIECE_ALTERNATIVE | PIECE_BLANK))) {
		p->channel = n->hash | 1;
		p->path = n->path | 1;
	}
}

/* What is told apart by it stays so: where it is written again it is the same again. */
static bool is_handle(struct maker *m, const struct redact_node *n)
{
	static const char *const HANDLES[] = {"id", "item_id", "call_id", "tool_call_id", NULL};
	return is_one_of(name_of(m, n), HANDLES);
}

static void put_string(struct maker *m, struct redact_node *n)
{
	unsigned flags = flags_of(m, n);
	if (m->policy->everything && !is_form(m, n)) {
		flags |= PIECE_PRIVATE;
	}
	struct span raw = raw_of(m, n);
	static const char NUMBERED[] = "token_id:";
	if (n->box != NONE && raw.len > strlen(NUMBERED) &&
	        memcmp(raw.data, NUMBERED, strlen(NUMBERED)) == 0) {
		size_t skip = strlen(NUMBERED);
		add(m, n->at + skip, n->len - skip, REDACT_PLAIN, PIECE_IDS);
		return;
	}
	struct piece *p = add(m, n->at, n->len, REDACT_ESCAPED, flags);
	p->slot = slot_of(m, n);
	if (!m->policy->everything || !is_handle(m, n)) {
		put_channel(p, n);
	}
	m->out->has_tokens |= (flags & PIECE_TOKEN) != 0;
}

static void put_key(struct maker *m, struct redact_node *n)
{
	const struct redact_node *object = &m->tree.items[n->parent];
	bool token = object->flags & NODE_ALTERNATIVE && object->only_numbers;
	unsigned flags = object->flags & NODE_PRIVATE ? PIECE_PRIVATE : 0;
	if (m->policy->everything &&
	        (object->flags & NODE_FOREIGN || token || !redact_form_has_name(raw_of(m, n)))) {
		flags |= PIECE_PRIVATE;
	}
	if (token) {
		flags |= PIECE_ALTERNATIVE;
	} else if (object->flags & NODE_BLANK) {
		struct span raw = raw_of(m, n);
		bool id = raw.len && raw.data[0] >= '0' && raw.data[0] <= '9';
		flags |= id ? PIECE_BLANK | PIECE_DIGITS : 0;
	}
	struct piece *p = add(m, n->at, n->len, REDACT_ESCAPED, flags);
	p->slot = token ? slot_of(m, object) : 0;
}

static void put_number(struct maker *m, struct redact_node *n)
{
	static const char *const IDS[] = {"id", "token_id", NULL};
	const struct redact_node *parent =
	        n->parent == REDACT_NO_NODE ? NULL : &m->tree.items[n->parent];
	uint64_t slot = slot_of(m, n);
	/* SGLang has tokens as [logprob, id, text]. */
	bool second = parent && parent->kind == REDACT_ARRAY && n->index == 1 &&
	              parent->key == REDACT_NO_NODE;
	bool id = slot && (second || is_one_of(name_of(m, n), IDS));
	bool private = n->flags & NODE_PRIVATE || (m->policy->everything && !is_measure(m, n));
	if (id) {
		add(m, n->at, n->len, REDACT_PLAIN, PIECE_ID)->slot = slot;
	} else if (private || n->len >= LONG_NUMBER || m->policy->n_patterns) {
		unsigned flags = private ? PIECE_PRIVATE : 0;
		add(m, n->at, n->len, REDACT_PLAIN, flags | PIECE_DIGITS);
	}
}

/* Of a document that is none: a word that JSON does not have. */
static void put_word(struct maker *m, const struct redact_node *n)
{
	static const char *const KNOWN[] = {
	        "true", "false", "null", "NaN", "Infinity", "DONE", NULL};
	if (m->policy->everything && !is_one_of(raw_of(m, n), KNOWN)) {
		add(m, n->at, n->len, REDACT_PLAIN, PIECE_PRIVATE);
	}
}

static void put_array(struct maker *m, uint32_t i)
{
	struct redact_node *n = &m->tree.items[i];
	const struct redact_node *child = first_child(m, i);
	if (is_ids(m, i)) {
		add(m, n->at, n->len, REDACT_PLAIN, PIECE_IDS);
		n->flags |= NODE_SKIP;
	} else if (child && n->only_numbers && span_is(name_of(m, n), "bytes")) {
		unsigned flags = flags_of(m, n);
		struct piece *p = add(m, n->at, n->len, REDACT_BYTES,
		        flags | (m->policy->everything ? PIECE_PRIVATE : 0));
		p->slot = slot_of(m, n);
		put_channel(p, n);
		n->flags |= NODE_SKIP;
	}
}

/* What stands outside of documents, where only the form may stay. */
static void put_foreign(struct maker *m, size_t at, size_t end)
{
	while (at < end && !m->error) {
		const char *feed = memchr(m->body.data + at, '\n', end - at);
		size_t to = feed ? (size_t)(feed - m->body.data) : end;
		size_t from = at + redact_form_field(m->body, at, to);
		if (to > from) {
			add(m, from, to - from, REDACT_PLAIN, PIECE_JUNK | PIECE_PRIVATE);
		}
		at = to + 1;
	}
}

static void put_junk(struct maker *m, size_t at, size_t end, unsigned flags)
{
	if (m->policy->everything) {
		put_foreign(m, at, end);
		return;
	}
	while (at < end && memchr(" \t\r\n", m->body.data[at], 4)) {
		at++;
	}
	if (at < end) {
		add(m, at, end - at, REDACT_PLAIN, flags);
	}
}

/* A line of an event stream that is text itself and no document: the next one may go on with it. */
static size_t put_raw_line(struct maker *m, size_t at)
{
	const char *line = m->body.data + at;
	const char *feed = memchr(line, '\n', m->body.len - at);
	size_t end = feed ? (size_t)(feed - m->body.data) : m->body.len;
	size_t from = at + strlen(DATA);
	from += from < end && m->body.data[from] == ' ';
	size_t to = end > from && m->body.data[end - 1] == '\r' ? end - 1 : end;
	if (to > from) {
		struct piece *p = add(m, from, to - from, REDACT_PLAIN,
		        m->policy->everything ? PIECE_PRIVATE : 0);
		p->channel = RAW_CHANNEL;
	}
	return end;
}

static bool is_raw_line(const struct maker *m, size_t at)
{
	if ((at && !memchr("\r\n", m->body.data[at - 1], 2)) || m->body.len - at < strlen(DATA) ||
	        memcmp(m->body.data + at, DATA, strlen(DATA)) != 0) {
		return false;
	}
	for (at += strlen(DATA); at < m->body.len && memchr(" \t", m->body.data[at], 2);) {
		at++;
	}
	return at < m->body.len && !memchr("{[\"", m->body.data[at], 3);
}

static void put_document(struct maker *m, size_t at, size_t end)
{
	mark_parents(m);
	for (uint32_t i = 0; i < m->tree.n && !m->error; i++) {
		struct redact_node *n = &m->tree.items[i];
		inherit(m, i);
		if (n->flags & NODE_SKIP) {
			continue;
		}
		switch ((enum redact_kind)n->kind) {
		case REDACT_ARRAY:
			put_array(m, i);
			break;
		case REDACT_STRING:
			put_string(m, n);
			break;
		case REDACT_KEY:
			put_key(m, n);
			break;
		case REDACT_NUMBER:
			put_number(m, n);
			break;
		case REDACT_WORD:
			put_word(m, n);
			break;
		case REDACT_OBJECT:
			break;
		}
	}
	if (m->tree.malformed) {
		add(m, at, end - at, REDACT_PLAIN, PIECE_JUNK);
	}
	m->document++;
}

/* Events, lines and whole documents alike: a document begins with its first bracket or quotation mark. */
static void put_documents(struct maker *m)
{
	size_t junk = 0;
	for (size_t p = 0; p < m->body.len && !m->error;) {
		if (is_raw_line(m, p)) {
			put_junk(m, junk, p, PIECE_JUNK);
			p = junk = put_raw_line(m, p);
			continue;
		}
		if (!memchr("{[\"", m->body.data[p], 3)) {
			p++;
			continue;
		}
		put_junk(m, junk, p, PIECE_JUNK);
		int64_t end = redact_tree_read(&m->tree, m->body, p);
		if (end < 0) {
			m->error = (int)end;
			return;
		}
		put_document(m, p, (size_t)end);
		p = junk = (size_t)end;
	}
	put_junk(m, junk, m->body.len, PIECE_JUNK);
}

static bool is_text(struct span body)
{
	const char *p = body.data, *end = p + body.len;
	while (p < end) {
		size_t n = *p ? utf8_length(p, end) : 0;
		/* The last character may have been cut. */
		if (!n && (*p == '\0' || end - p > 3)) {
			return false;
		}
		p += n ? n : 1;
	}
	return true;
}

static bool has_documents(struct span body)
{
	static const char *const LINES[] = {"data:", "event:", "id:", "retry:", ":"};
	size_t at = body.len >= 3 && memcmp(body.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (at < body.len && memchr(" \t\r\n", body.data[at], 4)) {
		at++;
	}
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		size_t len = strlen(LINES[i]);
		if (body.len - at >= len && memcmp(body.data + at, LINES[i], len) == 0) {
			return true;
		}
	}
	return at < body.len && memchr("{[\"", body.data[at], 3);
}

int redact_pieces_make(const struct redact_policy *policy, struct span body, struct pieces *ret)
{
	*ret = (struct pieces){0};
	struct maker m = {.policy = policy, .body = body, .out = ret};
	if (body.len > BODY_LIMIT) {
		return -E2BIG;
	}
	if (!body.len) {
		return 0;
	}
	if (!is_text(body)) {
		return -EBADMSG;
	}
	if (has_documents(body)) {
		put_documents(&m);
	} else {
		add(&m, 0, body.len, REDACT_PLAIN, policy->everything ? PIECE_PRIVATE : 0);
	}
	redact_tree_finish(&m.tree);
	buf_finish(&m.name);
	return m.error;
}

void redact_pieces_finish(struct pieces *p)
{
	free(p->items);
	*p = (struct pieces){0};
}
