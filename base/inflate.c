#include "base/inflate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

/* Output is made room for in steps, so that a bomb costs one step more than the limit. */
#define STEP ((size_t)64 * 1024)
/* A frame that asks for a larger window is refused; 8 MiB is what RFC 9659 lets senders of
 * Content-Encoding use. */
#define ZSTD_WINDOW_LOG 23

/* Room for the next piece, at most one byte over the limit: that byte tells that there is more. */
static size_t make_room(struct buf *to, size_t begin, size_t limit, char **ret_out)
{
	size_t room = MIN(STEP - 1, limit - (to->len - begin)) + 1;
	*ret_out = buf_reserve(to, room);
	return room;
}

static bool over_limit(struct buf *to, size_t begin, size_t limit)
{
	if (to->len - begin <= limit) {
		return false;
	}
	to->len = begin + limit;
	return true;
}

/* window_bits as zlib has it: 15 + 16 gzip, 15 zlib, -15 raw. */
static int inflate_zlib(struct span data, int window_bits, size_t limit, struct buf *to)
{
	z_stream z = {0};
	size_t begin = to->len;
	int r = inflateInit2(&z, window_bits);
	if (r != Z_OK) {
		return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	}
	z.next_in = (Bytef *)(uintptr_t)data.data;
	size_t left = data.len;
	int error = 0;
	for (;;) {
		if (z.avail_in == 0 && left) {
			z.avail_in = (uInt)MIN(left, (size_t)UINT_MAX);
			left -= z.avail_in;
		}
		char *out;
		size_t room = make_room(to, begin, limit, &out);
		z.next_out = (Bytef *)out;
		z.avail_out = (uInt)room;
		r = inflate(&z, Z_NO_FLUSH);
		to->len += room - z.avail_out;
		if (over_limit(to, begin, limit)) {
			error = -EMSGSIZE;
			break;
		}
		if (r == Z_STREAM_END) {
			/* gzip may go on with another member; nothing else may follow. */
			if (z.avail_in == 0 && left == 0) {
				break;
			}
			if (window_bits <= 15 || inflateReset(&z) != Z_OK) {
				error = -EBADMSG;
				break;
			}
		} else if (r != Z_OK) {
			error = -EBADMSG;
			break;
		}
	}
	inflateEnd(&z);
	return error;
}

static int inflate_br(struct span data, size_t limit, struct buf *to)
{
	BrotliDecoderState *br = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	if (!br) {
		return -ENOMEM;
	}
	const uint8_t *in = (const uint8_t *)data.data;
	size_t left = data.len, begin = to->len;
	BrotliDecoderResult r = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
	int error = 0;
	while (r == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
		char *out;
		size_t room = make_room(to, begin, limit, &out), room_left = room;
		uint8_t *next = (uint8_t *)out;
		r = BrotliDecoderDecompressStream(br, &left, &in, &room_left, &next, NULL);
		to->len += room - room_left;
		if (over_limit(to, begin, limit)) {
			error = -EMSGSIZE;
			break;
		}
	}
	if (!error && (r != BROTLI_DECODER_RESULT_SUCCESS || left)) {
		error = -EBADMSG;
	}
	BrotliDecoderDestroyInstance(br);
	return error;
}

static int inflate_zstd(struct span data, size_t limit, struct buf *to)
{
	ZSTD_DStream *zs = ZSTD_createDStream();
	if (!zs) {
		return -ENOMEM;
	}
	ZSTD_DCtx_setParameter(zs, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	ZSTD_inBuffer in = {data.data, data.len, 0};
	size_t begin = to->len, hint = 1;
	int error = 0;
	bool full = false;
	/* hint is 0 when a frame has ended and all of it is out; another may follow. */
	while (in.pos < in.size || (full && hint != 0)) {
		char *out;
		ZSTD_outBuffer o = {.size = make_room(to, begin, limit, &out)};
		o.dst = out;
		hint = ZSTD_decompressStream(zs, &o, &in);
		to->len += o.pos;
		full = o.pos == o.size;
		if (ZSTD_isError(hint)) {
			error = -EBADMSG;
			break;
		}
		if (over_limit(to, begin, limit)) {
			error = -EMSGSIZE;
			break;
		}
	}
	if (!error && hint != 0) {
		error = -EBADMSG;
	}
	ZSTD_freeDStream(zs);
	return error;
}

static int inflate_deflate(struct span data, size_t limit, struct buf *to)
{
	/* RFC 9110 means zlib's form; some servers send the raw one. Nearly no raw stream has a
	 * zlib head. */
	size_t begin = to->len;
	int r = inflate_zlib(data, MAX_WBITS, limit, to);
	if (r == -EBADMSG) {
		size_t got = to->len;
		to->len = begin;
		struct buf raw = {0};
		if (inflate_zlib(data, -MAX_WBITS, limit, &raw) == 0) {
			buf_append_span(to, buf_span(&raw));
			r = 0;
		} else {
			to->len = got;
		}
		buf_finish(&raw);
	}
	return r;
}

int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to)
{
	if (coding.len == 0 || span_is_nocase(coding, "identity")) {
		if (data.len > limit) {
			return -EMSGSIZE;
		}
		buf_append_span(to, data);
		return 0;
	}
	if (span_is_nocase(coding, "gzip") || span_is_nocase(coding, "x-gzip")) {
		return inflate_zlib(data, MAX_WBITS + 16, limit, to);
	}
	if (span_is_nocase(coding, "deflate")) {
		return inflate_deflate(data, limit, to);
	}
	if (span_is_nocase(coding, "br")) {
		return inflate_br(data, limit, to);
	}
	if (span_is_nocase(coding, "zstd")) {
		return inflate_zstd(data, limit, to);
	}
	return -ENOTSUP;
}
