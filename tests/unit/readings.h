#pragma once
/*
 * readings - reads an answer that is given as text. The caller calls reading_destroy().
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/reading.h"

static inline struct reading *read_with(struct reading_hints hints, const char *body)
{
	struct reader *r = reader_create(&hints);
	reader_feed(r, body, strlen(body));
	return reader_end(r, true);
}

static inline struct reading *read_body(const char *body)
{
	return read_with((struct reading_hints){.endpoint = ENDPOINT_CHAT, .status = 200}, body);
}

static inline struct reading *read_error_body(const char *body)
{
	return read_with((struct reading_hints){.endpoint = ENDPOINT_CHAT, .status = 400}, body);
}

static inline struct reading *read_stream(const char *body)
{
	return read_with(
	        (struct reading_hints){
	                .endpoint = ENDPOINT_CHAT, .status = 200, .framing = FRAMING_SSE},
	        body);
}

static inline struct reading *read_lines(const char *body)
{
	return read_with(
	        (struct reading_hints){
	                .endpoint = ENDPOINT_NATIVE_CHAT, .status = 200, .framing = FRAMING_NDJSON},
	        body);
}

static inline void assert_text(const struct buf *got, const char *want)
{
	cr_assert(
	        span_is(buf_span(got), want), "'%.*s' is not '%s'", (int)got->len, got->data, want);
}

static inline void assert_token(const struct columns *c, uint32_t i, const char *want)
{
	struct span got = columns_token(c, i);
	cr_assert(span_is(got, want), "token %u is '%.*s', not '%s'", i, (int)got.len, got.data,
	        want);
}

/* The flags of a token, except those that say whether it is of the answer or of the reasoning. */
static inline unsigned oddity(const struct columns *c, uint32_t i)
{
	return c->flags[i] & ~(unsigned)(TOKEN_OF_REASONING | TOKEN_OF_ANSWER);
}

#define CHOICE(inside) "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"," inside "}]}"
#define DELTA(inside) "data: {\"choices\":[{\"index\":0,\"delta\":{" inside "}}]}\n\n"
#define FINISH                                                                                     \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "    \
	"[DONE]\n\n"
#define ENTRY(token, rest) "{\"token\":" token "," rest "}"
