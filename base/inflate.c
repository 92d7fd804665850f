#include "base/inflate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

/* Output memory is allocated in steps, so that a decompression bomb costs at most one step more
 * than the limit. */
#define STEP ((size_t)64 * 1024)
/* A frame with a larger window is refused; 8 MiB is the maximum that RFC 9659 allows for
 * Content-Encoding. */
#define ZSTD_WINDOW_LOG 23

/* Where decoded bytes are written. */
struct sink {
	struct buf *to;
	size_t begin, limit; /* bytes present before; bytes that may be added */
	struct claim *claim;
};

/* Reserves space for the next piece: at most one byte over the limit, to detect that there is more.
 * 0: the budget has no room. */
static size_t make_room(struct sink *s, char **ret_out)
{
	struct buf *to = s->to;
	size_t room = MIN(STEP - 1, s->limit - (to->len - s->begin)) + 1;
	if (!claim_reserve(s->claim, to, room)) {
		return 0;
	}
	*ret_out = buf_reserve(to, room);
	return room;
}

/* Returns 0, or -EMSGSIZE: it removed the byte over the limit. */
static int cut_to_limit(struct sink *s)
{
	if (s->to->len - s->begin <= s->limit) {
		return 0;
	}
	s->to->len = s->begin + s->limit;
	return -EMSGSIZE;
}

/* After inflate() has returned r. Returns 0: more may follow; 1: the data is complete; or a
 * negative errno. */
static int zlib_state(z_stream *z, int r, int window_bits, bool more_input)
{
	if (r == Z_OK) {
		return 0;
	}
	if (r != Z_STREAM_END) {
		return -EBADMSG;
	}
	if (z->avail_in == 0 && !more_input) {
		return 1;
	}
	/* gzip may go on with another member; nothing else may follow. */
	return window_bits > 15 && inflateReset(z) == Z_OK ? 0 : -EBADMSG;
}

/* window_bits as zlib has it: 15 + 16 gzip, 15 zlib, -15 raw. */
static int inflate_zlib(struct span data, int window_bits, struct sink *s)
{
	z_stream z = {0};
	int r = inflateInit2(&z, window_bits);
	if (r != Z_OK) {
		return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	}
	z.next_in = (Bytef *)(uintptr_t)data.data;
	size_t left = data.len;
	int state = 0;
	while (state == 0) {
		if (z.avail_in == 0 && left) {
			z.avail_in = (uInt)MIN(left, (size_t)UINT_MAX);
			left -= z.avail_in;
		}
		char *out;
		size_t room = make_room(s, &out);
		if (room == 0) {
			state = -ENOMEM;
			break;
		}
		z.next_out = (Bytef *)out;
		z.avail_out = (uInt)room;
		r = inflate(&z, Z_NO_FLUSH);
		s->to->len += room - z.avail_out;
		state = cut_to_limit(s);
		state = state ? state : zlib_state(&z, r, window_bits, left > 0);
	}
	inflateEnd(&z);
	return MIN(state, 0);
}

static int inflate_br(struct span data, struct sink *s)
{
	BrotliDecoderState *br = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	if (!br) {
		return -ENOMEM;
	}
	const uint8_t *in = (const uint8_t *)data.data;
	size_t left = data.len;
	BrotliDecoderResult r = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
	int error = 0;
	while (!error && r == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
		char *out;
		size_t room = make_room(s, &out), space_left = room;
		if (room == 0) {
			error = -ENOMEM;
			break;
		}
		uint8_t *next = (uint8_t *)out;
		r = BrotliDecoderDecompressStream(br, &left, &in, &space_left, &next, NULL);
		s->to->len += room - space_left;
		error = cut_to_limit(s);
	}
	if (!error && (r != BROTLI_DECODER_RESULT_SUCCESS || left)) {
		error = -EBADMSG;
	}
	BrotliDecoderDestroyInstance(br);
	return error;
}

static int inflate_zstd(struct span data, struct sink *s)
{
	ZSTD_DStream *zs = ZSTD_createDStream();
	if (!zs) {
		return -ENOMEM;
	}
	ZSTD_DCtx_setParameter(zs, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	ZSTD_inBuffer in = {data.data, data.len, 0};
	size_t hint = 1;
	int error = 0;
	bool full = false;
	/* hint is 0 after a frame has ended and all its output was written; another frame may
	 * follow. */
	while (!error && (in.pos < in.size || (full && hint != 0))) {
		char *out;
		ZSTD_outBuffer o = {.size = make_room(s, &out)};
		if (o.size == 0) {
			error = -ENOMEM;
			break;
		}
		o.dst = out;
		hint = ZSTD_decompressStream(zs, &o, &in);
		s->to->len += o.pos;
		full = o.pos == o.size;
		error = ZSTD_isError(hint) ? -EBADMSG : cut_to_limit(s);
	}
	if (!error && hint != 0) {
		error = -EBADMSG;
	}
	ZSTD_freeDStream(zs);
	return error;
}

static int inflate_deflate(struct span data, struct sink *s)
{
	/* RFC 9110 means zlib's form; some servers send the raw one. Nearly no raw stream has a
	 * zlib head. */
	int r = inflate_zlib(data, MAX_WBITS, s);
	if (r != -EBADMSG) {
		return r;
	}
	/* It is damaged in either form: restores the bytes of the first. */
	struct buf first = {0};
	if (!claim_reserve(s->claim, &first, s->to->len - s->begin)) {
		return -ENOMEM;
	}
	buf_append(&first, s->to->data + s->begin, s->to->len - s->begin);
	s->to->len = s->begin;
	int raw = inflate_zlib(data, -MAX_WBITS, s);
	if (raw == -EBADMSG) {
		s->to->len = s->begin;
		buf_append_span(s->to, buf_span(&first));
	}
	claim_give(s->claim, first.cap);
	buf_finish(&first);
	return raw;
}

static int inflate_identity(struct span data, struct sink *s)
{
	if (data.len > s->limit) {
		return -EMSGSIZE;
	}
	if (!claim_reserve(s->claim, s->to, data.len)) {
		return -ENOMEM;
	}
	buf_append_span(s->to, data);
	return 0;
}

int inflate_body_on(
        struct claim *claim, struct span coding, struct span data, size_t limit, struct buf *to)
{
	struct sink s = {to, to->len, limit, claim};
	if (coding.len == 0 || span_is_nocase(coding, "identity")) {
		return inflate_identity(data, &s);
	}
	if (span_is_nocase(coding, "gzip") || span_is_nocase(coding, "x-gzip")) {
		return inflate_zlib(data, MAX_WBITS + 16, &s);
	}
	if (span_is_nocase(coding, "deflate")) {
		return inflate_deflate(data, &s);
	}
	if (span_is_nocase(coding, "br")) {
		return inflate_br(data, &s);
	}
	if (span_is_nocase(coding, "zstd")) {
		return inflate_zstd(data, &s);
	}
	return -ENOTSUP;
}

int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to)
{
	struct claim unlimited = {.taken = to->cap};
	return inflate_body_on(&unlimited, coding, data, limit, to);
}
