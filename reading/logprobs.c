#include "reading/logprobs.h"

#include <math.h>
#include <string.h>

#include "reading/columns.h"
#include "reading/keys.h"

/* What OpenAI, vLLM and TensorRT-LLM say for "none"; others say float32's minimum, which is below
 * it. */
#define NO_LOGPROB (-9999.0)

/* One entry of the chat form, or one of its alternatives, before it is known whole. */
struct entry {
	struct json_token token, logprob;
	struct span bytes; /* the value's text */
	int32_t id;
};

static bool is_lossy(struct span bytes)
{
	return bytes.len == 0 || memmem(bytes.data, bytes.len, "\xef\xbf\xbd", 3);
}

static float logprob_of(struct draft *d, const struct json_token *t, uint8_t *flags)
{
	double lp = t->type == JSON_NUMBER ? json_number(t) : NAN;
	if (!isfinite(lp) || lp <= NO_LOGPROB || !isfinite((float)lp)) {
		d->marks |= READING_NON_FINITE;
		*flags |= TOKEN_MISSING;
		return NAN;
	}
	return (float)lp;
}

static int32_t id_of(const struct json_token *t)
{
	int64_t id;
	return t->type == JSON_NUMBER && json_integer(t, &id) && id >= 0 && id <= INT32_MAX
	               ? (int32_t)id
	               : -1;
}

static struct span unescaped(const struct json_token *t, struct buf *scratch)
{
	if (!t->escaped) {
		return json_raw(t);
	}
	buf_clear(scratch);
	json_unescape(t, scratch);
	return buf_span(scratch);
}

/* vLLM's return_tokens_as_token_ids: "token_id:1234" in place of a token's text. */
static bool placeholder_id(struct span token, int32_t *ret_id)
{
	static const char prefix[] = "token_id:";
	size_t n = sizeof(prefix) - 1;
	int64_t id = 0;
	if (token.len <= n || token.len > n + 10 || memcmp(token.data, prefix, n) != 0) {
		return false;
	}
	for (size_t i = n; i < token.len; i++) {
		if (token.data[i] < '0' || token.data[i] > '9') {
			return false;
		}
		id = id * 10 + (token.data[i] - '0');
	}
	if (id > INT32_MAX) {
		return false;
	}
	*ret_id = (int32_t)id;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* OpenAI's legacy form of broken characters: bytes:\xe2\x80. */
static bool escaped_bytes(struct span token, struct buf *to)
{
	static const char prefix[] = "bytes:";
	size_t n = sizeof(prefix) - 1;
	if (token.len <= n || (token.len - n) % 4 != 0 || memcmp(token.data, prefix, n) != 0) {
		return false;
	}
	buf_clear(to);
	for (size_t i = n; i < token.len; i += 4) {
		int high = hex_digit(token.data[i + 2]), low = hex_digit(token.data[i + 3]);
		if (token.data[i] != '\\' || token.data[i + 1] != 'x' || high < 0 || low < 0) {
			return false;
		}
		buf_append_char(to, (char)(high << 4 | low));
	}
	return true;
}

/* A token's bytes from its text alone. */
static struct span bytes_of_text(struct draft *d, const struct json_token *t, int32_t *id)
{
	if (t->type != JSON_STRING) {
		return (struct span){0};
	}
	struct span text = unescaped(t, &d->scratch);
	if (placeholder_id(text, id)) {
		return (struct span){0};
	}
	return escaped_bytes(text, &d->scratch2) ? buf_span(&d->scratch2) : text;
}

/*
 * A list of numbers 0 to 255, known to be well-formed JSON. These lists are most of an answer's
 * text, so they are read by hand. False: null, absent, or something else.
 */
static bool bytes_of_list(struct span list, struct buf *to)
{
	const char *p = list.data;
	const char *end = p + list.len;
	unsigned n = 0;
	bool in_number = false;
	if (list.len < 2 || *p++ != '[') {
		return false;
	}
	/* Each byte takes two characters of text at least. */
	buf_clear(to);
	char *out = buf_reserve(to, list.len / 2 + 1);
	for (; p < end; p++) {
		if (*p >= '0' && *p <= '9') {
			n = n * 10 + (unsigned)(*p - '0');
			in_number = true;
			if (n > 255) {
				return false;
			}
		} else if (*p == ',' || *p == ']') {
			if (in_number) {
				out[to->len++] = (char)n;
			}
			n = 0;
			in_number = false;
		} else if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') {
			return false;
		}
	}
	return true;
}

static struct span bytes_of_entry(
        struct draft *d, const struct entry *e, bool is_row, int32_t *ret_id)
{
	*ret_id = e->id;
	struct span text = bytes_of_text(d, &e->token, ret_id);
	bool stand_in = *ret_id != e->id;
	/* The alternatives' bytes are then those of the stand_in. */
	if ((stand_in && is_row) || !bytes_of_list(e->bytes, &d->listed)) {
		return text;
	}
	/* An empty list says nothing where there is text. */
	return d->listed.len || text.len == 0 ? buf_span(&d->listed) : text;
}

/* False: over the limit, or too many. */
static bool add_row(
        struct draft *d, struct draft_choice *c, struct span bytes, int32_t id, float lp)
{
	if (columns_builder_rows(c->columns) == READING_TOP_LIMIT) {
		d->marks |= READING_TOO_LARGE;
		return false;
	}
	if (!draft_take(d, bytes.len + 3 * sizeof(uint32_t))) {
		return false;
	}
	columns_builder_row(c->columns, bytes, id, lp);
	return true;
}

static void add_token(struct draft *d, struct draft_choice *c, struct span bytes, int32_t id,
        float lp, uint8_t flags)
{
	if (!draft_take(d, bytes.len + 4 * sizeof(uint32_t) + 1)) {
		columns_builder_drop_rows(c->columns);
		return;
	}
	if (is_lossy(bytes)) {
		flags |= TOKEN_LOSSY;
		d->marks |= READING_LOSSY_TOKENS;
	}
	columns_builder_commit(c->columns, bytes, id, lp, flags);
}

static void read_rows(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);

/* An entry's or alternative's members up to its closing brace. False: malformed. */
static bool read_entry(
        struct draft *d, struct draft_choice *c, struct json *j, bool is_row, struct entry *e)
{
	struct json_token t;
	*e = (struct entry){.id = -1};
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "token")) {
			e->token = v;
		} else if (KEY_IS(&t, "logprob")) {
			e->logprob = v;
		} else if (KEY_IS(&t, "bytes")) {
			e->bytes = json_skip(j, &v);
			continue;
		} else if (KEY_IS(&t, "id")) {
			e->id = id_of(&v);
		} else if (!is_row && KEY_IS(&t, "top_logprobs")) {
			columns_builder_drop_rows(c->columns);
			read_rows(d, c, j, &v);
			continue;
		}
		json_skip(j, &v);
	}
	return t.type == JSON_OBJECT_END;
}

static void read_rows(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_ARRAY) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		struct entry e;
		if (t.type != JSON_OBJECT) {
			json_skip(j, &t);
			continue;
		}
		if (!read_entry(d, c, j, true, &e)) {
			return;
		}
		uint8_t flags = 0;
		int32_t id;
		struct span bytes = bytes_of_entry(d, &e, true, &id);
		add_row(d, c, bytes, id, logprob_of(d, &e.logprob, &flags));
	}
}

/* The chat form: a list of entries, as "content" or "refusal". */
static void read_entries(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_ARRAY) {
		json_skip(j, first);
		return;
	}
	if (!c->columns) {
		c->columns = columns_builder_create();
	}
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		struct entry e;
		if (t.type != JSON_OBJECT) {
			json_skip(j, &t);
			continue;
		}
		if (!read_entry(d, c, j, false, &e)) {
			columns_builder_drop_rows(c->columns);
			return;
		}
		uint8_t flags = 0;
		int32_t id;
		float lp = logprob_of(d, &e.logprob, &flags);
		struct span bytes = bytes_of_entry(d, &e, false, &id);
		add_token(d, c, bytes, id, lp, flags);
	}
}

/* The legacy form's alternatives of one token: an object of text to logprob. */
static void read_row_map(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token key = t, v = json_next(j);
		uint8_t flags = 0;
		int32_t id = -1;
		key.type = JSON_STRING;
		struct span bytes = bytes_of_text(d, &key, &id);
		add_row(d, c, bytes, id, logprob_of(d, &v, &flags));
		json_skip(j, &v);
	}
}

/* The legacy form: lists side by side, in whatever order they came. */
static void read_lists(struct draft *d, struct draft_choice *c, struct span tokens, struct span lps,
        struct span tops)
{
	struct json jt, jl, jm;
	struct json_token t, l = {0}, m = {0};
	json_init_lenient(&jt, tokens.data, tokens.len);
	json_init_lenient(&jl, lps.data, lps.len);
	json_init_lenient(&jm, tops.data, tops.len);
	if (json_next(&jt).type != JSON_ARRAY) {
		return;
	}
	if (!c->columns) {
		c->columns = columns_builder_create();
	}
	bool has_lps = json_next(&jl).type == JSON_ARRAY;
	bool has_tops = json_next(&jm).type == JSON_ARRAY;
	while ((t = json_next(&jt)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		if (has_lps) {
			l = json_next(&jl);
			has_lps = l.type != JSON_ARRAY_END && l.type != JSON_ERROR;
			json_skip(&jl, &l);
		}
		if (has_tops) {
			m = json_next(&jm);
			has_tops = m.type != JSON_ARRAY_END && m.type != JSON_ERROR;
			if (has_tops) {
				read_row_map(d, c, &jm, &m);
			}
		}
		uint8_t flags = 0;
		int32_t id = -1;
		float lp = logprob_of(d, &l, &flags);
		struct span bytes = bytes_of_text(d, &t, &id);
		add_token(d, c, bytes, id, lp, flags);
		json_skip(&jt, &t);
	}
}

void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	struct span tokens = {0}, lps = {0}, tops = {0};
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "content") || KEY_IS(&t, "refusal")) {
			read_entries(d, c, j, &v);
		} else if (KEY_IS(&t, "tokens")) {
			tokens = json_skip(j, &v);
		} else if (KEY_IS(&t, "token_logprobs")) {
			lps = json_skip(j, &v);
		} else if (KEY_IS(&t, "top_logprobs")) {
			tops = json_skip(j, &v);
		} else {
			json_skip(j, &v);
		}
	}
	if (tokens.len) {
		read_lists(d, c, tokens, lps, tops);
	}
}

void logprobs_read_ids(struct draft *d, struct draft_choice *c, uint32_t from, struct span list)
{
	struct json j;
	struct json_token t;
	uint32_t n = 0;
	if (!c->columns) {
		return;
	}
	uint32_t wanted = columns_builder_count(c->columns) - from;
	json_init_lenient(&j, list.data, list.len);
	if (json_next(&j).type != JSON_ARRAY) {
		return;
	}
	while ((t = json_next(&j)).type == JSON_NUMBER) {
		n++;
	}
	if (n != wanted || t.type != JSON_ARRAY_END) {
		return;
	}
	json_init_lenient(&j, list.data, list.len);
	json_next(&j);
	for (uint32_t i = from; (t = json_next(&j)).type == JSON_NUMBER; i++) {
		columns_builder_set_id(c->columns, i, id_of(&t));
	}
}
