#include "base/id.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"

Test(id, ids_of_a_thread_increase_strictly)
{
	struct id last = id_make();
	for (int i = 0; i < 100000; i++) {
		struct id next = id_make();
		cr_assert_lt(id_compare(last, next), 0);
		last = next;
	}
}

static void *make_one(void *arg)
{
	*(struct id *)arg = id_make();
	return NULL;
}

Test(id, ids_of_threads_sort_by_time)
{
	struct id last = id_make();
	for (int i = 0; i < 500; i++) {
		struct id next;
		pthread_t thread;
		cr_assert_eq(pthread_create(&thread, NULL, make_one, &next), 0);
		pthread_join(thread, NULL);
		cr_assert_lt(id_compare(last, next), 0);
		last = next;
	}
}

Test(id, is_a_version_7_uuid_that_bears_its_time)
{
	uint64_t before = clock_wall() / 1000000u;
	struct id id = id_make();
	cr_assert_eq(id.bytes[6] >> 4, 7);
	cr_assert_eq(id.bytes[8] >> 6, 2);
	cr_assert_geq(id_time_ms(id), before);
	cr_assert_leq(id_time_ms(id), clock_wall() / 1000000u + 1);
}

Test(id, text_reads_back)
{
	struct id id = id_make(), again;
	char text[ID_TEXT_SIZE];
	cr_assert_eq(strlen(id_format(id, text)), 36);
	cr_assert(id_parse(text, &again));
	cr_assert_eq(id_compare(id, again), 0);
	cr_assert(id_parse("0190AAAA00007000800000000000abcd", &again));
	cr_assert_eq(again.bytes[15], 0xcd);
}

Test(id, what_is_not_32_digits_is_refused)
{
	struct id id;
	cr_assert_not(id_parse("", &id));
	cr_assert_not(id_parse("0190aaaa", &id));
	cr_assert_not(id_parse("0190aaaa-0000-7000-8000-00000000abcg", &id));
	cr_assert_not(id_parse("0190aaaa-0000-7000-8000-00000000abcd0", &id));
}

Test(id, is_called_by_what_it_begins_or_ends_with)
{
	struct id id;
	char text[ID_SHORT_SIZE];
	cr_assert(id_parse("0190aaaa-1234-7000-8000-0000deadbeef", &id));
	cr_assert_str_eq(id_format_short(id, text), "deadbeef");
	static const char *const THIS[] = {"0190aaaa", "0190AAAA-12", "0190aaaa12", "beef",
	        "DEADBEEF", "0000-deadbeef", "0190aaaa-1234-7000-8000-0000deadbeef"};
	for (size_t i = 0; i < ARRAY_LEN(THIS); i++) {
		cr_assert(id_matches(id, THIS[i]) && id_is_part(THIS[i]), "%s", THIS[i]);
	}
	static const char *const OTHERS[] = {"0190aaab", "1234", "deadbee", "8000"};
	for (size_t i = 0; i < ARRAY_LEN(OTHERS); i++) {
		cr_assert(!id_matches(id, OTHERS[i]) && id_is_part(OTHERS[i]), "%s", OTHERS[i]);
	}
	static const char *const NONE[] = {
	        "", "-", "beg", "worst", "0190g", "-beef", "0190aaaa-1234-7000-8000-0000deadbeef0"};
	for (size_t i = 0; i < ARRAY_LEN(NONE); i++) {
		cr_assert(!id_matches(id, NONE[i]) && !id_is_part(NONE[i]), "%s", NONE[i]);
	}
}
