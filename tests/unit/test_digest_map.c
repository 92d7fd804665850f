#include "capture/formats/digest_map.h"

#include <string.h>

#include <criterion/criterion.h>

static void key_of(uint64_t i, uint8_t key[DIGEST_KEY_SIZE])
{
	uint64_t words[2] = {i * 0x9e3779b97f4a7c15, i};
	memcpy(key, words, sizeof(words));
}

Test(digest_map, every_key_keeps_its_number_however_many_there_are)
{
	struct digest_map m = {0};
	uint8_t key[DIGEST_KEY_SIZE];
	bool is_new;
	for (uint64_t i = 0; i < 50000; i++) {
		key_of(i, key);
		digest_map_at(&m, key, &is_new)->number = i + 7;
		cr_assert(is_new);
	}
	for (uint64_t i = 0; i < 50000; i++) {
		key_of(i, key);
		cr_assert_eq(digest_map_at(&m, key, &is_new)->number, i + 7);
		cr_assert_not(is_new);
	}
	cr_assert_eq(m.table.n, 50000);
	digest_map_finish(&m);
}

/* The keys have the same slot. */
Test(digest_map, keys_that_collide_are_told_apart)
{
	struct digest_map m = {0};
	bool is_new;
	for (uint8_t i = 0; i < 200; i++) {
		uint8_t key[DIGEST_KEY_SIZE] = {[15] = i};
		digest_map_at(&m, key, &is_new)->number = i;
		cr_assert(is_new);
	}
	for (uint8_t i = 0; i < 200; i++) {
		uint8_t key[DIGEST_KEY_SIZE] = {[15] = i};
		cr_assert_eq(digest_map_at(&m, key, &is_new)->number, i);
	}
	digest_map_finish(&m);
}

Test(digest_map, a_name_keeps_its_number_and_is_told_from_other_things_of_that_name)
{
	struct digest_map m = {0};
	bool is_new;
	digest_map_named(&m, "session", SPAN("a"), &is_new)->number = 1;
	cr_assert(is_new);
	digest_map_named(&m, "session", SPAN("b"), &is_new)->number = 2;
	cr_assert(is_new);
	digest_map_named(&m, "request", SPAN("a"), &is_new)->number = 3;
	cr_assert(is_new);
	cr_assert_eq(digest_map_named(&m, "session", SPAN("a"), &is_new)->number, 1);
	cr_assert_not(is_new);
	cr_assert_eq(digest_map_named(&m, "session", SPAN("b"), &is_new)->number, 2);
	cr_assert_eq(digest_map_named(&m, "request", SPAN("a"), &is_new)->number, 3);
	digest_map_finish(&m);
}
