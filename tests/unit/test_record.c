#include "capture/record.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <msgpack.h>

#include "base/mem.h"

/* xorshift64*: the same rows in every run. */
static uint64_t state = 88172645463325252u;

static uint64_t number(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717u;
}

static uint64_t below(uint64_t n)
{
	return number() % n;
}

static void fill(void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		((uint8_t *)to)[i] = (uint8_t)number();
	}
}

static char *text_or_null(void)
{
	if (below(3) == 0) {
		return NULL;
	}
	size_t n = below(4) ? below(40) : below(70000);
	char *s = xmalloc(n + 1);
	for (size_t i = 0; i < n; i++) {
		s[i] = (char)(1 + below(255));
	}
	s[n] = '\0';
	return s;
}

static double double_or_unset(void)
{
	double d;
	switch (below(4)) {
	case 0:
		return NAN;
	case 1:
		return -INFINITY;
	default:
		fill(&d, sizeof(d));
		return isnan(d) ? 0.0 : d;
	}
}

static uint64_t wide(void)
{
	return number() >> below(64);
}

static struct id any_id(void)
{
	struct id id;
	fill(id.bytes, sizeof(id.bytes));
	return id;
}

static struct exchange_row any_exchange(void)
{
	struct exchange_row row = {
	        .id = any_id(),
	        .wall_ns = wide(),
	        .method = text_or_null(),
	        .target = text_or_null(),
	        .endpoint = below(3),
	        .outcome = below(N_OUTCOMES),
	        .content = below(4),
	        .marks = (uint32_t)wide(),
	        .body_bytes = wide(),
	        .in_flight = (uint32_t)wide(),
	        .streamed = below(2),
	        .model = text_or_null(),
	        .client = text_or_null(),
	        .facts =
	                {
	                        .is_json = below(2),
	                        .stream = below(2),
	                        .has_logprobs = below(2),
	                        .top_logprobs = (int64_t)number(),
	                        .has_stream_options = below(2),
	                        .include_usage = below(2),
	                        .has_tools = below(2),
	                        .stateful = below(2),
	                        .temperature = double_or_unset(),
	                        .top_p = double_or_unset(),
	                        .top_k = double_or_unset(),
	                        .min_p = double_or_unset(),
	                        .presence_penalty = double_or_unset(),
	                        .frequency_penalty = double_or_unset(),
	                        .repetition_penalty = double_or_unset(),
	                        .seed = (int64_t)number(),
	                        .has_seed = below(2),
	                        .n = (int64_t)number(),
	                        .max_tokens = (int64_t)number(),
	                        .n_messages = (uint32_t)wide(),
	                },
	};
	fill(&row.hashes, below(2) ? sizeof(row.hashes) : 0);
	size_t n = below(sizeof(row.facts.model));
	memset(row.facts.model, 'x', n);
	return row;
}

static struct leg_row any_leg(void)
{
	struct leg_row row = {
	        .id = any_id(),
	        .exchange = any_id(),
	        .run = any_id(),
	        .backend = text_or_null(),
	        .url = text_or_null(),
	        .role = below(4),
	        .repeat = (uint32_t)wide(),
	        .outcome = below(N_OUTCOMES),
	        .marks = (uint32_t)wide(),
	        .status = (int)below(1000),
	        .n_edits = below(6),
	        .start_ns = wide(),
	        .queued_us = below(2) ? UINT64_MAX : wide(),
	        .head_us = below(2) ? UINT64_MAX : wide(),
	        .first_body_us = wide(),
	        .first_content_us = below(2) ? UINT64_MAX : 0,
	        .end_us = wide(),
	        .body_bytes = wide(),
	        .body_parts = (uint32_t)wide(),
	        .in_flight = (uint32_t)wide(),
	        .error = text_or_null(),
	        .content_type = text_or_null(),
	        .content_encoding = text_or_null(),
	        .reading_marks = (uint32_t)wide(),
	        .usage = {-1, 0, (int64_t)wide(), (int64_t)number(), -1},
	        .model = text_or_null(),
	        .fingerprint = text_or_null(),
	        .finish = text_or_null(),
	};
	row.edits = row.n_edits ? xcalloc(row.n_edits, sizeof(*row.edits)) : NULL;
	uint64_t at = 0;
	for (size_t i = 0; i < row.n_edits; i++) {
		size_t n = below(50);
		row.edits[i] = (struct edit){.at = at + below(100), .removed = below(100)};
		at = row.edits[i].at + row.edits[i].removed;
		if (n) {
			char *inserted = xmalloc(n);
			fill(inserted, n);
			row.edits[i].inserted = (struct span){inserted, n};
		}
	}
	return row;
}

static void any_bytes(struct buf *to, size_t limit)
{
	size_t n = below(limit);
	fill(buf_reserve(to, n), n);
	to->len += n;
}

static void any_columns(struct columns *ret)
{
	struct columns_builder *b = columns_builder_create();
	bool ids = below(2), top = below(2);
	size_t n = below(60);
	for (size_t i = 0; i < n; i++) {
		struct buf token = {0};
		float lp;
		fill(&lp, sizeof(lp));
		any_bytes(&token, 12);
		columns_builder_token(b, buf_span(&token), ids ? (int32_t)below(50000) : -1, lp,
		        (uint8_t)below(16));
		for (size_t k = 0; top && k < below(6); k++) {
			columns_builder_top(
			        b, buf_span(&token), ids ? (int32_t)k : -1, below(5) ? -1.5f : NAN);
		}
		buf_finish(&token);
	}
	columns_builder_end(b, ret);
}

static void any_thoughts(struct choice *c)
{
	uint32_t at = 0, step = (uint32_t)c->text.len / 8;
	c->n_thoughts = step ? below(3) : 0;
	c->thoughts = c->n_thoughts ? xcalloc(c->n_thoughts, sizeof(*c->thoughts)) : NULL;
	for (size_t i = 0; i < c->n_thoughts; i++) {
		c->thoughts[i] = (struct thought){at, at + 1, at + step, at + 2 * step};
		at += 3 * step;
	}
}

static void any_embeddings(struct reading *r)
{
	r->n_embeddings = below(4);
	r->embeddings = r->n_embeddings ? xcalloc(r->n_embeddings, sizeof(*r->embeddings)) : NULL;
	for (size_t i = 0; i < r->n_embeddings; i++) {
		uint32_t n = (uint32_t)below(50);
		r->embeddings[i] = (struct embedding){
		        .index = (uint32_t)i * 2, .n = n, .values = xmalloc(n * sizeof(float) + 1)};
		fill(r->embeddings[i].values, n * sizeof(float));
	}
}

static struct reading *any_reading(void)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	*r = (struct reading){
	        .marks = (uint32_t)wide(),
	        .model = text_or_null(),
	        .response_id = text_or_null(),
	        .fingerprint = text_or_null(),
	        .error = text_or_null(),
	        .usage = {-1, -1, 0, 7, (int64_t)wide()},
	        .shape = below(N_SHAPES),
	        .n_choices = below(5),
	        .n_events = (uint32_t)wide(),
	        .first_content_at = wide(),
	};
	r->choices = r->n_choices ? xcalloc(r->n_choices, sizeof(*r->choices)) : NULL;
	for (size_t i = 0; i < r->n_choices; i++) {
		struct choice *c = &r->choices[i];
		c->index = (int32_t)i;
		any_bytes(&c->text, 2000);
		any_bytes(&c->reasoning, 20);
		any_bytes(&c->refusal, 3);
		c->finish = text_or_null();
		c->n_calls = below(4);
		c->calls = c->n_calls ? xcalloc(c->n_calls, sizeof(*c->calls)) : NULL;
		for (size_t k = 0; k < c->n_calls; k++) {
			c->calls[k] = (struct tool_call){
			        text_or_null(), text_or_null(), text_or_null(), below(2)};
		}
		c->has_columns = below(2);
		if (c->has_columns) {
			any_columns(&c->columns);
		}
		c->has_prompt = below(2);
		if (c->has_prompt) {
			any_columns(&c->prompt);
		}
		c->place = below(REASONING_HIDDEN + 1);
		any_thoughts(c);
	}
	any_embeddings(r);
	return r;
}

/*
 * Every member of every row is written, read and written again: equal bytes mean that none was
 * lost. That none is missing in both is what the spot checks are for.
 */
Test(record, exchanges_come_back_as_they_were)
{
	for (int i = 0; i < 500; i++) {
		struct exchange_row row = any_exchange(), back;
		struct buf first = {0}, second = {0};
		record_put_exchange(&first, &row);
		cr_assert_eq(record_get_exchange(buf_span(&first), &back), 0);
		record_put_exchange(&second, &back);
		cr_assert(span_equal(buf_span(&first), buf_span(&second)));
		cr_assert_eq(id_compare(row.id, back.id), 0);
		cr_assert_eq(row.wall_ns, back.wall_ns);
		cr_assert_eq(row.outcome, back.outcome);
		cr_assert((!row.target && !back.target) || strcmp(row.target, back.target) == 0);
		cr_assert_eq(memcmp(&row.hashes, &back.hashes, sizeof(row.hashes)), 0);
		cr_assert_str_eq(row.facts.model, back.facts.model);
		cr_assert(isnan(row.facts.top_p) ? isnan(back.facts.top_p)
		                                 : row.facts.top_p == back.facts.top_p);
		cr_assert_eq(row.facts.n, back.facts.n);
		cr_assert_eq(row.facts.seed, back.facts.seed);
		cr_assert_eq(row.facts.n_messages, back.facts.n_messages);
		exchange_row_finish(&row);
		exchange_row_finish(&back);
		buf_finish(&first);
		buf_finish(&second);
	}
}

Test(record, legs_come_back_as_they_were)
{
	for (int i = 0; i < 500; i++) {
		struct leg_row row = any_leg(), back;
		struct buf first = {0}, second = {0};
		record_put_leg(&first, &row);
		cr_assert_eq(record_get_leg(buf_span(&first), &back), 0);
		record_put_leg(&second, &back);
		cr_assert(span_equal(buf_span(&first), buf_span(&second)));
		cr_assert_eq(row.n_edits, back.n_edits);
		for (size_t k = 0; k < row.n_edits; k++) {
			cr_assert_eq(row.edits[k].at, back.edits[k].at);
			cr_assert_eq(row.edits[k].removed, back.edits[k].removed);
			cr_assert(span_equal(row.edits[k].inserted, back.edits[k].inserted));
		}
		cr_assert_eq(row.queued_us, back.queued_us);
		cr_assert_eq(row.first_content_us, back.first_content_us);
		cr_assert_eq(row.usage.cached_tokens, back.usage.cached_tokens);
		cr_assert_eq(row.status, back.status);
		cr_assert((!row.finish && !back.finish) || strcmp(row.finish, back.finish) == 0);
		leg_row_finish(&row);
		leg_row_finish(&back);
		buf_finish(&first);
		buf_finish(&second);
	}
}

static void assert_same_columns(const struct columns *a, const struct columns *b)
{
	cr_assert_eq(a->n, b->n);
	uint32_t rows = a->n ? a->top_end[a->n - 1] : 0;
	for (uint32_t i = 0; i < a->n; i++) {
		cr_assert(span_equal(columns_token(a, i), columns_token(b, i)));
		cr_assert_eq(a->ids[i], b->ids[i]);
		cr_assert_eq(memcmp(&a->lp[i], &b->lp[i], sizeof(float)), 0);
		cr_assert_eq(a->flags[i], b->flags[i]);
		cr_assert_eq(a->top_end[i], b->top_end[i]);
	}
	for (uint32_t i = 0; i < rows; i++) {
		cr_assert(span_equal(columns_top_token(a, i), columns_top_token(b, i)));
		cr_assert_eq(a->top_ids[i], b->top_ids[i]);
		cr_assert_eq(memcmp(&a->top_lp[i], &b->top_lp[i], sizeof(float)), 0);
	}
}

Test(record, readings_come_back_as_they_were)
{
	for (int i = 0; i < 500; i++) {
		struct reading *reading = any_reading(), *back;
		struct buf first = {0}, second = {0};
		record_put_reading(&first, reading);
		cr_assert_eq(record_get_reading(buf_span(&first), &back), 0);
		record_put_reading(&second, back);
		cr_assert(span_equal(buf_span(&first), buf_span(&second)));
		cr_assert_eq(reading->n_choices, back->n_choices);
		cr_assert_eq(reading->first_content_at, back->first_content_at);
		cr_assert_eq(reading->shape, back->shape);
		cr_assert_eq(reading->n_embeddings, back->n_embeddings);
		for (size_t k = 0; k < reading->n_embeddings; k++) {
			const struct embedding *a = &reading->embeddings[k];
			const struct embedding *b = &back->embeddings[k];
			cr_assert(a->index == b->index && a->n == b->n);
			cr_assert_eq(memcmp(a->values, b->values, a->n * sizeof(float)), 0);
		}
		for (size_t k = 0; k < reading->n_choices; k++) {
			const struct choice *a = &reading->choices[k], *b = &back->choices[k];
			cr_assert(span_equal(buf_span(&a->text), buf_span(&b->text)));
			cr_assert_eq(a->n_calls, b->n_calls);
			cr_assert_eq(a->has_columns, b->has_columns);
			cr_assert(a->place == b->place && a->n_thoughts == b->n_thoughts);
			cr_assert(a->n_thoughts == 0 ||
			          memcmp(a->thoughts, b->thoughts,
			                  a->n_thoughts * sizeof(*a->thoughts)) == 0);
			for (size_t c = 0; c < a->n_calls; c++) {
				cr_assert_eq(a->calls[c].in_text, b->calls[c].in_text);
			}
			cr_assert_eq(a->has_prompt, b->has_prompt);
			if (a->has_prompt) {
				assert_same_columns(&a->prompt, &b->prompt);
			}
			if (a->has_columns) {
				assert_same_columns(&a->columns, &b->columns);
			}
		}
		reading_destroy(reading);
		reading_destroy(back);
		buf_finish(&first);
		buf_finish(&second);
	}
}

/* Of tokens with so many bytes each. */
static size_t stored_size(size_t n, size_t bytes)
{
	struct columns_builder *b = columns_builder_create();
	struct reading *reading = xcalloc(1, sizeof(*reading)), *back;
	struct buf payload = {0}, token = {0};
	memset(buf_reserve(&token, bytes), 'x', bytes);
	token.len = bytes;
	for (size_t i = 0; i < n; i++) {
		columns_builder_token(b, buf_span(&token), -1, -1, 0);
		columns_builder_top(b, buf_span(&token), -1, -1);
	}
	reading->choices = xcalloc(1, sizeof(*reading->choices));
	reading->n_choices = 1;
	reading->choices[0].has_columns = true;
	columns_builder_end(b, &reading->choices[0].columns);
	record_put_reading(&payload, reading);
	cr_assert_eq(record_get_reading(buf_span(&payload), &back), 0);
	assert_same_columns(&reading->choices[0].columns, &back->choices[0].columns);
	size_t size = payload.len;
	reading_destroy(reading);
	reading_destroy(back);
	buf_finish(&payload);
	buf_finish(&token);
	return size;
}

Test(record, lengths_take_a_byte_each_as_long_as_all_fit)
{
	size_t narrow = stored_size(100, 255), wide = stored_size(100, 256);
	/* Two columns of lengths with three bytes more, and two of bytes with one. */
	cr_assert_geq(wide - narrow, 100 * (3 + 3 + 1 + 1));
	cr_assert_leq(wide - narrow, 100 * (3 + 3 + 1 + 1) + 16);
	cr_assert_eq(stored_size(0, 1), stored_size(0, 300));
}

Test(record, a_segments_meta_comes_back)
{
	struct meta_row row = {.format = 1,
	                        .segment = any_id(),
	                        .host = "h",
	                        .pid = 7,
	                        .hash_key = {1, 2}},
	                back;
	struct buf payload = {0};
	record_put_meta(&payload, &row);
	cr_assert_eq(record_get_meta(buf_span(&payload), &back), 0);
	cr_assert_str_eq(back.host, "h");
	cr_assert_eq(back.pid, 7);
	cr_assert_eq(memcmp(back.hash_key, row.hash_key, 32), 0);
	cr_assert_null(back.settings);
	meta_row_finish(&back);
	buf_finish(&payload);
}

static void assert_flips_are_found(enum row_kind kind, struct span payload, bool compress)
{
	struct buf stored = {0}, scratch = {0};
	struct span back;
	record_wrap(&stored, kind, payload, compress ? RECORD_SMALL : RECORD_AS_IS);
	cr_assert_eq(record_stored_size(buf_span(&stored)), stored.len);
	cr_assert_eq(record_unwrap(buf_span(&stored), kind, &scratch, &back), 0);
	cr_assert(span_equal(back, payload));
	for (size_t bit = 0; bit < stored.len * 8; bit++) {
		stored.data[bit / 8] ^= (char)(1 << bit % 8);
		cr_assert_eq(record_unwrap(buf_span(&stored), kind, &scratch, &back), -EBADMSG,
		        "bit %zu", bit);
		stored.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (size_t n = 0; n < stored.len; n++) {
		cr_assert_eq(record_unwrap((struct span){stored.data, n}, kind, &scratch, &back),
		        -EBADMSG);
	}
	buf_finish(&stored);
	buf_finish(&scratch);
}

Test(record, every_flipped_bit_of_an_envelope_is_found)
{
	struct leg_row leg = any_leg();
	struct buf payload = {0};
	free(leg.error);
	leg.error = xmalloc(2001);
	memset(leg.error, 'e', 2000);
	leg.error[2000] = '\0';
	record_put_leg(&payload, &leg);
	assert_flips_are_found(ROW_LEG, buf_span(&payload), true);
	assert_flips_are_found(
	        ROW_LEG, (struct span){payload.data, MIN(payload.len, (size_t)900)}, false);
	assert_flips_are_found(ROW_PART, SPAN(""), true);
	leg_row_finish(&leg);
	buf_finish(&payload);
}

Test(record, compresses_what_gets_smaller_and_nothing_else)
{
	char same[4096], noise[4096];
	memset(same, 'x', sizeof(same));
	fill(noise, sizeof(noise));
	struct buf stored = {0};
	record_wrap(&stored, ROW_PART, (struct span){same, sizeof(same)}, RECORD_SMALL);
	cr_assert_lt(stored.len, 200);
	buf_clear(&stored);
	record_wrap(&stored, ROW_PART, (struct span){noise, sizeof(noise)}, RECORD_SMALL);
	cr_assert_eq(stored.len, sizeof(noise) + RECORD_ENVELOPE_SIZE);
	buf_clear(&stored);
	record_wrap(&stored, ROW_PART, (struct span){same, 511}, RECORD_SMALL);
	cr_assert_eq(stored.len, 511 + RECORD_ENVELOPE_SIZE);
	buf_finish(&stored);
}

Test(record, another_kind_is_damage_and_a_newer_format_says_so)
{
	struct buf stored = {0}, scratch = {0};
	struct span payload;
	record_wrap(&stored, ROW_LEG, SPAN("abc"), RECORD_AS_IS);
	cr_assert_eq(record_unwrap(buf_span(&stored), ROW_EXCHANGE, &scratch, &payload), -EBADMSG);
	/* XXH3-64 of 02 02 0000 03000000 "abc", as a writer of format 2 would put it. */
	static const uint8_t newer[] = {2, 2, 0, 0, 3, 0, 0, 0, 0xb5, 0xf7, 0x27, 0x65, 0x9f, 0x79,
	        0xda, 0x42, 'a', 'b', 'c'};
	struct span s = {(const char *)newer, sizeof(newer)};
	cr_assert_eq(record_unwrap(s, ROW_LEG, &scratch, &payload), -EPROTONOSUPPORT);
	buf_finish(&stored);
	buf_finish(&scratch);
}

static void pack_text(msgpack_packer *pk, const char *s)
{
	msgpack_pack_str(pk, strlen(s));
	msgpack_pack_str_body(pk, s, strlen(s));
}

static struct span packed(const msgpack_sbuffer *b)
{
	return (struct span){b->data, b->size};
}

/* A row as a newer minor writer may make it: unknown keys of any type beside the known. */
Test(record, unknown_keys_are_skipped)
{
	msgpack_sbuffer b;
	msgpack_packer pk;
	struct exchange_row row;
	msgpack_sbuffer_init(&b);
	msgpack_packer_init(&pk, &b, msgpack_sbuffer_write);
	msgpack_pack_map(&pk, 4);
	msgpack_pack_uint8(&pk, 1);
	msgpack_pack_bin(&pk, 16);
	msgpack_pack_bin_body(&pk, "0123456789abcdef", 16);
	msgpack_pack_uint16(&pk, 9999);
	msgpack_pack_array(&pk, 2);
	pack_text(&pk, "new");
	msgpack_pack_double(&pk, 1.5);
	msgpack_pack_uint8(&pk, 200);
	msgpack_pack_nil(&pk);
	msgpack_pack_uint8(&pk, 3);
	pack_text(&pk, "POST");
	cr_assert_eq(record_get_exchange(packed(&b), &row), 0);
	cr_assert_str_eq(row.method, "POST");
	cr_assert_eq(row.facts.n, 1);
	cr_assert(isnan(row.facts.temperature));
	exchange_row_finish(&row);
	msgpack_sbuffer_destroy(&b);
}

/* Each is one row that must be refused, without a crash, a leak or a large allocation. */
Test(record, hostile_rows_are_damage)
{
	const struct span rows[] = {
	        SPAN(""),
	        SPAN("\xc1"),
	        SPAN("\x80"),                 /* a map without an id */
	        SPAN("\x90"),                 /* not a map */
	        SPAN("\xdf\xff\xff\xff\xff"), /* four thousand million pairs in five bytes */
	        SPAN("\xdd\x10\x00\x00\x00"),
	        SPAN("\xc6\xff\xff\xff\xff"),
	        SPAN("\xdb\xff\xff\xff\xffz"),
	        SPAN("\x81\x03\xa4POST\x00"), /* bytes after the row */
	        SPAN("\x81\x03\xa4"
	             "P\0ST"),            /* a NUL in a C string */
	        SPAN("\x81\x03\x05"),     /* a number where text belongs */
	        SPAN("\x81\x06\xcc\xc8"), /* an outcome that is none */
	        SPAN("\x81\xa1"
	             "a\x05"), /* a key that is no number */
	        SPAN("\x82\x03\xa1"
	             "a\x03\xa1"
	             "b"), /* a key twice, and no id */
	        SPAN("\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\xc0"),
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct exchange_row exchange;
		struct leg_row leg;
		struct reading *reading;
		cr_assert_eq(record_get_exchange(rows[i], &exchange), -EBADMSG, "row %zu", i);
		cr_assert_eq(record_get_leg(rows[i], &leg), -EBADMSG, "row %zu", i);
		cr_assert_eq(record_get_reading(rows[i], &reading), -EBADMSG, "row %zu", i);
	}
}

Test(record, edits_out_of_order_are_damage)
{
	struct edit edits[] = {{.at = 10, .removed = 5}, {.at = 14, .removed = 1}};
	struct leg_row row = {.id = any_id(), .exchange = any_id(), .edits = edits, .n_edits = 2},
	               back;
	struct buf payload = {0};
	record_put_leg(&payload, &row);
	cr_assert_eq(record_get_leg(buf_span(&payload), &back), -EBADMSG);
	edits[1].at = 15;
	buf_clear(&payload);
	record_put_leg(&payload, &row);
	cr_assert_eq(record_get_leg(buf_span(&payload), &back), 0);
	leg_row_finish(&back);
	buf_finish(&payload);
}

/* Any change of a payload's bytes gives a row or an error; what was decoded can be written and
 * freed. */
Test(record, decoding_survives_any_single_changed_byte)
{
	struct reading *reading = any_reading();
	struct leg_row leg = any_leg();
	struct buf payloads[2] = {{0}};
	while (reading->n_choices < 2) {
		reading_destroy(reading);
		reading = any_reading();
	}
	record_put_reading(&payloads[0], reading);
	record_put_leg(&payloads[1], &leg);
	for (size_t p = 0; p < 2; p++) {
		struct buf *b = &payloads[p];
		for (size_t i = 0; i < MIN(b->len, (size_t)6000); i++) {
			char before = b->data[i];
			b->data[i] = (char)number();
			struct reading *r;
			struct leg_row l;
			if (record_get_reading(buf_span(b), &r) == 0) {
				struct buf again = {0};
				record_put_reading(&again, r);
				buf_finish(&again);
				reading_destroy(r);
			}
			if (record_get_leg(buf_span(b), &l) == 0) {
				leg_row_finish(&l);
			}
			b->data[i] = before;
		}
		buf_finish(b);
	}
	reading_destroy(reading);
	leg_row_finish(&leg);
}

Test(record, a_reading_without_the_version_of_its_reader_is_damage)
{
	struct reading *back;
	cr_assert_eq(record_get_reading(SPAN("\x81\x01\x00"), &back), -EBADMSG);
	const char old[] = {'\x81', 1, READING_VERSION - 1},
	           present[] = {'\x81', 1, READING_VERSION};
	cr_assert_eq(record_get_reading((struct span){old, sizeof(old)}, &back), -ESTALE);
	cr_assert_eq(record_get_reading((struct span){present, sizeof(present)}, &back), 0);
	reading_destroy(back);
}

/* Thoughts are taken as offsets into the text by all who read them. */
Test(record, thoughts_that_do_not_lie_in_their_text_one_after_another_are_damage)
{
	const struct thought wrong[][2] = {
	        {{0, 1, 2, 9}},
	        {{2, 1, 3, 4}},
	        {{0, 3, 2, 4}},
	        {{0, 1, 4, 3}},
	        {{0, 1, 2, 4}, {3, 4, 4, 4}},
	};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct reading *r = xcalloc(1, sizeof(*r)), *back;
		struct buf b = {0};
		r->n_choices = 1;
		r->choices = xcalloc(1, sizeof(*r->choices));
		buf_append_str(&r->choices[0].text, "12345678");
		r->choices[0].n_thoughts = i == 4 ? 2 : 1;
		r->choices[0].thoughts = xmemdup(wrong[i], sizeof(wrong[i]));
		record_put_reading(&b, r);
		cr_expect_eq(record_get_reading(buf_span(&b), &back), -EBADMSG, "%zu", i);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(record, names_are_all_different)
{
	for (int a = 1; a < N_OUTCOMES; a++) {
		for (int b = 1; b < a; b++) {
			cr_assert_neq(strcmp(outcome_name(a), outcome_name(b)), 0);
		}
	}
	cr_assert_str_eq(outcome_name(99), "unknown");
	cr_assert_str_eq(role_name(ROLE_CANDIDATE), "candidate");
	cr_assert_str_eq(role_name(77), "unknown");
}
