#include <endian.h>
#include <errno.h>
#include <string.h>

#include "capture/record.h"
#include "capture/record_columns.h"
#include "capture/record_field.h"

#define R struct reading
static const struct field reading_fields[] = {
        /* 1: version */
        FIELD(2, FIELD_U32, R, marks),
        FIELD(3, FIELD_STRING, R, model),
        FIELD(4, FIELD_STRING, R, response_id),
        FIELD(5, FIELD_STRING, R, fingerprint),
        FIELD(6, FIELD_STRING, R, error),
        FIELD_ABSENT(7, FIELD_I64, R, usage.prompt_tokens, -1),
        FIELD_ABSENT(8, FIELD_I64, R, usage.completion_tokens, -1),
        FIELD_ABSENT(9, FIELD_I64, R, usage.total_tokens, -1),
        FIELD_ABSENT(10, FIELD_I64, R, usage.cached_tokens, -1),
        FIELD_ABSENT(11, FIELD_I64, R, usage.reasoning_tokens, -1),
        FIELD(12, FIELD_U32, R, n_events),
        FIELD(13, FIELD_U64, R, first_content_at),
        /* 14: choices */
        FIELD_LIMIT(15, FIELD_ENUM, R, shape, N_SHAPES),
        /* 16: embeddings */
        FIELD(17, FIELD_STRING, R, unknown),
};
#undef R
#define READING_KEY_VERSION 1
#define READING_KEY_CHOICES 14
#define READING_KEY_EMBEDDINGS 16

static const struct field choice_fields[] = {
        FIELD(1, FIELD_INT, struct choice, index), FIELD(2, FIELD_BUF, struct choice, text),
        FIELD(3, FIELD_BUF, struct choice, reasoning), FIELD(4, FIELD_BUF, struct choice, refusal),
        /* 5: calls */
        FIELD(6, FIELD_STRING, struct choice, finish),
        /* 7: columns, 8: thoughts */
        FIELD_LIMIT(9, FIELD_ENUM, struct choice, place, REASONING_HIDDEN + 1),
        /* 10: prompt */
};
#define CHOICE_KEY_CALLS 5
#define CHOICE_KEY_COLUMNS 7
#define CHOICE_KEY_THOUGHTS 8
#define CHOICE_KEY_PROMPT 10
#define THOUGHT_WORDS (sizeof(struct thought) / sizeof(uint32_t))

static const struct field call_fields[] = {
        FIELD(1, FIELD_STRING, struct tool_call, id),
        FIELD(2, FIELD_STRING, struct tool_call, name),
        FIELD(3, FIELD_STRING, struct tool_call, arguments),
        FIELD(4, FIELD_BOOL, struct tool_call, in_text),
};

static const struct field embedding_fields[] = {
        FIELD(1, FIELD_U32, struct embedding, index),
        /* 2: values */
};
#define EMBEDDING_KEY_VALUES 2

/* Words of 32 bits, little-endian. */
static void put_words(msgpack_packer *pk, const void *words, size_t n)
{
	struct buf scratch = {0};
	char *to = buf_reserve(&scratch, n * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++) {
		uint32_t word;
		memcpy(&word, (const char *)words + i * sizeof(word), sizeof(word));
		word = htole32(word);
		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
	field_put_bytes(pk, to, n * sizeof(uint32_t));
	buf_finish(&scratch);
}

static void put_choice(msgpack_packer *pk, const struct choice *c)
{
	size_t extra = (c->n_calls > 0) + (c->n_thoughts > 0);
	field_put_map(pk, FIELD_TABLE(choice_fields), c, extra + c->has_columns + c->has_prompt);
	if (c->n_calls) {
		msgpack_pack_uint8(pk, CHOICE_KEY_CALLS);
		msgpack_pack_array(pk, c->n_calls);
		for (size_t i = 0; i < c->n_calls; i++) {
			field_put_map(pk, FIELD_TABLE(call_fields), &c->calls[i], 0);
		}
	}
	if (c->has_columns) {
		msgpack_pack_uint8(pk, CHOICE_KEY_COLUMNS);
		record_put_columns(pk, &c->columns, buf_span(&c->text));
	}
	if (c->n_thoughts) {
		msgpack_pack_uint8(pk, CHOICE_KEY_THOUGHTS);
		put_words(pk, c->thoughts, c->n_thoughts * THOUGHT_WORDS);
	}
	if (c->has_prompt) {
		msgpack_pack_uint8(pk, CHOICE_KEY_PROMPT);
		record_put_columns(pk, &c->prompt, (struct span){0});
	}
}

void record_put_reading(struct buf *to, const struct reading *reading)
{
	msgpack_packer pk = field_packer(to);
	bool embeds = reading->n_embeddings > 0;
	field_put_map(&pk, FIELD_TABLE(reading_fields), reading, 2u + embeds);
	msgpack_pack_uint8(&pk, READING_KEY_VERSION);
	msgpack_pack_uint32(&pk, READING_VERSION);
	msgpack_pack_uint8(&pk, READING_KEY_CHOICES);
	msgpack_pack_array(&pk, reading->n_choices);
	for (size_t i = 0; i < reading->n_choices; i++) {
		put_choice(&pk, &reading->choices[i]);
	}
	if (embeds) {
		msgpack_pack_uint8(&pk, READING_KEY_EMBEDDINGS);
		msgpack_pack_array(&pk, reading->n_embeddings);
		for (size_t i = 0; i < reading->n_embeddings; i++) {
			const struct embedding *e = &reading->embeddings[i];
			field_put_map(&pk, FIELD_TABLE(embedding_fields), e, 1);
			msgpack_pack_uint8(&pk, EMBEDDING_KEY_VALUES);
			put_words(&pk, e->values, e->n);
		}
	}
}

static int get_calls(struct packed *value, struct arena *a, struct choice *c)
{
	uint32_t n;
	if (c->calls || field_get_array(value, PACKED_CHILDREN_LIMIT, &n) < 0) {
		return -EBADMSG;
	}
	c->calls = n ? arena_alloc_zeroed(a, n, sizeof(*c->calls)) : NULL;
	for (uint32_t i = 0; i < n; i++) {
		c->n_calls = i + 1;
		int r = field_get_map(value, FIELD_TABLE(call_fields), &c->calls[i], a, NULL, NULL);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static int get_thoughts(struct packed *value, struct arena *a, struct choice *c)
{
	struct span raw;
	int r = field_get_bytes(value, &raw);
	if (r < 0) {
		return r;
	}
	size_t n = raw.len / sizeof(struct thought);
	if (c->thoughts || raw.len % sizeof(struct thought) || n > READING_THOUGHTS_LIMIT) {
		return -EBADMSG;
	}
	c->thoughts = (struct thought *)(void *)record_words(a, raw);
	c->n_thoughts = n;
	return 0;
}

/* Checks that thoughts are within the text, in order, and do not overlap. */
static bool thoughts_fit(const struct choice *c)
{
	uint32_t at = 0;
	for (size_t i = 0; i < c->n_thoughts; i++) {
		const struct thought *t = &c->thoughts[i];
		if (t->open < at || t->from < t->open || t->to < t->from || t->close < t->to) {
			return false;
		}
		at = t->close;
	}
	return at <= c->text.len;
}

static int get_columns(
        struct packed *value, struct span text, struct arena *a, struct columns *c, bool *has)
{
	if (*has) {
		return -EBADMSG;
	}
	*has = true;
	return record_get_columns(value, text, a, c);
}

/* A choice being decoded, and where its parts are stored. */
struct choice_context {
	struct choice *choice;
	struct arena *arena;
};

static int get_choice_other(void *arg, uint64_t key, struct packed *value)
{
	const struct choice_context *context = arg;
	struct choice *c = context->choice;
	struct arena *a = context->arena;
	switch (key) {
	case CHOICE_KEY_CALLS:
		return get_calls(value, a, c);
	case CHOICE_KEY_COLUMNS:
		/* The text is encoded before the columns. */
		return get_columns(value, buf_span(&c->text), a, &c->columns, &c->has_columns);
	case CHOICE_KEY_THOUGHTS:
		return get_thoughts(value, a, c);
	case CHOICE_KEY_PROMPT:
		return get_columns(value, SPAN(""), a, &c->prompt, &c->has_prompt);
	default:
		return field_skip(value);
	}
}

static int get_choices(struct reading *reading, struct packed *value)
{
	uint32_t n;
	if (reading->choices || field_get_array(value, READING_CHOICES_LIMIT, &n) < 0) {
		return -EBADMSG;
	}
	struct arena *a = &reading->arena;
	reading->choices = n ? arena_alloc_zeroed(a, n, sizeof(*reading->choices)) : NULL;
	for (uint32_t i = 0; i < n; i++) {
		struct choice *c = &reading->choices[i];
		reading->n_choices = i + 1;
		struct choice_context context = {c, a};
		int r = field_get_map(
		        value, FIELD_TABLE(choice_fields), c, a, get_choice_other, &context);
		if (r < 0) {
			return r;
		}
		if ((i && c->index < c[-1].index) || !thoughts_fit(c)) {
			return -EBADMSG;
		}
	}
	return 0;
}

/* The same for an embedding. */
struct embedding_context {
	struct embedding *embedding;
	struct arena *arena;
};

static int get_embedding_other(void *arg, uint64_t key, struct packed *value)
{
	const struct embedding_context *context = arg;
	struct embedding *e = context->embedding;
	struct span raw;
	if (key != EMBEDDING_KEY_VALUES) {
		return field_skip(value);
	}
	int r = field_get_bytes(value, &raw);
	if (r < 0) {
		return r;
	}
	if (e->values || raw.len % sizeof(float) ||
	        raw.len / sizeof(float) > READING_EMBEDDING_VALUES_LIMIT) {
		return -EBADMSG;
	}
	e->n = (uint32_t)(raw.len / sizeof(float));
	e->values = (float *)(void *)record_words(context->arena, raw);
	return 0;
}

static int get_embeddings(struct reading *reading, struct packed *value)
{
	uint32_t n;
	if (reading->embeddings || field_get_array(value, READING_EMBEDDINGS_LIMIT, &n) < 0) {
		return -EBADMSG;
	}
	struct arena *a = &reading->arena;
	reading->embeddings = n ? arena_alloc_zeroed(a, n, sizeof(*reading->embeddings)) : NULL;
	for (uint32_t i = 0; i < n; i++) {
		struct embedding *e = &reading->embeddings[i];
		reading->n_embeddings = i + 1;
		struct embedding_context context = {e, a};
		int r = field_get_map(
		        value, FIELD_TABLE(embedding_fields), e, a, get_embedding_other, &context);
		if (r < 0 || !e->values || (i && e->index < e[-1].index)) {
			return -EBADMSG;
		}
	}
	return 0;
}

struct reading_under_way {
	struct reading *reading;
	uint64_t version;
};

static int get_version(struct reading_under_way *context, struct packed *value)
{
	struct packed_value version;
	if (!packed_next_is(value, PACKED_UNSIGNED, &version)) {
		return -EBADMSG;
	}
	context->version = version.u64;
	return 0;
}

static int get_reading_other(void *arg, uint64_t key, struct packed *value)
{
	struct reading_under_way *context = arg;
	switch (key) {
	case READING_KEY_VERSION:
		return get_version(context, value);
	case READING_KEY_CHOICES:
		return get_choices(context->reading, value);
	case READING_KEY_EMBEDDINGS:
		return get_embeddings(context->reading, value);
	default:
		return field_skip(value);
	}
}

#define FIRST_ARENA_LIMIT ((size_t)1 << 20) /* bytes */

int record_get_reading(struct span payload, struct reading **ret)
{
	return record_get_reading_in((struct arena){0}, payload, ret);
}

int record_get_reading_in(struct arena used, struct span payload, struct reading **ret)
{
	/* A decoded reading is seldom more than twice as long as its payload: one-byte lengths
	 * become four-byte end offsets, but most bytes are logprobs and texts. */
	size_t begun = sizeof(struct reading) + sizeof(struct choice) + 2 * payload.len;
	arena_begin(&used, MIN(begun, FIRST_ARENA_LIMIT));
	struct reading *reading = arena_alloc_zeroed(&used, 1, sizeof(*reading));
	field_set_absent(FIELD_TABLE(reading_fields), reading);
	reading->arena = used;
	struct reading_under_way context = {.reading = reading};
	int r = field_get_row(payload, FIELD_TABLE(reading_fields), reading, &reading->arena,
	        get_reading_other, &context);
	if (r == 0 && context.version == 0) {
		r = -EBADMSG;
	}
	if (r < 0) {
		reading_destroy(reading);
		return r;
	}
	*ret = reading;
	return context.version < READING_VERSION;
}
