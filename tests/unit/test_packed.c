#include "capture/packed.h"

#include <criterion/criterion.h>
#include <msgpack.h>

static struct span bytes_of(const msgpack_sbuffer *b)
{
	return (struct span){b->data, b->size};
}

/* Numbers at the limits of all widths, as msgpack-c writes them. */
Test(packed, integers_of_every_width_come_back)
{
	for (unsigned bits = 0; bits <= 64; bits++) {
		for (int64_t off = -2; off <= 2; off++) {
			uint64_t edge = bits < 64 ? UINT64_C(1) << bits : 0;
			uint64_t u = edge + (uint64_t)off;
			int64_t i = (int64_t)(0 - edge + (uint64_t)off);
			msgpack_sbuffer b;
			msgpack_packer pk;
			struct packed_value v;
			msgpack_sbuffer_init(&b);
			msgpack_packer_init(&pk, &b, msgpack_sbuffer_write);
			msgpack_pack_uint64(&pk, u);
			msgpack_pack_int64(&pk, i);
			struct packed p = packed_of(bytes_of(&b));
			cr_assert(packed_next_is(&p, PACKED_UNSIGNED, &v) && v.u64 == u);
			cr_assert(packed_next(&p, &v));
			cr_assert_eq(v.type, i < 0 ? PACKED_NEGATIVE : PACKED_UNSIGNED);
			cr_assert_eq(v.i64, i);
			cr_assert(packed_is_at_end(&p));
			msgpack_sbuffer_destroy(&b);
		}
	}
}

/* A value that is not negative is unsigned, whatever its tag. */
Test(packed, a_signed_tag_may_hold_an_unsigned_number)
{
	const struct span values[] = {SPAN("\xd0\x05"), SPAN("\xd1\0\x05"), SPAN("\xd2\0\0\0\x05"),
	        SPAN("\xd3\0\0\0\0\0\0\0\x05")};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct packed p = packed_of(values[i]);
		struct packed_value v;
		cr_assert(packed_next_is(&p, PACKED_UNSIGNED, &v) && v.u64 == 5);
	}
}

Test(packed, texts_and_bytes_lie_where_they_were_written)
{
	static char content[70000];
	const size_t lengths[] = {0, 1, 31, 32, 255, 256, 65535, 65536, sizeof(content)};
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		msgpack_sbuffer b;
		msgpack_packer pk;
		struct packed_value v;
		msgpack_sbuffer_init(&b);
		msgpack_packer_init(&pk, &b, msgpack_sbuffer_write);
		msgpack_pack_str(&pk, lengths[i]);
		msgpack_pack_str_body(&pk, content, lengths[i]);
		msgpack_pack_bin(&pk, lengths[i]);
		msgpack_pack_bin_body(&pk, content, lengths[i]);
		struct packed p = packed_of(bytes_of(&b));
		cr_assert(packed_next_is(&p, PACKED_TEXT, &v) && v.bytes.len == lengths[i]);
		cr_assert(v.bytes.data + v.bytes.len == (const char *)p.at);
		cr_assert(packed_next_is(&p, PACKED_BYTES, &v) && v.bytes.len == lengths[i]);
		cr_assert(packed_is_at_end(&p));
		msgpack_sbuffer_destroy(&b);
	}
}

static void put_one_of_each(msgpack_packer *pk)
{
	msgpack_pack_map(pk, 3);
	msgpack_pack_nil(pk);
	msgpack_pack_array(pk, 20);
	for (int i = 0; i < 20; i++) {
		msgpack_pack_double(pk, 0.5 * i);
	}
	msgpack_pack_true(pk);
	msgpack_pack_float(pk, 1.5F);
	msgpack_pack_ext(pk, 5, 1);
	msgpack_pack_ext_body(pk, "bytes", 5);
	msgpack_pack_false(pk);
}

Test(packed, one_value_is_passed_over_with_all_that_is_in_it)
{
	msgpack_sbuffer b;
	msgpack_packer pk;
	struct packed_value v;
	msgpack_sbuffer_init(&b);
	msgpack_packer_init(&pk, &b, msgpack_sbuffer_write);
	put_one_of_each(&pk);
	msgpack_pack_uint8(&pk, 77);
	struct packed p = packed_of(bytes_of(&b));
	cr_assert(packed_skip(&p));
	cr_assert(packed_next_is(&p, PACKED_UNSIGNED, &v) && v.u64 == 77);
	msgpack_sbuffer_destroy(&b);
}

/* A truncated value is invalid. Each is in its own memory, so ASan detects a read past the end. */
Test(packed, what_is_cut_off_is_no_value)
{
	msgpack_sbuffer b;
	msgpack_packer pk;
	msgpack_sbuffer_init(&b);
	msgpack_packer_init(&pk, &b, msgpack_sbuffer_write);
	put_one_of_each(&pk);
	for (size_t n = 0; n < b.size; n++) {
		char *cut = malloc(n + 1);
		memcpy(cut, b.data, n);
		cut = realloc(cut, n ? n : 1);
		struct packed p = packed_of((struct span){cut, n});
		cr_assert(!packed_skip(&p), "%zu bytes", n);
		free(cut);
	}
	msgpack_sbuffer_destroy(&b);
}

Test(packed, counts_that_cannot_be_are_damage)
{
	const struct span values[] = {SPAN(""), SPAN("\xc1"), SPAN("\x81"), SPAN("\x91"),
	        SPAN("\x81\x01"), SPAN("\xa2z"), SPAN("\xc4\x02z"), SPAN("\xd9\x02z"),
	        SPAN("\xdc\xff\xff"), SPAN("\xdd\xff\xff\xff\xff"), SPAN("\xdf\x80\0\0\0"),
	        SPAN("\xdf\xff\xff\xff\xff"), SPAN("\xc6\xff\xff\xff\xff"),
	        SPAN("\xc9\xff\xff\xff\xff"), SPAN("\xdb\xff\xff\xff\xffz"), SPAN("\xd8\x01"),
	        SPAN("\xcb\0\0\0\0\0\0\0")};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct packed p = packed_of(values[i]);
		cr_assert(!packed_skip(&p), "value %zu", i);
	}
}

/* Deep nesting uses no stack. */
Test(packed, nesting_is_passed_over_however_deep)
{
	static char deep[1 << 20];
	memset(deep, '\x91', sizeof(deep));
	struct packed p = packed_of((struct span){deep, sizeof(deep)});
	cr_assert(!packed_skip(&p));
	deep[sizeof(deep) - 1] = '\xc0';
	p = packed_of((struct span){deep, sizeof(deep)});
	cr_assert(packed_skip(&p) && packed_is_at_end(&p));
}

Test(packed, no_array_has_more_than_its_limit)
{
	static char many[PACKED_CHILDREN_LIMIT + 16];
	struct packed_value v;
	memcpy(many, "\xdd\0\x10\0\0", 5);
	struct packed p = packed_of((struct span){many, sizeof(many)});
	cr_assert(packed_next_is(&p, PACKED_ARRAY, &v) && v.n == PACKED_CHILDREN_LIMIT);
	many[4] = 1;
	p = packed_of((struct span){many, sizeof(many)});
	cr_assert(!packed_next(&p, &v));
}
