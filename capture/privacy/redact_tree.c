#include "capture/privacy/redact_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "capture/privacy/redact_fill.h"

#define DEPTH_LIMIT 256
#define NODES_LIMIT ((size_t)1 << 20)

struct frame {
	uint32_t node;
	uint32_t key; /* key that waits for its value */
	uint32_t children;
	bool other; /* contains a value that is no number */
	char last;  /* 0, a key, a value, or one of ":," */
};

enum { LAST_KEY = 'k', LAST_VALUE = 'v' };

struct walk {
	struct redact_tree *tree;
	struct span text; /* of the tree */
	size_t p;
	struct frame frames[DEPTH_LIMIT];
	unsigned depth;
};

/* Whether a key, a value, or one of ":,}]" may follow the previous item. */
static bool may_follow(const struct walk *w, char c)
{
	const struct frame *f = &w->frames[w->depth - 1];
	bool object = w->tree->items[f->node].kind == REDACT_OBJECT;
	bool at_item = f->last == 0 || f->last == ',';
	switch (c) {
	case LAST_KEY:
		return object && at_item;
	case LAST_VALUE:
		return object ? f->last == ':' : at_item;
	case ':':
		return f->last == LAST_KEY;
	case ',':
		return f->last == LAST_VALUE;
	default:
		return object == (c == '}') && (f->last == 0 || f->last == LAST_VALUE);
	}
}

static void follow(struct walk *w, char c)
{
	if (w->depth) {
		w->tree->malformed |= !may_follow(w, c);
		w->frames[w->depth - 1].last = c;
	}
}

static int add(struct walk *w, enum redact_kind kind, size_t at, size_t len)
{
	struct redact_tree *t = w->tree;
	if (t->n == NODES_LIMIT) {
		return -E2BIG;
	}
	if (!claim_item(t->claim, &t->items, t->n, &t->cap, sizeof(*t->items))) {
		return -ENOMEM;
	}
	follow(w, kind == REDACT_KEY ? LAST_KEY : LAST_VALUE);
	struct frame *f = w->depth ? &w->frames[w->depth - 1] : NULL;
	struct redact_node *n = &t->items[t->n++];
	*n = (struct redact_node){
	        .at = (uint32_t)at,
	        .len = (uint32_t)len,
	        .parent = f ? f->node : REDACT_NO_NODE,
	        .key = f ? f->key : REDACT_NO_NODE,
	        .index = f ? f->children : 0,
	        .kind = (uint8_t)kind,
	};
	if (kind == REDACT_KEY) {
		n->key = REDACT_NO_NODE;
		f->key = (uint32_t)(t->n - 1);
	} else if (f) {
		f->other = f->other || kind != REDACT_NUMBER;
		f->children++;
		f->key = REDACT_NO_NODE;
	}
	return 0;
}

static int open_value(struct walk *w)
{
	if (w->depth == DEPTH_LIMIT) {
		return -E2BIG;
	}
	bool object = w->text.data[w->p] == '{';
	int r = add(w, object ? REDACT_OBJECT : REDACT_ARRAY, w->p, 0);
	w->p++;
	w->frames[w->depth++] =
	        (struct frame){(uint32_t)(w->tree->n - 1), REDACT_NO_NODE, 0, false, 0};
	return r;
}

static void close_value(struct walk *w, size_t end)
{
	struct frame *f = &w->frames[--w->depth];
	struct redact_node *n = &w->tree->items[f->node];
	n->len = (uint32_t)(end - n->at);
	n->only_numbers = f->children && !f->other;
}

size_t redact_tree_string_end(struct span text, size_t at)
{
	const char *d = text.data;
	for (; at < text.len && d[at] != '"' && d[at] != '\n'; at++) {
		at += d[at] == '\\' && at + 1 < text.len && d[at + 1] != '\n';
	}
	return at;
}

/* Reads a string up to its closing quote, or up to where it must have ended. */
static int read_string(struct walk *w)
{
	const struct frame *f = w->depth ? &w->frames[w->depth - 1] : NULL;
	bool in_object = f && w->tree->items[f->node].kind == REDACT_OBJECT;
	size_t at = w->p + 1, end = redact_tree_string_end(w->text, at);
	bool closed = end < w->text.len && w->text.data[end] == '"';
	w->tree->malformed |= !closed;
	w->p = closed ? end + 1 : end;
	bool key = in_object && f->key == REDACT_NO_NODE;
	return add(w, key ? REDACT_KEY : REDACT_STRING, at, end - at);
}

static bool is_number(struct span word)
{
	bool begins = word.data[0] == '-' || (word.data[0] >= '0' && word.data[0] <= '9');
	for (size_t i = 0; begins && i < word.len; i++) {
		begins = word.data[i] && strchr("+-.0123456789eE", word.data[i]);
	}
	return begins;
}

/* JSON numbers, but leading zeros are accepted: redaction writes them. */
static bool is_json_number(struct span s)
{
	size_t from = s.data[0] == '-';
	while (from + 1 < s.len && s.data[from] == '0' && is_digit(s.data[from + 1])) {
		from++;
	}
	struct json j;
	return from < s.len && is_digit(s.data[from]) &&
	       json_begin(&j, span_from(s, from)).type == JSON_TOKEN_NUMBER &&
	       json_next(&j).type == JSON_TOKEN_END;
}

static int read_word(struct walk *w)
{
	static const char *const KNOWN[] = {"true", "false", "null", "NaN", "Infinity", NULL};
	size_t at = w->p;
	const char *d = w->text.data;
	while (w->p < w->text.len && !strchr(" \t\n\r,:{}[]\"", d[w->p])) {
		w->p++;
	}
	w->p += w->p == at; /* a NUL */
	struct span word = {d + at, w->p - at};
	bool number = is_number(word);
	w->tree->malformed |= number ? !is_json_number(word) : !span_is_one_of(word, KNOWN);
	return add(w, number ? REDACT_NUMBER : REDACT_WORD, at, word.len);
}

/* 1: the value continues; 0: it is complete. */
static int step(struct walk *w)
{
	char c = w->text.data[w->p];
	int r = 0;
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		w->p++;
		break;
	case ',':
	case ':':
		follow(w, c);
		w->p++;
		break;
	case '{':
	case '[':
		r = open_value(w);
		break;
	case '}':
	case ']':
		follow(w, c);
		close_value(w, ++w->p);
		break;
	case '"':
		r = read_string(w);
		break;
	default:
		r = read_word(w);
	}
	return r < 0 ? r : w->depth > 0;
}

int64_t redact_tree_read(struct redact_tree *t, size_t at)
{
	struct walk w = {.tree = t, .text = t->text, .p = at};
	t->n = 0;
	t->malformed = false;
	int r = step(&w);
	/* A malformed event ends with its lines. The next event is parsed from the start. */
	while (r > 0 && w.p < w.text.len && !span_starts(span_from(w.text, w.p), "\ndata:")) {
		r = step(&w);
	}
	if (r < 0) {
		return r;
	}
	t->malformed |= w.depth > 0;
	while (w.depth) {
		close_value(&w, w.p);
	}
	return (int64_t)w.p;
}

void redact_tree_finish(struct redact_tree *t)
{
	free(t->items);
	buf_finish(&t->name);
}

struct span redact_tree_raw(const struct redact_tree *t, const struct redact_node *n)
{
	return (struct span){t->text.data + n->at, n->len};
}

struct span redact_tree_name(struct redact_tree *t, const struct redact_node *n)
{
	if (n->key == REDACT_NO_NODE) {
		return (struct span){"", 0};
	}
	struct span raw = redact_tree_raw(t, &t->items[n->key]);
	if (!memchr(raw.data, '\\', raw.len)) {
		return raw;
	}
	buf_clear(&t->name);
	if (!claim_reserve(t->claim, &t->name, raw.len)) {
		t->error = -ENOMEM;
		return raw;
	}
	redact_decode(REDACT_ESCAPED, raw, &t->name);
	return buf_span(&t->name);
}

struct redact_node *redact_tree_parent(const struct redact_tree *t, const struct redact_node *n)
{
	return n->parent == REDACT_NO_NODE ? NULL : &t->items[n->parent];
}
