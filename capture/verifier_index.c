#include "capture/verifier_index.h"

#include <string.h>

#include <xxhash.h>

#include "capture/row_name.h"
#include "capture/derived_rows.h"

#define DIGEST_SIZE (KEYSET_KEY_LIMIT - LEG_KEY_SIZE)

static const struct index {
	enum segment_table table;
	uint8_t kind; /* of the row that it names */
	const char *wrong, *lacking;
} indexes[] = {
        {TABLE_BY_TIME, ROW_EXCHANGE, "table by_time has another time for it",
                "it is missing in table by_time"},
        {TABLE_BY_BACKEND, ROW_LEG, "table by_backend has another backend for it",
                "it is missing in table by_backend"},
        {TABLE_BY_MODEL, ROW_EXCHANGE, "table by_model has another model for it",
                "it is missing in table by_model"},
        {TABLE_BY_PROMPT, ROW_EXCHANGE, "table by_prompt has another prompt hash for it",
                "it is missing in table by_prompt"},
};

static const struct index *index_of(enum segment_table t)
{
	for (size_t i = 0; i < ARRAY_LEN(indexes); i++) {
		if (indexes[i].table == t) {
			return &indexes[i];
		}
	}
	never("the table is not an index");
}

static size_t key_size(uint8_t kind)
{
	return kind == ROW_LEG ? LEG_KEY_SIZE : EXCHANGE_KEY_SIZE;
}

/* Makes a set entry from an index row: the key of the row that it names, which is the end of its
 * own key, and a digest of the whole index row. */
static struct span index_entry(
        const struct index *index, struct span key, uint8_t to[KEYSET_KEY_LIMIT])
{
	size_t size = key_size(index->kind);
	uint64_t h = XXH3_64bits(key.data, key.len);
	memcpy(to, key.data + key.len - size, size);
	memcpy(to + size, &h, DIGEST_SIZE);
	return (struct span){(const char *)to, size + DIGEST_SIZE};
}

static const char *add_log(
        struct verifier_index *n, struct span key, struct span value, bool in_order)
{
	uint8_t kind = value.len ? (uint8_t)value.data[0] : 0;
	uint64_t number;
	if (!segment_number_of(key, &number) || (kind != ROW_EXCHANGE && kind != ROW_LEG) ||
	        value.len != 1 + key_size(kind)) {
		return "it has the wrong form";
	}
	bool follows = number == n->last_number + 1;
	n->last_number = number;
	struct span row = {value.data + 1, value.len - 1};
	keyset_add(&n->named, kind, row);
	bool is_new = keyset_add(&n->logged, kind, row);
	if (!in_order) {
		return NULL;
	}
	return !follows  ? "its number does not follow the one before"
	       : !is_new ? "it names a row that was named before"
	                 : NULL;
}

const char *verifier_index_add(struct verifier_index *n, enum segment_table t, struct span key,
        struct span value, bool in_order)
{
	if (t == TABLE_LOG) {
		return add_log(n, key, value, in_order);
	}
	const struct index *index = index_of(t);
	size_t size = key_size(index->kind);
	if (value.len || key.len <= size) {
		return "it has the wrong form";
	}
	uint8_t bytes[KEYSET_KEY_LIMIT];
	keyset_add(&n->named, index->kind, (struct span){key.data + key.len - size, size});
	keyset_add(&n->indexed, (uint8_t)(t + 1), index_entry(index, key, bytes));
	return NULL;
}

/* Records that an index should contain the key. */
static int expect_entry(void *arg, enum segment_table t, struct span key)
{
	struct verifier_index *n = arg;
	uint8_t bytes[KEYSET_KEY_LIMIT];
	keyset_add(&n->expected, (uint8_t)(t + 1), index_entry(index_of(t), key, bytes));
	return 0;
}

void verifier_index_exchange(struct verifier_index *n, const struct exchange_row *row)
{
	(void)!derived_rows_each_exchange_index(row, &n->key, expect_entry, n);
}

void verifier_index_leg(struct verifier_index *n, const struct leg_row *row)
{
	(void)!derived_rows_each_leg_index(row, &n->key, expect_entry, n);
}

/* Reports the entries in `of` that are not in `other`, about rows that are in `about`. */
static void compare(const struct keyset *of, const struct keyset *other, const struct keyset *about,
        bool lacking, verifier_index_fn fn, void *arg)
{
	uint8_t kind;
	struct span claimed;
	for (size_t i = 0; keyset_next(of, &i, &kind, &claimed);) {
		const struct index *index = index_of((enum segment_table)(kind - 1));
		struct span key = {claimed.data, key_size(index->kind)};
		if (!keyset_has(other, kind, claimed) && keyset_has(about, index->kind, key)) {
			fn(arg, index->kind, key, lacking ? index->lacking : index->wrong);
		}
	}
}

void verifier_index_compare(const struct verifier_index *n, const struct keyset *whole,
        enum verifier_index_extent extent, verifier_index_fn fn, void *arg)
{
	compare(&n->indexed, &n->expected, whole, false, fn, arg);
	if (extent == NAMES_PARTLY) {
		return;
	}
	/* In a live segment only the rows that existed when the log was read are compared. */
	compare(&n->expected, &n->indexed, &n->logged, true, fn, arg);
	uint8_t kind;
	struct span key;
	for (size_t i = 0; extent == NAMES_ALL && keyset_next(whole, &i, &kind, &key);) {
		if ((kind == ROW_EXCHANGE || kind == ROW_LEG) &&
		        !keyset_has(&n->logged, kind, key)) {
			fn(arg, kind, key, "it is missing in the log");
		}
	}
}

void verifier_index_finish(struct verifier_index *n)
{
	keyset_finish(&n->named);
	keyset_finish(&n->logged);
	keyset_finish(&n->indexed);
	keyset_finish(&n->expected);
	buf_finish(&n->key);
	*n = (struct verifier_index){0};
}
