#include "base/hash_table.h"

#include <criterion/criterion.h>

#include "base/rng.h"

#define KEYS 3000 /* more than the initial size, so the table grows */
#define STEPS 20000

struct entry {
	uint64_t key;
	uint64_t value;
};

static const struct hash_layout LAYOUT = {sizeof(struct entry), sizeof(uint64_t)};

static struct entry *find(const struct hash_table *t, uint64_t key)
{
	return hash_table_find(t, LAYOUT, &key);
}

Test(hash_table, an_empty_one_has_no_entry)
{
	struct hash_table t = {0};
	cr_assert_null(find(&t, 1));
	hash_table_finish(&t);
}

Test(hash_table, a_new_entry_has_its_key_and_zeros_behind_it)
{
	struct hash_table t = {0};
	uint64_t key = 7;
	bool is_new = false;
	struct entry *e = hash_table_add(&t, LAYOUT, &key, &is_new);
	cr_assert(is_new);
	cr_assert_eq(e->key, 7);
	cr_assert_eq(e->value, 0);
	e->value = 5;
	e = hash_table_add(&t, LAYOUT, &key, &is_new);
	cr_assert_not(is_new);
	cr_assert_eq(e->value, 5);
	cr_assert_eq(t.n, 1);
	hash_table_finish(&t);
	cr_assert_eq(t.n, 0);
	cr_assert_null(find(&t, 7));
}

Test(hash_table, keys_that_differ_in_one_byte_are_two)
{
	static const struct hash_layout layout = {4, 3};
	struct hash_table t = {0};
	bool is_new;
	hash_table_add(&t, layout, "ab\1", &is_new);
	hash_table_add(&t, layout, "ab\0", &is_new);
	cr_assert(is_new);
	hash_table_add(&t, layout, "\0\0\1", &is_new);
	cr_assert(is_new);
	cr_assert_eq(t.n, 3);
	cr_assert_null(hash_table_find(&t, layout, "ab\2"));
	hash_table_finish(&t);
}

/* The array counts how often each key was added; the table must have the same counts. */
Test(hash_table, it_agrees_with_a_plain_array)
{
	static uint64_t counts[KEYS + 1];
	struct hash_table t = {0};
	struct rng rng = {1};
	size_t n = 0;
	for (size_t i = 0; i < STEPS; i++) {
		uint64_t key = 1 + rng_below(&rng, KEYS);
		bool is_new;
		struct entry *e = hash_table_add(&t, LAYOUT, &key, &is_new);
		cr_assert_eq(is_new, counts[key] == 0);
		cr_assert_eq(e->value, counts[key]);
		n += is_new;
		e->value = ++counts[key];
		cr_assert_eq(t.n, n);
		cr_assert_leq(4 * t.n, 3 * t.places);

		uint64_t other = 1 + rng_below(&rng, KEYS);
		const struct entry *found = find(&t, other);
		cr_assert_eq(found != NULL, counts[other] > 0);
		cr_assert(!found || found->value == counts[other]);

		uint64_t gone = 1 + rng_below(&rng, KEYS);
		struct entry removed;
		bool had = hash_table_remove(&t, LAYOUT, &gone, &removed);
		cr_assert_eq(had, counts[gone] > 0);
		cr_assert(!had || (removed.key == gone && removed.value == counts[gone]));
		n -= had;
		counts[gone] = 0;
	}
	hash_table_finish(&t);
}
