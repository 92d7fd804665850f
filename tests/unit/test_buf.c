#include "base/buf.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(buf, grows_and_keeps_its_bytes)
{
	struct buf b = {0};
	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, "%03d", i);
	}
	cr_assert_eq(b.len, 3000);
	cr_assert_eq(memcmp(b.data, "000001002", 9), 0);
	cr_assert_eq(memcmp(b.data + 2997, "999", 3), 0);
	buf_finish(&b);
}

Test(buf, room_for_nothing_has_an_address)
{
	struct buf b = {0};
	cr_assert_not_null(buf_reserve(&b, 0));
	buf_finish(&b);
}

Test(buf, an_empty_one_can_be_walked_through_too)
{
	struct buf b = {0};
	struct span s = buf_span(&b);
	cr_assert_not_null(s.data);
	cr_assert_eq(s.len, 0);
	s = buf_part(&b, 0, 0);
	cr_assert_not_null(s.data);
	buf_append_str(&b, "abcd");
	cr_assert(span_is(buf_part(&b, 1, 3), "bc"));
	buf_finish(&b);
}

Test(buf, what_is_used_again_keeps_little_and_what_waits_keeps_nothing_beyond_its_bytes)
{
	struct buf b = {0};
	buf_append_str(&b, "some");
	char *data = b.data;
	buf_reuse(&b);
	cr_expect_eq(b.len, 0);
	cr_expect_eq(b.data, data);
	buf_reserve(&b, 1 << 20);
	buf_append_str(&b, "more");
	buf_fit(&b);
	cr_expect_eq(b.cap, 4);
	cr_expect(span_is(buf_span(&b), "more"));
	buf_reserve(&b, 1 << 20);
	buf_reuse(&b);
	cr_expect_eq(b.cap, 0);
	buf_fit(&b);
	cr_expect_eq(b.cap, 0);
	buf_finish(&b);
}

Test(buf, consume_drops_the_front)
{
	struct buf b = {0};
	buf_append_str(&b, "hello world");
	buf_consume(&b, 6);
	cr_assert_str_eq(buf_cstr(&b), "world");
	buf_finish(&b);
}

Test(buf, steal_gives_a_string_and_leaves_nothing)
{
	struct buf b = {0};
	buf_append_str(&b, "mine");
	char *s = buf_steal(&b);
	cr_assert_str_eq(s, "mine");
	cr_assert_null(b.data);
	free(s);
}

Test(buf, writes_numbers_as_printf_does)
{
	static const uint64_t numbers[] = {
	        0, 1, 9, 10, 15, 16, 255, 256, 65535, 4096000, UINT64_MAX};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		char expected[32], hex[BUF_HEX_SIZE];
		struct buf b = {0};
		snprintf(expected, sizeof(expected), "%" PRIu64, numbers[i]);
		buf_append_number(&b, numbers[i]);
		cr_assert_str_eq(buf_cstr(&b), expected);
		buf_finish(&b);
		snprintf(expected, sizeof(expected), "%" PRIx64, numbers[i]);
		size_t n = buf_put_hex(hex, numbers[i]);
		cr_assert(span_is((struct span){hex, n}, expected), "%s", expected);
	}
}

Test(buf, leading_bytes_that_both_have_are_counted_to_the_byte)
{
	char a[150], b[150];
	const struct span x = {a, sizeof(a)}, y = {b, sizeof(b)};
	memset(a, 'x', sizeof(a));
	for (size_t at = 0; at < sizeof(a); at++) {
		memset(b, 'x', sizeof(b));
		b[at] = 'y';
		cr_assert_eq(span_shared(x, y), at);
		cr_assert_eq(span_shared((struct span){a, at}, y), at);
		cr_assert_eq(span_shared(x, (struct span){a, at}), at);
	}
	cr_assert_eq(span_shared((struct span){0}, x), 0);
}
