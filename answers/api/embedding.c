#include "answers/api/embedding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "answers/json_key.h"
#include "answers/api/usage.h"

/* Collects the vectors of one document. The values that the draft has already count against the
 * limits too. */
struct collector {
	struct draft *d;
	size_t values;
};

/* Returns room for n values, or NULL if that exceeds a limit. */
static float *take_values(struct collector *in, size_t n)
{
	if (n > READING_EMBEDDING_VALUES_LIMIT - in->values ||
	        in->d->n_embeddings == READING_EMBEDDINGS_LIMIT) {
		in->d->marks |= READING_TOO_LARGE;
		return NULL;
	}
	if (!draft_reserve(in->d, n * sizeof(float) + sizeof(struct embedding))) {
		return NULL;
	}
	in->values += n;
	return xmalloc(MAX(n, (size_t)1) * sizeof(float));
}

static void add_vector(struct collector *in, uint32_t index, float *values, size_t n)
{
	struct draft *d = in->d;
	d->embeddings = xrealloc(d->embeddings, (d->n_embeddings + 1) * sizeof(*d->embeddings));
	d->embeddings[d->n_embeddings++] =
	        (struct embedding){.index = index, .n = (uint32_t)n, .values = values};
	d->has_content = true;
}

static float finite_or_nan(struct draft *d, float f)
{
	if (!isfinite(f)) {
		d->marks |= READING_NON_FINITE;
		return NAN;
	}
	return f;
}

/* Returns an upper bound of the number of values in a list, from the length of its text. */
static size_t count_at_most(struct span list)
{
	size_t n = 1;
	if (list.len == 0) {
		return 0;
	}
	for (const char *p = list.data, *end = p + list.len;
	        (p = memchr(p, ',', (size_t)(end - p))); p++) {
		n++;
	}
	return n;
}

/* Reads a list of numbers, or of such lists (one per token), which are read in sequence. */
static void read_numbers(struct collector *in, uint32_t index, struct span list)
{
	struct json j;
	struct json_token t;
	size_t n = 0, room = count_at_most(list);
	float *values = take_values(in, room);
	if (!values) {
		return;
	}
	json_init_lenient(&j, list.data, list.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_NUMBER && n < room) {
			values[n++] = finite_or_nan(in->d, (float)json_token_number(&t));
		} else if (t.type == JSON_TOKEN_NULL && n < room) {
			values[n++] = finite_or_nan(in->d, NAN);
		} else if (t.type == JSON_TOKEN_OBJECT) {
			json_skip(&j, &t);
		}
	}
	in->values -= room - n;
	add_vector(in, index, values, n);
}

static int sextet(char c)
{
	if (c >= 'A' && c <= 'Z') {
		return c - 'A';
	}
	if (c >= 'a' && c <= 'z') {
		return c - 'a' + 26;
	}
	if (c >= '0' && c <= '9') {
		return c - '0' + 52;
	}
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static float float_of(const uint8_t le[4])
{
	uint32_t bits = (uint32_t)le[0] | (uint32_t)le[1] << 8 | (uint32_t)le[2] << 16 |
	                (uint32_t)le[3] << 24;
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Decodes little-endian floats in base64. Text that is no base64, or holds a partial float, is
 * malformed. */
static bool decode(struct draft *d, struct span s, float *values, size_t *ret_n)
{
	uint8_t le[4];
	uint32_t bits = 0;
	size_t n_bytes = 0, n_bits = 0, n = 0;
	for (size_t i = 0; i < s.len; i++) {
		int v = sextet(s.data[i]);
		if (v < 0) {
			return false;
		}
		bits = bits << 6 | (uint32_t)v;
		n_bits += 6;
		if (n_bits < 8) {
			continue;
		}
		n_bits -= 8;
		le[n_bytes++] = (uint8_t)(bits >> n_bits);
		if (n_bytes == sizeof(le)) {
			values[n++] = finite_or_nan(d, float_of(le));
			n_bytes = 0;
		}
	}
	*ret_n = n;
	return n_bytes == 0 && s.len % 4 != 1;
}

static void read_base64(struct collector *in, uint32_t index, const struct json_token *t)
{
	struct draft *d = in->d;
	struct span s = json_token_raw(t);
	if (t->escaped) { /* "\/" */
		buf_clear(&d->scratch);
		json_token_unescape(t, &d->scratch);
		s = buf_span(&d->scratch);
	}
	while (s.len && s.data[s.len - 1] == '=') {
		s.len--;
	}
	size_t n, room = s.len / 4 * 3 / sizeof(float) + 1;
	float *values = take_values(in, room);
	if (!values) {
		return;
	}
	if (!decode(d, s, values, &n)) {
		d->marks |= READING_BAD_VECTOR;
		in->values -= room;
		free(values);
		return;
	}
	in->values -= room - n;
	add_vector(in, index, values, n);
}

static void read_vector(
        struct collector *in, uint32_t index, const struct json_token *first, struct span value)
{
	if (first->type == JSON_TOKEN_ARRAY) {
		read_numbers(in, index, value);
	} else if (first->type == JSON_TOKEN_STRING) {
		read_base64(in, index, first);
	}
}

static bool read_index(const struct json_token *t, uint32_t *ret)
{
	int64_t n;
	if (t->type != JSON_TOKEN_NUMBER || !json_token_integer(t, &n) || n < 0 || n > INT32_MAX) {
		return false;
	}
	*ret = (uint32_t)n;
	return true;
}

/* {"index": ..., "embedding": ...}, whose brace was read. */
static void read_item(struct collector *in, uint32_t position, struct json *j)
{
	struct json_token t, first = {0};
	struct span value = {0};
	uint32_t index = position;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		struct span whole = json_skip(j, &v);
		if (KEY_IS(&t, "embedding")) {
			first = v;
			value = whole;
		} else if (KEY_IS(&t, "index")) {
			(void)read_index(&v, &index);
		}
	}
	if (value.len) {
		read_vector(in, index, &first, value);
	}
}

/* "data", whose elements are items; or "embeddings", a list of vectors. */
static void read_list(struct collector *in, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		json_skip(j, first);
		return;
	}
	for (uint32_t i = 0;
	        (t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		if (t.type == JSON_TOKEN_OBJECT) {
			read_item(in, i, j);
		} else {
			read_vector(in, i, &t, json_skip(j, &t));
		}
	}
}

/* The document's own vector, until its index is known. */
struct single {
	struct json_token first;
	struct span value;
	uint32_t index;
};

static void read_member(
        struct collector *in, struct single *one, struct json *j, const struct json_token *key)
{
	struct draft *d = in->d;
	struct json_token v = json_next(j);
	if (KEY_IS(key, "data") || KEY_IS(key, "embeddings")) {
		read_list(in, j, &v);
		return;
	}
	if (KEY_IS(key, "usage")) {
		usage_read(&d->usage, j, &v);
		return;
	}
	struct span value = json_skip(j, &v);
	if (KEY_IS(key, "embedding")) {
		one->first = v;
		one->value = value;
	} else if (KEY_IS(key, "index")) {
		(void)read_index(&v, &one->index);
	} else if (KEY_IS(key, "id")) {
		draft_set_once(&d->response_id, &v);
	} else if (KEY_IS(key, "model")) {
		draft_set_once(&d->model, &v);
	} else if (KEY_IS(key, "prompt_eval_count")) {
		usage_count(&d->usage.prompt_tokens, &v);
	}
}

bool embedding_read(struct draft *d, struct span text)
{
	struct collector in = {.d = d};
	struct single one = {.index = (uint32_t)MAX(d->position, 0)};
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	d->fits = true;
	for (size_t i = 0; i < d->n_embeddings; i++) {
		in.values += d->embeddings[i].n;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		read_member(&in, &one, &j, &t);
	}
	if (one.value.len) {
		read_vector(&in, one.index, &one.first, one.value);
	}
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}
