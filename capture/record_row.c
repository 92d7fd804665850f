#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/record.h"
#include "capture/record_field.h"
#include "base/ascii.h"

#define N_CONTENTS (CONTENT_METADATA + 1)
#define N_ROLES (ROLE_CANDIDATE + 1)

/* Keys are permanent: the number of a removed member is never reused. */

#define E struct exchange_row
static const struct field exchange_fields[] = {
        FIELD_LIMIT(1, FIELD_BYTES, E, id, 16),
        FIELD(2, FIELD_U64, E, wall_ns),
        FIELD(3, FIELD_STRING, E, method),
        FIELD(4, FIELD_STRING, E, target),
        FIELD_LIMIT(5, FIELD_ENUM, E, endpoint, N_ENDPOINTS),
        FIELD_LIMIT(6, FIELD_ENUM, E, outcome, N_OUTCOMES),
        FIELD_LIMIT(7, FIELD_ENUM, E, content, N_CONTENTS),
        FIELD(8, FIELD_U32, E, marks),
        FIELD(9, FIELD_U64, E, body_bytes),
        FIELD(10, FIELD_U32, E, in_flight),
        FIELD(11, FIELD_BOOL, E, streamed),
        FIELD(12, FIELD_STRING, E, model),
        FIELD(13, FIELD_STRING, E, client),
        FIELD_LIMIT(14, FIELD_BYTES, E, hashes.prompt, REQUEST_HASH_SIZE),
        FIELD_LIMIT(15, FIELD_BYTES, E, hashes.parent, REQUEST_HASH_SIZE),
        FIELD_LIMIT(16, FIELD_BYTES, E, hashes.session, REQUEST_HASH_SIZE),
        FIELD_LIMIT(17, FIELD_BYTES, E, hashes.chain, REQUEST_HASH_SIZE),
        FIELD_LIMIT(18, FIELD_STRING, E, labels.suite, LABEL_LIMIT),
        FIELD_LIMIT(19, FIELD_STRING, E, labels.item, LABEL_LIMIT),
        FIELD_LIMIT(20, FIELD_STRING, E, labels.category, LABEL_LIMIT),
        FIELD_LIMIT(21, FIELD_STRING, E, labels.gold, LABEL_GOLD_LIMIT),
        FIELD(32, FIELD_BOOL, E, facts.is_json),
        FIELD_LIMIT(33, FIELD_CHARS, E, facts.model, sizeof(((E *)NULL)->facts.model)),
        FIELD(34, FIELD_BOOL, E, facts.stream),
        FIELD(35, FIELD_BOOL, E, facts.has_logprobs),
        FIELD_ABSENT(36, FIELD_I64, E, facts.top_logprobs, -1),
        FIELD(37, FIELD_BOOL, E, facts.has_stream_options),
        FIELD(38, FIELD_BOOL, E, facts.include_usage),
        FIELD(39, FIELD_BOOL, E, facts.has_tools),
        FIELD(40, FIELD_BOOL, E, facts.stateful),
        FIELD(41, FIELD_F64, E, facts.temperature),
        FIELD(42, FIELD_F64, E, facts.top_p),
        FIELD(43, FIELD_F64, E, facts.top_k),
        FIELD(44, FIELD_F64, E, facts.min_p),
        FIELD(45, FIELD_F64, E, facts.presence_penalty),
        FIELD(46, FIELD_F64, E, facts.frequency_penalty),
        FIELD(47, FIELD_F64, E, facts.repetition_penalty),
        FIELD(48, FIELD_I64, E, facts.seed),
        FIELD(49, FIELD_BOOL, E, facts.has_seed),
        FIELD_ABSENT(50, FIELD_I64, E, facts.n, 1),
        FIELD_ABSENT(51, FIELD_I64, E, facts.max_tokens, -1),
        FIELD(52, FIELD_U32, E, facts.n_messages),
        FIELD(53, FIELD_U32, E, redactions),
        FIELD(54, FIELD_STRING, E, content_encoding),
};
#undef E

#define L struct leg_row
static const struct field leg_fields[] = {
        FIELD_LIMIT(1, FIELD_BYTES, L, id, 16),
        FIELD_LIMIT(2, FIELD_BYTES, L, exchange, 16),
        FIELD_LIMIT(3, FIELD_BYTES, L, run, 16),
        FIELD(4, FIELD_STRING, L, backend),
        FIELD(5, FIELD_STRING, L, url),
        FIELD_LIMIT(6, FIELD_ENUM, L, role, N_ROLES),
        FIELD(7, FIELD_U32, L, repeat),
        FIELD_LIMIT(8, FIELD_ENUM, L, outcome, N_OUTCOMES),
        FIELD(9, FIELD_U32, L, marks),
        FIELD(10, FIELD_INT, L, status),
        /* 11: edits */
        FIELD(12, FIELD_U64, L, start_ns),
        FIELD_ABSENT(13, FIELD_U64, L, queued_us, -1),
        FIELD_ABSENT(14, FIELD_U64, L, head_us, -1),
        FIELD_ABSENT(15, FIELD_U64, L, first_body_us, -1),
        FIELD_ABSENT(16, FIELD_U64, L, first_content_us, -1),
        FIELD_ABSENT(17, FIELD_U64, L, end_us, -1),
        FIELD(18, FIELD_U64, L, body_bytes),
        FIELD(19, FIELD_U32, L, body_parts),
        FIELD(20, FIELD_U32, L, in_flight),
        FIELD(21, FIELD_STRING, L, error),
        FIELD(22, FIELD_STRING, L, content_type),
        FIELD(23, FIELD_STRING, L, content_encoding),
        FIELD(24, FIELD_U32, L, reading_marks),
        FIELD_ABSENT(25, FIELD_I64, L, usage.prompt_tokens, -1),
        FIELD_ABSENT(26, FIELD_I64, L, usage.completion_tokens, -1),
        FIELD_ABSENT(27, FIELD_I64, L, usage.total_tokens, -1),
        FIELD_ABSENT(28, FIELD_I64, L, usage.cached_tokens, -1),
        FIELD_ABSENT(29, FIELD_I64, L, usage.reasoning_tokens, -1),
        FIELD(30, FIELD_STRING, L, model),
        FIELD(31, FIELD_STRING, L, fingerprint),
        FIELD(32, FIELD_STRING, L, finish),
        FIELD(33, FIELD_STRING, L, dialect),
        FIELD_LIMIT(34, FIELD_BYTES, L, manifest, 16),
        FIELD(35, FIELD_STRING, L, replica),
        FIELD(36, FIELD_U32, L, align),
        FIELD_LIMIT(37, FIELD_BYTES, L, score_of, 16),
        FIELD(38, FIELD_U32, L, score_at),
        FIELD_LIMIT(39, FIELD_BYTES, L, judged_against, 16),
        FIELD_LIMIT(40, FIELD_ENUM, L, content, N_CONTENTS),
        FIELD(41, FIELD_U32, L, redactions),
        FIELD_LIMIT(42, FIELD_BYTES, L, answer_hash, 16),
        FIELD(43, FIELD_U64, L, answer_bytes),
        FIELD(44, FIELD_U64, L, reasoning_bytes),
};
#undef L
#define LEG_EDITS 11

#define M struct meta_row
static const struct field meta_fields[] = {
        FIELD(1, FIELD_U32, M, format),
        FIELD_LIMIT(2, FIELD_BYTES, M, segment, 16),
        FIELD_LIMIT(3, FIELD_BYTES, M, run, 16),
        FIELD(4, FIELD_STRING, M, host),
        FIELD(5, FIELD_U64, M, pid),
        FIELD(6, FIELD_U64, M, created_ns),
        FIELD_LIMIT(7, FIELD_BYTES, M, hash_key, 32),
        FIELD(8, FIELD_STRING, M, settings),
        FIELD(9, FIELD_STRING, M, version),
};
#undef M

static const struct field edit_fields[] = {
        FIELD(1, FIELD_U64, struct edit, at), FIELD(2, FIELD_U64, struct edit, removed),
        /* 3: inserted */
};
#define EDIT_INSERTED 3

_Static_assert(sizeof(enum outcome) == sizeof(uint32_t), "FIELD_ENUM reads 32 bits");

void record_put_exchange(struct buf *to, const struct exchange_row *row)
{
	msgpack_packer pk = field_packer(to);
	field_put_map(&pk, FIELD_TABLE(exchange_fields), row, 0);
}

void record_put_meta(struct buf *to, const struct meta_row *row)
{
	msgpack_packer pk = field_packer(to);
	field_put_map(&pk, FIELD_TABLE(meta_fields), row, 0);
}

void record_put_leg(struct buf *to, const struct leg_row *row)
{
	msgpack_packer pk = field_packer(to);
	field_put_map(&pk, FIELD_TABLE(leg_fields), row, row->n_edits ? 1 : 0);
	if (row->n_edits == 0) {
		return;
	}
	msgpack_pack_uint8(&pk, LEG_EDITS);
	msgpack_pack_array(&pk, row->n_edits);
	for (size_t i = 0; i < row->n_edits; i++) {
		const struct edit *e = &row->edits[i];
		field_put_map(&pk, FIELD_TABLE(edit_fields), e, 1);
		msgpack_pack_uint8(&pk, EDIT_INSERTED);
		field_put_bytes(&pk, e->inserted.data, e->inserted.len);
	}
}

/* Rows whose members are all absent. A new row starts as a copy: most rows lack most of their
 * possible members, which then need not be set one by one. */
static struct blanks {
	struct exchange_row exchange;
	struct leg_row leg;
} blanks;
static pthread_once_t blanks_once = PTHREAD_ONCE_INIT;

static void make_blanks(void)
{
	field_set_absent(FIELD_TABLE(exchange_fields), &blanks.exchange);
	field_set_absent(FIELD_TABLE(leg_fields), &blanks.leg);
}

static const struct blanks *blank_rows(void)
{
	pthread_once(&blanks_once, make_blanks);
	return &blanks;
}

int record_get_exchange(struct span payload, struct exchange_row *ret)
{
	struct exchange_row row = blank_rows()->exchange;
	arena_begin(&row.texts, payload.len);
	int r = field_get_row(payload, FIELD_TABLE(exchange_fields), &row, &row.texts, NULL, NULL);
	if (r == 0 && id_is_zero(row.id)) {
		r = -EBADMSG;
	}
	if (r < 0) {
		exchange_row_finish(&row);
		return r;
	}
	*ret = row;
	return 0;
}

int record_get_meta(struct span payload, struct meta_row *ret)
{
	struct meta_row row = {0};
	int r = field_get_row(payload, FIELD_TABLE(meta_fields), &row, NULL, NULL, NULL);
	if (r < 0) {
		meta_row_finish(&row);
		return r;
	}
	*ret = row;
	return 0;
}

static int get_inserted(void *arg, uint64_t key, struct packed *value)
{
	struct edit *e = arg;
	struct span s;
	if (key != EDIT_INSERTED) {
		return field_skip(value);
	}
	if (e->inserted.data || field_get_bytes(value, &s) < 0) {
		return -EBADMSG;
	}
	if (s.len) {
		e->inserted = (struct span){xmemdup(s.data, s.len), s.len};
	}
	return 0;
}

/* Readers apply edits without further checks. Edits must therefore be in order and must not
 * overlap. */
static int get_edits(struct leg_row *row, struct packed *value)
{
	uint32_t n;
	if (row->edits || field_get_array(value, PACKED_CHILDREN_LIMIT, &n) < 0) {
		return -EBADMSG;
	}
	row->edits = n ? xcalloc(n, sizeof(*row->edits)) : NULL;
	uint64_t end = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct edit *e = &row->edits[i];
		row->n_edits = i + 1;
		int r = field_get_map(value, FIELD_TABLE(edit_fields), e, NULL, get_inserted, e);
		if (r < 0) {
			return r;
		}
		if (e->at < end || e->removed > UINT64_MAX - e->at) {
			return -EBADMSG;
		}
		end = e->at + e->removed;
	}
	return 0;
}

static int get_leg_other(void *arg, uint64_t key, struct packed *value)
{
	return key == LEG_EDITS ? get_edits(arg, value) : field_skip(value);
}

int record_get_leg(struct span payload, struct leg_row *ret)
{
	struct leg_row row = blank_rows()->leg;
	arena_begin(&row.texts, payload.len);
	int r = field_get_row(
	        payload, FIELD_TABLE(leg_fields), &row, &row.texts, get_leg_other, &row);
	if (r == 0 && (id_is_zero(row.id) || id_is_zero(row.exchange))) {
		r = -EBADMSG;
	}
	if (r < 0) {
		leg_row_finish(&row);
		return r;
	}
	*ret = row;
	return 0;
}

bool exchange_label_fits(struct span text, size_t limit)
{
	return text.len <= limit && (text.len == 0 || !memchr(text.data, '\0', text.len));
}

bool exchange_label_make(struct span text, size_t limit, char **ret)
{
	if (!exchange_label_fits(text, limit)) {
		return false;
	}
	*ret = span_dup(text);
	return true;
}

void exchange_labels_finish(struct exchange_labels *l)
{
	free(l->suite);
	free(l->item);
	free(l->category);
	free(l->gold);
	*l = (struct exchange_labels){0};
}

/* The texts of a decoded row share one arena. */
static void finish_texts(struct field_table t, void *row, struct arena *texts)
{
	if (arena_is_empty(texts)) {
		field_finish(t, row);
	} else {
		arena_finish(texts);
	}
}

static void loosen(struct field_table t, void *row, struct arena *texts)
{
	if (!arena_is_empty(texts)) {
		field_loosen(t, row);
		arena_finish(texts);
	}
}

void exchange_row_finish(struct exchange_row *row)
{
	if (row) {
		finish_texts(FIELD_TABLE(exchange_fields), row, &row->texts);
		*row = (struct exchange_row){0};
	}
}

void exchange_row_loosen(struct exchange_row *row)
{
	loosen(FIELD_TABLE(exchange_fields), row, &row->texts);
}

void leg_row_finish(struct leg_row *row)
{
	if (!row) {
		return;
	}
	finish_texts(FIELD_TABLE(leg_fields), row, &row->texts);
	for (size_t i = 0; i < row->n_edits; i++) {
		free((void *)row->edits[i].inserted.data);
	}
	free(row->edits);
	*row = (struct leg_row){0};
}

void leg_row_loosen(struct leg_row *row)
{
	loosen(FIELD_TABLE(leg_fields), row, &row->texts);
}

void meta_row_finish(struct meta_row *row)
{
	if (row) {
		field_finish(FIELD_TABLE(meta_fields), row);
	}
}

#define PREFIX (sizeof(MANIFEST_KEY) - 1)

#define M struct manifest_row
static const struct field manifest_fields[] = {
        FIELD_LIMIT(1, FIELD_BYTES, M, id, 16),
        FIELD(2, FIELD_STRING, M, backend),
        FIELD(3, FIELD_STRING, M, url),
        FIELD_LIMIT(4, FIELD_ENUM, M, role, N_ROLES),
        FIELD(5, FIELD_U64, M, wall_ns),
        FIELD(6, FIELD_STRING, M, dialect),
        FIELD_LIMIT(7, FIELD_BYTES, M, digest, 16),
        FIELD(8, FIELD_STRING, M, json),
};
#undef M

void record_manifest_key(struct buf *to, struct id id)
{
	buf_clear(to);
	buf_append_str(to, MANIFEST_KEY);
	buf_append_hex(to, id.bytes, sizeof(id.bytes));
}

bool record_is_manifest_key(struct span key, struct id *ret_id)
{
	char hex[33];
	if (key.len != MANIFEST_KEY_SIZE || memcmp(key.data, MANIFEST_KEY, PREFIX) != 0) {
		return false;
	}
	memcpy(hex, key.data + PREFIX, 32);
	hex[32] = '\0';
	return strspn(hex, HEX_DIGITS) == 32 && id_parse(hex, ret_id);
}

void record_put_manifest(struct buf *to, const struct manifest_row *row)
{
	msgpack_packer pk = field_packer(to);
	field_put_map(&pk, FIELD_TABLE(manifest_fields), row, 0);
}

int record_get_manifest(struct span payload, struct manifest_row *ret)
{
	struct manifest_row row = {0};
	int r = field_get_row(payload, FIELD_TABLE(manifest_fields), &row, NULL, NULL, NULL);
	if (r == 0 && (id_is_zero(row.id) || !row.json)) {
		r = -EBADMSG;
	}
	if (r < 0) {
		manifest_row_finish(&row);
		return r;
	}
	*ret = row;
	return 0;
}

void manifest_row_finish(struct manifest_row *row)
{
	if (row) {
		field_finish(FIELD_TABLE(manifest_fields), row);
	}
}
