#include "capture/privacy/redact_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/byte_order_mark.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "capture/privacy/redact_form.h"
#include "capture/privacy/redact_places.h"

#define BODY_LIMIT ((size_t)1 << 30)
#define PIECES_LIMIT ((size_t)1 << 20)
#define LONG_NUMBER 13 /* digits; a shorter number is no card number */
#define DATA "data:"
#define RAW_CHANNEL 2 /* the channels of documents are odd */
#define FEW_EVENTS 4  /* events per index; an index that numbers texts would have more */

/* A body that is being divided. */
struct cut {
	struct redact_pieces *to;
	struct span body;
	struct redact_places places; /* of the current document */
	bool everything;
};

/* Adds a piece and returns it, valid until the next call; the caller sets its groups. */
static struct redact_piece *add(
        struct cut *c, size_t at, size_t len, enum redact_spelling how, unsigned flags)
{
	struct redact_pieces *p = c->to;
	if (!p->error && p->n == PIECES_LIMIT) {
		p->error = -E2BIG;
	} else if (!p->error &&
	           !claim_item(p->claim, &p->items, p->n, &p->cap, sizeof(*p->items))) {
		p->error = -ENOMEM;
	}
	struct redact_piece *piece = p->error ? &p->nowhere : &p->items[p->n];
	*piece = (struct redact_piece){
	        .at = at,
	        .len = (uint32_t)len,
	        .order = (uint32_t)p->n,
	        .flags = (uint16_t)flags,
	        .spelling = (uint8_t)how,
	};
	p->n += !p->error;
	p->has_private |= (flags & REDACT_PIECE_PRIVATE) != 0;
	return piece;
}

/* Documents. */

static unsigned flags_of(const struct cut *c, const struct redact_node *n)
{
	unsigned flags = n->flags & PLACE_PRIVATE ? REDACT_PIECE_PRIVATE : 0;
	flags |= n->flags & PLACE_BLANK ? REDACT_PIECE_BLANK : 0;
	if (redact_place_slot(&c->places, n)) {
		flags |= n->flags & PLACE_ALTERNATIVE ? REDACT_PIECE_ALTERNATIVE
		                                      : REDACT_PIECE_TOKEN;
	}
	return flags;
}

/* Adds a piece whose text may continue in other pieces. */
static struct redact_piece *add_text(
        struct cut *c, const struct redact_node *n, enum redact_spelling how, unsigned flags)
{
	struct redact_piece *p = add(c, n->at, n->len, how, flags);
	p->in[REDACT_PIECE_SLOT] = redact_place_slot(&c->places, n);
	if (!(flags & (REDACT_PIECE_ALTERNATIVE | REDACT_PIECE_BLANK))) {
		p->in[REDACT_PIECE_CHANNEL] = n->hash | 1;
		p->in[REDACT_PIECE_PATH] = n->path | 1;
		p->document = c->places.document;
	}
	return p;
}

static void put_string(struct cut *c, const struct redact_node *n)
{
	/* Handles are replaced consistently, each by itself: distinct ones stay distinct, and
	 * repeated ones stay equal. */
	static const char *const HANDLES[] = {"id", "item_id", "call_id", "tool_call_id", NULL};
	static const char NUMBERED[] = "token_id:";
	size_t skip = strlen(NUMBERED);
	struct span raw = redact_tree_raw(&c->places.tree, n);
	if (n->box != REDACT_NO_NODE && span_starts(raw, NUMBERED) &&
	        redact_place_is_id(span_from(raw, skip))) {
		add(c, n->at + skip, n->len - skip, REDACT_PLAIN, REDACT_PIECE_IDS);
		return;
	}
	bool private = c->everything && !redact_place_is_form(&c->places, n);
	struct redact_piece *p = add_text(
	        c, n, REDACT_ESCAPED, flags_of(c, n) | (private ? REDACT_PIECE_PRIVATE : 0));
	if (c->everything && span_is_one_of(redact_tree_name(&c->places.tree, n), HANDLES)) {
		p->in[REDACT_PIECE_CHANNEL] = p->in[REDACT_PIECE_PATH] = 0;
	}
}

static void put_key(struct cut *c, const struct redact_node *n)
{
	const struct redact_node *object = redact_tree_parent(&c->places.tree, n);
	struct span raw = redact_tree_raw(&c->places.tree, n);
	bool token = object->flags & PLACE_ALTERNATIVE && object->only_numbers;
	unsigned flags = object->flags & PLACE_PRIVATE ? REDACT_PIECE_PRIVATE : 0;
	if (c->everything &&
	        (object->flags & PLACE_OF_USER || token || !redact_form_has_name(raw))) {
		flags |= REDACT_PIECE_PRIVATE;
	}
	if (token) {
		flags |= REDACT_PIECE_ALTERNATIVE;
	} else if (object->flags & PLACE_BLANK && redact_place_is_id(raw)) {
		flags |= REDACT_PIECE_BLANK | REDACT_PIECE_DIGITS;
	}
	struct redact_piece *p = add(c, n->at, n->len, REDACT_ESCAPED, flags);
	p->in[REDACT_PIECE_SLOT] = token ? redact_place_slot(&c->places, object) : 0;
}

static void put_number(struct cut *c, const struct redact_node *n)
{
	static const char *const IDS[] = {"id", "token_id", NULL};
	struct redact_places *places = &c->places;
	const struct redact_node *parent = redact_tree_parent(&places->tree, n);
	uint64_t slot = redact_place_slot(places, n);
	bool of_prompt = n->flags & PLACE_BLANK;
	/* SGLang writes tokens as [logprob, id, text]. */
	bool second = parent && parent->kind == REDACT_ARRAY && n->index == 1 &&
	              parent->key == REDACT_NO_NODE;
	bool id = (slot || of_prompt) &&
	          (second || span_is_one_of(redact_tree_name(&places->tree, n), IDS));
	bool private =
	        n->flags & PLACE_PRIVATE || (c->everything && !redact_place_is_measure(places, n));
	if (id && of_prompt) {
		add(c, n->at, n->len, REDACT_PLAIN, REDACT_PIECE_IDS | REDACT_PIECE_BLANK);
	} else if (id) {
		add(c, n->at, n->len, REDACT_PLAIN, REDACT_PIECE_ID)->in[REDACT_PIECE_SLOT] = slot;
	} else if (private || n->len >= LONG_NUMBER || places->policy->n_patterns) {
		unsigned flags = private ? REDACT_PIECE_PRIVATE : 0;
		add(c, n->at, n->len, REDACT_PLAIN, flags | REDACT_PIECE_DIGITS);
	}
}

/* Adds a word that is not JSON, from a malformed document. */
static void put_word(struct cut *c, const struct redact_node *n)
{
	static const char *const KNOWN[] = {
	        "true", "false", "null", "NaN", "Infinity", "DONE", NULL};
	if (c->everything && !span_is_one_of(redact_tree_raw(&c->places.tree, n), KNOWN)) {
		add(c, n->at, n->len, REDACT_PLAIN, REDACT_PIECE_PRIVATE);
	}
}

static void put_array(struct cut *c, uint32_t i)
{
	struct redact_tree *t = &c->places.tree;
	struct redact_node *n = &t->items[i];
	if (redact_place_has_ids(&c->places, i)) {
		add(c, n->at, n->len, REDACT_PLAIN, REDACT_PIECE_IDS);
		n->flags |= redact_place_is_numeric(&c->places, i) ? PLACE_COVERED : 0;
	} else if (n->only_numbers && span_is(redact_tree_name(t, n), "bytes")) {
		unsigned private = c->everything ? REDACT_PIECE_PRIVATE : 0;
		add_text(c, n, REDACT_BYTES, flags_of(c, n) | private);
		n->flags |= PLACE_COVERED;
	}
}

static void put_node(struct cut *c, uint32_t i)
{
	const struct redact_node *n = &c->places.tree.items[i];
	switch ((enum redact_kind)n->kind) {
	case REDACT_ARRAY:
		put_array(c, i);
		break;
	case REDACT_STRING:
		put_string(c, n);
		break;
	case REDACT_KEY:
		put_key(c, n);
		break;
	case REDACT_NUMBER:
		put_number(c, n);
		break;
	case REDACT_WORD:
		put_word(c, n);
		break;
	case REDACT_OBJECT:
		break;
	}
}

/* Adds the document at `at`. A malformed one is added once more as a whole. Returns its end, or
 * -errno. */
static int64_t put_document(struct cut *c, size_t at)
{
	struct redact_tree *t = &c->places.tree;
	int64_t end = redact_places_read(&c->places, at);
	for (uint32_t i = 0; end >= 0 && i < t->n && !c->to->error; i++) {
		const struct redact_node *parent = redact_tree_parent(t, &t->items[i]);
		if (parent && parent->flags & PLACE_COVERED) {
			t->items[i].flags |= PLACE_COVERED;
		} else {
			put_node(c, i);
		}
	}
	if (end >= 0 && t->malformed) {
		add(c, at, (size_t)end - at, REDACT_PLAIN, REDACT_PIECE_JUNK);
	}
	return end;
}

/* What is outside of documents. */

/* Adds text that is no document. If everything is private, only an event stream's form stays. */
static void put_junk(struct cut *c, size_t at, size_t end)
{
	while (!c->everything && at < end && memchr(" \t\r\n", c->body.data[at], 4)) {
		at++;
	}
	for (size_t to; at < end && !c->to->error; at = to + 1) {
		const char *feed = memchr(c->body.data + at, '\n', end - at);
		to = feed && c->everything ? (size_t)(feed - c->body.data) : end;
		size_t from = at + (c->everything ? redact_form_field(c->body, at, to) : 0);
		if (to > from) {
			add(c, from, to - from, REDACT_PLAIN,
			        REDACT_PIECE_JUNK | (c->everything ? REDACT_PIECE_PRIVATE : 0));
		}
	}
}

/* Adds text that is not JSON. */
static struct redact_piece *put_plain(struct cut *c, size_t at, size_t end)
{
	return add(c, at, end - at, REDACT_PLAIN, c->everything ? REDACT_PIECE_PRIVATE : 0);
}

static bool is_raw_line(struct span body, size_t at)
{
	if ((at && !memchr("\r\n", body.data[at - 1], 2)) ||
	        !span_starts(span_from(body, at), DATA)) {
		return false;
	}
	for (at += strlen(DATA); at < body.len && memchr(" \t", body.data[at], 2);) {
		at++;
	}
	return at < body.len && !memchr("{[\"", body.data[at], 3);
}

/* Adds a line of an event stream that is plain text and no document. The next such line may
 * continue its text. */
static size_t put_raw_line(struct cut *c, size_t at)
{
	const char *d = c->body.data, *feed = memchr(d + at, '\n', c->body.len - at);
	size_t end = feed ? (size_t)(feed - d) : c->body.len;
	size_t from = at + strlen(DATA);
	from += from < end && d[from] == ' ';
	size_t to = end > from && d[end - 1] == '\r' ? end - 1 : end;
	if (to > from) {
		put_plain(c, from, to)->in[REDACT_PIECE_CHANNEL] = RAW_CHANNEL;
	}
	return end;
}

/* Finds the documents in events, lines or whole bodies. A document begins with its first bracket
 * or quotation mark. */
static int put_documents(struct cut *c)
{
	size_t junk = 0;
	for (size_t at = 0; at < c->body.len && !c->to->error;) {
		if (is_raw_line(c->body, at)) {
			put_junk(c, junk, at);
			at = junk = put_raw_line(c, at);
		} else if (memchr("{[\"", c->body.data[at], 3)) {
			put_junk(c, junk, at);
			int64_t end = put_document(c, at);
			if (end < 0) {
				return (int)end;
			}
			at = junk = (size_t)end;
		} else {
			at++;
		}
	}
	put_junk(c, junk, c->body.len);
	return c->to->error;
}

static bool is_text(struct span body)
{
	const char *p = body.data, *end = p + body.len;
	while (p < end) {
		size_t n = *p ? utf8_length(p, end) : 0;
		/* The last character may be truncated. */
		if (!n && (*p == '\0' || end - p > 3)) {
			return false;
		}
		p += n ? n : 1;
	}
	return true;
}

static bool has_documents(struct span body)
{
	static const char *const LINES[] = {DATA, "event:", "id:", "retry:", ":"};
	size_t at = byte_order_mark(body.data, body.len);
	while (at < body.len && memchr(" \t\r\n", body.data[at], 4)) {
		at++;
	}
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		if (span_starts(span_from(body, at), LINES[i])) {
			return true;
		}
	}
	return at < body.len && memchr("{[\"", body.data[at], 3);
}

int redact_pieces_cut(struct redact_pieces *p, const struct redact_policy *policy, struct span body)
{
	struct cut c = {
	        .to = p,
	        .body = body,
	        .places = {.policy = policy, .tree = {.text = body, .claim = p->claim}},
	        .everything = policy->everything,
	};
	int r = body.len > BODY_LIMIT ? -E2BIG : !is_text(body) ? -EBADMSG : 0;
	if (r == 0 && has_documents(body)) {
		r = put_documents(&c);
		redact_tree_finish(&c.places.tree);
	} else if (r == 0 && body.len) {
		put_plain(&c, 0, body.len);
		r = p->error;
	}
	/* qsort() needs as much memory again for its copy. */
	size_t size = (p->n + 1) * sizeof(struct redact_piece *);
	if (r == 0 && !claim_take(p->claim, 2 * size)) {
		r = -ENOMEM;
	}
	p->order = r == 0 ? xmalloc(size) : NULL;
	return r;
}

/* Groups. */

static int by_group(const void *a, const void *b, void *by)
{
	const struct redact_piece *x = *(struct redact_piece *const *)a,
	                          *y = *(struct redact_piece *const *)b;
	enum redact_piece_group group = *(enum redact_piece_group *)by;
	if (x->in[group] != y->in[group]) {
		return x->in[group] < y->in[group] ? -1 : 1;
	}
	if (group == REDACT_PIECE_PATH &&
	        x->in[REDACT_PIECE_CHANNEL] != y->in[REDACT_PIECE_CHANNEL]) {
		return x->in[REDACT_PIECE_CHANNEL] < y->in[REDACT_PIECE_CHANNEL] ? -1 : 1;
	}
	return x->order < y->order ? -1 : x->order > y->order;
}

void redact_pieces_each(
        struct redact_pieces *p, enum redact_piece_group by, redact_pieces_fn fn, void *arg)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (p->items[i].in[by]) {
			p->order[n++] = &p->items[i];
		}
	}
	qsort_r(p->order, n, sizeof(*p->order), by_group, &by);
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t shared = p->order[i]->in[by];
		for (end = i + 1; end < n && p->order[end]->in[by] == shared; end++) {
		}
		fn(arg, p->order + i, end - i);
	}
}

/* Whether the channels of this path's pieces only count their events. */
static bool is_counted(struct redact_piece **group, size_t n)
{
	size_t channels = 1, events = 1;
	bool several = false, gone = group[0]->flags & REDACT_PIECE_PRIVATE;
	for (size_t i = 1; i < n; i++) {
		gone = gone || group[i]->flags & REDACT_PIECE_PRIVATE;
		bool other = group[i]->in[REDACT_PIECE_CHANNEL] !=
		             group[i - 1]->in[REDACT_PIECE_CHANNEL];
		several = several || group[i]->document != group[0]->document;
		channels += other;
		events += other || group[i]->document != group[i - 1]->document;
	}
	return !gone && several && channels > 1 && events < FEW_EVENTS * channels;
}

static void drop_path(void *any, struct redact_piece **group, size_t n)
{
	bool counted = is_counted(group, n);
	*(bool *)any |= counted;
	for (size_t i = 0; i < n && !counted; i++) {
		group[i]->in[REDACT_PIECE_PATH] = 0;
	}
}

bool redact_pieces_regroup(struct redact_pieces *p)
{
	bool any = false;
	redact_pieces_each(p, REDACT_PIECE_PATH, drop_path, &any);
	for (size_t i = 0; any && i < p->n; i++) {
		p->items[i].in[REDACT_PIECE_CHANNEL] = p->items[i].in[REDACT_PIECE_PATH];
	}
	return any;
}

void redact_pieces_finish(struct redact_pieces *p)
{
	free(p->items);
	free(p->order);
}
