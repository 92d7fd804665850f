#include "base/inflate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"

static void compress_zlib(struct span data, int window_bits, struct buf *to)
{
	z_stream z = {0};
	cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t room = deflateBound(&z, data.len) + 64;
	z.next_in = (Bytef *)(uintptr_t)data.data;
	z.avail_in = (uInt)data.len;
	z.next_out = (Bytef *)buf_reserve(to, room);
	z.avail_out = (uInt)room;
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->len += room - z.avail_out;
	deflateEnd(&z);
}

static void compress_zstd(struct span data, struct buf *to)
{
	size_t room = ZSTD_compressBound(data.len);
	size_t n = ZSTD_compress(buf_reserve(to, room), room, data.data, data.len, 3);
	cr_assert(!ZSTD_isError(n));
	to->len += n;
}

/* A brotli stream of stored meta-blocks (RFC 7932, 9.2), so that the test needs no encoder. */
static void compress_br(struct span data, struct buf *to)
{
	/* WBITS 16 (one 0 bit), then for each block: ISLAST 0, MNIBBLES 4 (00), MLEN - 1 (16 bits),
	 * ISUNCOMPRESSED 1. */
	bool first = true;
	for (size_t at = 0; at < data.len;) {
		size_t n = MIN(data.len - at, (size_t)65536);
		uint32_t head = (uint32_t)(n - 1) << 3 | 1u << 19;
		head = first ? head << 1 : head;
		for (int i = 0; i < 3; i++) {
			buf_append_char(to, (char)(head >> 8 * i));
		}
		buf_append(to, data.data + at, n);
		at += n;
		first = false;
	}
	/* ISLAST 1, ISLASTEMPTY 1; before any block also WBITS. */
	buf_append_char(to, first ? 6 : 3);
}

static void compress_as(const char *coding, struct span data, struct buf *to)
{
	buf_clear(to);
	if (strcmp(coding, "gzip") == 0) {
		compress_zlib(data, 15 + 16, to);
	} else if (strcmp(coding, "deflate") == 0) {
		compress_zlib(data, 15, to);
	} else if (strcmp(coding, "br") == 0) {
		compress_br(data, to);
	} else if (strcmp(coding, "zstd") == 0) {
		compress_zstd(data, to);
	} else {
		buf_append_span(to, data);
	}
}

static const char *const codings[] = {"gzip", "deflate", "br", "zstd"};

/* Decodes a copy in memory of exactly its size. */
static int decode(const char *coding, struct span data, size_t limit, struct buf *to)
{
	char *copy = xmemdup(data.data, data.len);
	int r = inflate_body(span_of(coding), (struct span){copy, data.len}, limit, to);
	free(copy);
	return r;
}

Test(inflate, undoes_each_coding)
{
	const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 300000};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct buf data = {0}, packed = {0}, out = {0};
		for (size_t n = 0; n < sizes[i]; n++) {
			buf_append_char(&data, (char)(n * n >> 7));
		}
		for (size_t c = 0; c < ARRAY_LEN(codings); c++) {
			compress_as(codings[c], buf_span(&data), &packed);
			buf_clear(&out);
			buf_append_str(&out, "before");
			cr_assert_eq(decode(codings[c], buf_span(&packed), sizes[i], &out), 0,
			        "%s %zu", codings[c], sizes[i]);
			cr_assert_eq(memcmp(out.data, "before", 6), 0);
			buf_consume(&out, 6);
			cr_assert(span_equal(buf_span(&out), buf_span(&data)), "%s %zu", codings[c],
			        sizes[i]);
		}
		buf_finish(&data);
		buf_finish(&packed);
		buf_finish(&out);
	}
}

Test(inflate, names_have_no_case_and_lists_are_refused)
{
	struct buf packed = {0}, out = {0};
	compress_as("gzip", SPAN("hello"), &packed);
	cr_expect_eq(decode("GZip", buf_span(&packed), 100, &out), 0);
	cr_expect_eq(decode("x-gzip", buf_span(&packed), 100, &out), 0);
	cr_expect_eq(decode("identity", SPAN("!"), 100, &out), 0);
	cr_expect_eq(decode("", SPAN("!"), 100, &out), 0);
	cr_expect_str_eq(buf_cstr(&out), "hellohello!!");
	cr_expect_eq(decode("gzip, br", buf_span(&packed), 100, &out), -ENOTSUP);
	cr_expect_eq(decode("compress", buf_span(&packed), 100, &out), -ENOTSUP);
	cr_expect_eq(decode("identity", SPAN("12345"), 4, &out), -EMSGSIZE);
	buf_finish(&packed);
	buf_finish(&out);
}

Test(inflate, deflate_may_be_raw_and_gzip_have_members)
{
	struct buf packed = {0}, out = {0};
	compress_zlib(SPAN("raw deflate, as some servers send it"), -15, &packed);
	cr_expect_eq(decode("deflate", buf_span(&packed), 100, &out), 0);
	cr_expect_str_eq(buf_cstr(&out), "raw deflate, as some servers send it");
	buf_reuse(&out);
	cr_expect_eq(decode("deflate", buf_span(&packed), 11, &out), -EMSGSIZE);
	cr_expect_str_eq(buf_cstr(&out), "raw deflate");
	buf_clear(&packed);
	buf_clear(&out);
	compress_zlib(SPAN("one,"), 15 + 16, &packed);
	compress_zlib(SPAN("two"), 15 + 16, &packed);
	cr_expect_eq(decode("gzip", buf_span(&packed), 100, &out), 0);
	cr_expect_str_eq(buf_cstr(&out), "one,two");
	buf_finish(&packed);
	buf_finish(&out);
}

Test(inflate, bombs_stop_at_the_limit)
{
	struct buf zeros = {0}, packed = {0}, out = {0};
	size_t n = 32 << 20, limit = 100000;
	memset(buf_reserve(&zeros, n), 0, n);
	zeros.len = n;
	for (size_t c = 0; c < ARRAY_LEN(codings); c++) {
		compress_as(codings[c], buf_span(&zeros), &packed);
		buf_finish(&out);
		cr_expect_eq(decode(codings[c], buf_span(&packed), limit, &out), -EMSGSIZE, "%s",
		        codings[c]);
		cr_expect_eq(out.len, limit, "%s", codings[c]);
		cr_expect_lt(out.cap, 4 * limit, "%s", codings[c]);
	}
	buf_finish(&zeros);
	buf_finish(&packed);
	buf_finish(&out);
}

Test(inflate, what_is_damaged_cut_short_or_too_long_is_refused)
{
	struct buf packed = {0}, out = {0};
	for (size_t c = 0; c < ARRAY_LEN(codings); c++) {
		compress_as(
		        codings[c], SPAN("some text, some text, some text, some text"), &packed);
		for (size_t n = 0; n < packed.len; n++) {
			buf_clear(&out);
			cr_expect_eq(decode(codings[c], (struct span){packed.data, n}, 1000, &out),
			        -EBADMSG, "%s cut at %zu", codings[c], n);
		}
		buf_append_str(&packed, "x");
		cr_expect_eq(decode(codings[c], buf_span(&packed), 1000, &out), -EBADMSG, "%s",
		        codings[c]);
		/* Whatever bit is flipped, nothing is accessed out of bounds. */
		for (size_t i = 0; i < 8 * packed.len; i++) {
			packed.data[i / 8] ^= (char)(1 << i % 8);
			buf_clear(&out);
			int r = decode(codings[c], buf_span(&packed), 1000, &out);
			cr_expect(r == 0 || r == -EBADMSG || r == -EMSGSIZE);
			cr_expect_leq(out.len, 1000);
			packed.data[i / 8] ^= (char)(1 << i % 8);
		}
	}
	buf_finish(&packed);
	buf_finish(&out);
}

Test(inflate, room_is_taken_as_it_is_needed_and_no_more_than_there_is)
{
	enum { SIZE = 9 << 20, NEED = 24 << 20 }; /* while 8 MiB move to 16 */
	enum { LIMIT = NEED / 7 * 8 + 8 };        /* an eighth is reserved for the relay */
	char *data = xcalloc(1, SIZE);
	struct buf packed = {0}, out = {0};
	struct budget budget;
	for (size_t c = 0; c < ARRAY_LEN(codings); c++) {
		struct claim claim = {.budget = &budget};
		compress_as(codings[c], (struct span){data, SIZE}, &packed);
		budget_init(&budget, LIMIT);
		cr_expect_eq(
		        inflate_body_on(&claim, span_of(codings[c]), buf_span(&packed), SIZE, &out),
		        0, "%s", codings[c]);
		cr_expect_eq(out.len, SIZE, "%s", codings[c]);
		cr_expect_eq(claim.taken, out.cap);
		cr_expect_eq(budget_used(&budget), out.cap);
		buf_finish(&out);
		claim_close(&claim);
		budget_init(&budget, LIMIT - 8);
		cr_expect_eq(
		        inflate_body_on(&claim, span_of(codings[c]), buf_span(&packed), SIZE, &out),
		        -ENOMEM, "%s", codings[c]);
		cr_expect_eq(claim.taken, out.cap);
		buf_finish(&out);
		claim_close(&claim);
		cr_expect_eq(budget_used(&budget), 0);
	}
	buf_finish(&packed);
	free(data);
}
