#pragma once
/*
 * cut_pieces - for tests of cutting: cuts the injected members out of a body that arrives in
 * pieces.
 */
#include "backends/injection/cut_stream.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"

static const struct request_facts nothing_asked;
static const struct injection all_injected = {.logprobs = true, .usage = true, .top = 5};
static const struct injection logprobs_injected = {.logprobs = true, .top = 5};
static const struct kind null_kind = {KIND_NULL, KIND_NULL};
static const struct kind absent_kind = {KIND_ABSENT, KIND_ABSENT};
static const struct injection ids_injected = {.logprobs = true, .top = 2, .token_ids = true};

/* Feeds pieces of `step` bytes; the first has `first` bytes. out: what the client gets. */
static void cut_stream(struct span body, const struct injection *injected, struct kind kind,
        size_t limit, size_t first, size_t step, struct buf *out, bool *ret_uncut)
{
	struct cut_stream *c = cut_stream_create(injected, kind, limit);
	buf_clear(out);
	*ret_uncut = false;
	for (size_t at = 0, n = first; at < body.len; at += n, n = step) {
		n = MIN(n, body.len - at);
		/* A copy, so that a sanitizer detects a read past its end. */
		char *piece = xmemdup(body.data + at, n);
		cut_stream_feed(c, piece, n, out, ret_uncut);
		free(piece);
		cr_assert_leq(cut_stream_held(c), 2 * limit);
	}
	cut_stream_end(c, out, ret_uncut);
	cut_stream_destroy(c);
}
