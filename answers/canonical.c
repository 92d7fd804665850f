#include "answers/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "answers/decimal.h"
#include "base/ascii.h"
#include "base/utf8.h"

/*
 * The text is written in one pass, members in the order in which they come. An object whose members
 * came in order needs nothing more. One that did not is remembered as a node: where it lies in the
 * text, and its members sorted. Each member names the nodes within it, so that at the end one walk
 * copies every byte to its place once, however deep the objects are nested.
 */
struct member {
	uint32_t from, to;            /* "key":value in text */
	uint32_t first_node, n_nodes; /* within the value */
};

struct node {
	uint32_t from, to;                /* in text, both braces included */
	uint32_t first_member, n_members; /* of kept_members */
};

#define VALUE_LIMIT ((size_t)1 << 30)

void canonical_finish(struct canonical *c)
{
	buf_finish(&c->text);
	buf_finish(&c->members);
	buf_finish(&c->nodes);
	buf_finish(&c->kept_members);
	buf_finish(&c->kept_nodes);
	buf_finish(&c->sorted);
}

static uint32_t count_of(const struct buf *b, size_t size)
{
	return (uint32_t)(b->len / size);
}

static struct member *members_of(const struct buf *b)
{
	return (struct member *)(void *)b->data;
}

static struct node *nodes_of(const struct buf *b)
{
	return (struct node *)(void *)b->data;
}

static void put_utf8(struct buf *to, unsigned cp)
{
	to->len += utf8_put(cp, buf_reserve(to, 4));
}

static void put_code_point(struct buf *to, unsigned cp)
{
	static const char shorts[32] = {
	        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	if (cp == '"' || cp == '\\') {
		buf_append_char(to, '\\');
		buf_append_char(to, (char)cp);
	} else if (cp < 0x20 && shorts[cp]) {
		buf_append_char(to, '\\');
		buf_append_char(to, shorts[cp]);
	} else if (cp < 0x20) {
		buf_printf(to, "\\u%04x", cp);
	} else {
		put_utf8(to, cp);
	}
}

/* Writes the character of an escape \uXXXX; p is after the u. A surrogate pair is one character,
 * a lone surrogate becomes U+FFFD. */
static const char *put_unicode(struct canonical *c, const char *p, const char *end)
{
	struct buf *to = &c->text;
	unsigned cp = hex_quad(p);
	p += 4;
	if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		unsigned low = hex_quad(p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			put_utf8(to, 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00));
			return p + 6;
		}
	}
	bool is_half = cp >= 0xd800 && cp < 0xe000;
	c->lossy |= is_half;
	put_code_point(to, is_half ? 0xfffd : cp);
	return p;
}

static void put_string(struct canonical *c, const struct json_token *t)
{
	struct buf *to = &c->text;
	if (!t->escaped) {
		buf_append(to, t->start, t->len);
		return;
	}
	struct span raw = json_token_raw(t);
	const char *p = raw.data;
	const char *end = raw.data + raw.len;
	buf_append_char(to, '"');
	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		buf_append(to, p, (size_t)((slash ? slash : end) - p));
		if (!slash) {
			break;
		}
		if (slash[1] == 'u') {
			p = put_unicode(c, slash + 2, end);
			continue;
		}
		/* The two-character escapes are their own canonical form, except the solidus. */
		buf_append(to, slash[1] == '/' ? "/" : slash, slash[1] == '/' ? 1 : 2);
		p = slash + 2;
	}
	buf_append_char(to, '"');
}

/* The next byte of a canonical string, unescaped; -1 at its closing quote. */
static int key_byte(const char **p)
{
	const char *s = *p;
	if (*s == '"') {
		return -1;
	}
	if (*s != '\\') {
		*p = s + 1;
		return (unsigned char)*s;
	}
	*p = s + (s[1] == 'u' ? 6 : 2);
	switch (s[1]) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'u':
		return (int)hex_quad(s + 2);
	default:
		return s[1];
	}
}

static int compare_keys(const char *text, const struct member *a, const struct member *b)
{
	const char *p = text + a->from + 1;
	const char *q = text + b->from + 1;
	int c, d;
	do {
		c = key_byte(&p);
		d = key_byte(&q);
	} while (c == d && c >= 0);
	return c - d;
}

static int compare_members(const void *a, const void *b, void *text)
{
	const struct member *x = a;
	const struct member *y = b;
	int order = compare_keys(text, x, y);
	return order ? order : (x->from > y->from) - (x->from < y->from);
}

/* Members from `first` on belong to the object that ended; the nodes from first_node on are within
 * it. */
static void close_object(struct canonical *c, uint32_t from, uint32_t first, uint32_t first_node)
{
	uint32_t n = count_of(&c->members, sizeof(struct member)) - first;
	struct member *m = n ? members_of(&c->members) + first : NULL;
	bool in_order = true;
	for (uint32_t i = 1; i < n && in_order; i++) {
		in_order = compare_keys(c->text.data, &m[i - 1], &m[i]) < 0;
	}
	if (!in_order) {
		/* Moves the inner nodes to their final place and updates the members'
		 * references. */
		uint32_t kept = count_of(&c->kept_nodes, sizeof(struct node));
		uint32_t moved = count_of(&c->nodes, sizeof(struct node)) - first_node;
		if (moved) {
			buf_append(&c->kept_nodes, nodes_of(&c->nodes) + first_node,
			        moved * sizeof(struct node));
		}
		c->nodes.len = first_node * sizeof(struct node);
		for (uint32_t i = 0; i < n; i++) {
			m[i].first_node = m[i].first_node - first_node + kept;
		}
		qsort_r(m, n, sizeof(*m), compare_members, c->text.data);
		struct node node = {from, (uint32_t)c->text.len,
		        count_of(&c->kept_members, sizeof(struct member)), n};
		buf_append(&c->kept_members, m, n * sizeof(*m));
		buf_append(&c->nodes, &node, sizeof(node));
	}
	c->members.len = first * sizeof(struct member);
}

static bool write_value(struct canonical *c, struct json *j, const struct json_token *first);

/* Records the watched member of the outermost object. If it occurs more than once, the last one is
 * used. */
static void watch_member(
        struct canonical *c, uint32_t key_from, uint32_t from, enum json_token_type type)
{
	struct span key = {c->text.data + key_from + 1, from - key_from - sizeof("\"\":") + 1};
	if (c->watched.len && span_equal(key, c->watched)) {
		bool scalar = type != JSON_TOKEN_OBJECT && type != JSON_TOKEN_ARRAY;
		c->found_from = from;
		c->found.len = scalar ? c->text.len - from : 0;
	}
}

static bool write_object(struct canonical *c, struct json *j)
{
	uint32_t from = (uint32_t)c->text.len;
	uint32_t first = count_of(&c->members, sizeof(struct member));
	uint32_t first_node = count_of(&c->nodes, sizeof(struct node));
	struct json_token t;
	buf_append_char(&c->text, '{');
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		if (c->text.len - 1 != from) {
			buf_append_char(&c->text, ',');
		}
		struct member m = {.from = (uint32_t)c->text.len,
		        .first_node = count_of(&c->nodes, sizeof(struct node))};
		put_string(c, &t);
		buf_append_char(&c->text, ':');
		uint32_t value_from = (uint32_t)c->text.len;
		struct json_token v = json_next(j);
		if (!write_value(c, j, &v)) {
			return false;
		}
		m.to = (uint32_t)c->text.len;
		if (from == 0) {
			watch_member(c, m.from, value_from, v.type);
		}
		m.n_nodes = count_of(&c->nodes, sizeof(struct node)) - m.first_node;
		buf_append(&c->members, &m, sizeof(m));
	}
	if (t.type != JSON_TOKEN_OBJECT_END) {
		return false;
	}
	buf_append_char(&c->text, '}');
	close_object(c, from, first, first_node);
	return true;
}

static bool write_array(struct canonical *c, struct json *j)
{
	struct json_token t;
	size_t from = c->text.len;
	buf_append_char(&c->text, '[');
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END) {
		if (c->text.len - 1 != from) {
			buf_append_char(&c->text, ',');
		}
		if (!write_value(c, j, &t)) {
			return false;
		}
	}
	buf_append_char(&c->text, ']');
	return true;
}

/* The reader bounds the depth of this recursion (JSON_MAX_DEPTH). */
static bool write_value(struct canonical *c, struct json *j, const struct json_token *first)
{
	if (c->text.len + first->len > VALUE_LIMIT) {
		return false;
	}
	switch (first->type) {
	case JSON_TOKEN_OBJECT:
		return write_object(c, j);
	case JSON_TOKEN_ARRAY:
		return write_array(c, j);
	case JSON_TOKEN_STRING:
		put_string(c, first);
		return true;
	case JSON_TOKEN_NUMBER:
		if (c->keeps_numbers) {
			buf_append(&c->text, first->start, first->len);
		} else {
			decimal_normalise(&c->text, (struct span){first->start, first->len});
		}
		return true;
	case JSON_TOKEN_TRUE:
	case JSON_TOKEN_FALSE:
	case JSON_TOKEN_NULL:
		buf_append(&c->text, first->start, first->len);
		return true;
	default:
		return false;
	}
}

/* Copies text[from, to) with the nodes in it put in order. */
static void emit(
        struct canonical *c, uint32_t from, uint32_t to, const struct node *nodes, uint32_t n)
{
	expect(nodes || n == 0);
	for (uint32_t i = 0; i < n; i++) {
		buf_append(&c->sorted, c->text.data + from, nodes[i].from - from);
		buf_append_char(&c->sorted, '{');
		const struct member *m = members_of(&c->kept_members) + nodes[i].first_member;
		bool any = false;
		for (uint32_t k = 0; k < nodes[i].n_members; k++) {
			if (k + 1 < nodes[i].n_members &&
			        compare_keys(c->text.data, &m[k], &m[k + 1]) == 0) {
				c->repeats = true;
				continue;
			}
			if (any) {
				buf_append_char(&c->sorted, ',');
			}
			any = true;
			emit(c, m[k].from, m[k].to,
			        m[k].n_nodes ? nodes_of(&c->kept_nodes) + m[k].first_node : NULL,
			        m[k].n_nodes);
		}
		buf_append_char(&c->sorted, '}');
		from = nodes[i].to;
	}
	buf_append(&c->sorted, c->text.data + from, to - from);
}

struct span canonical_value(struct canonical *c, struct json *j, const struct json_token *first)
{
	c->repeats = c->lossy = false;
	buf_clear(&c->text);
	buf_clear(&c->members);
	buf_clear(&c->nodes);
	buf_clear(&c->kept_members);
	buf_clear(&c->kept_nodes);
	buf_clear(&c->sorted);
	c->found = (struct span){0};
	if (!write_value(c, j, first)) {
		return (struct span){0};
	}
	c->found.data = c->text.data + c->found_from;
	uint32_t n = count_of(&c->nodes, sizeof(struct node));
	if (n == 0) {
		return buf_span(&c->text);
	}
	emit(c, 0, (uint32_t)c->text.len, nodes_of(&c->nodes), n);
	return buf_span(&c->sorted);
}
