#include "capture/record.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <msgpack.h>
#include <xxhash.h>

#include "base/mem.h"
#include "made_rows.h"

static char *label(size_t limit)
{
	char *s = text_or_null();
	if (s && strlen(s) > limit) {
		s[limit] = '\0';
	}
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
	        .content_encoding = text_or_null(),
	        .labels = {label(255), label(255), label(255), label(16384)},
	        .facts =
	                {
	                        .is_json = below(2),
	                        .stream = below(2),
	                        .has_logprobs = below(2),
	                        .top_logprobs = (int64_t)rnd(),
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
	                        .seed = (int64_t)rnd(),
	                        .has_seed = below(2),
	                        .n = (int64_t)rnd(),
	                        .max_tokens = (int64_t)rnd(),
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
	        .usage = {-1, 0, (int64_t)wide(), (int64_t)rnd(), -1},
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

/*
 * Writes every member of every row, reads and writes it again. Equal bytes mean that no member is
 * lost. The spot checks find a member that is missing in both.
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
		cr_assert((!row.labels.gold && !back.labels.gold) ||
		          strcmp(row.labels.gold, back.labels.gold) == 0);
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

/* A long value has its own pages: 4,080 bytes on the first, 4,096 on each further one. */
Test(record, compresses_what_would_take_fewer_pages_and_nothing_else)
{
	char bytes[10000];
	size_t pages = 2 * 4096 - 16 - RECORD_ENVELOPE_SIZE;
	struct buf stored = {0};
	fill(bytes, sizeof(bytes));
	memset(bytes, 'x', 400);
	record_wrap(&stored, ROW_PART, (struct span){bytes, pages}, RECORD_SMALL);
	cr_assert_eq(stored.len, RECORD_ENVELOPE_SIZE + pages);
	buf_clear(&stored);
	record_wrap(&stored, ROW_PART, (struct span){bytes, pages + 1}, RECORD_SMALL);
	cr_assert_lt(stored.len, RECORD_ENVELOPE_SIZE + pages - 300);
	buf_finish(&stored);
}

/* As in docs/format.md, for payloads of any length. */
Test(record, the_checksum_is_over_the_headers_first_bytes_and_the_payload)
{
	char bytes[3000], whole[8 + sizeof(bytes)];
	fill(bytes, sizeof(bytes));
	for (size_t n = 0; n <= sizeof(bytes); n += n < 950 || n > 1050 ? 50 : 1) {
		struct buf stored = {0}, scratch = {0};
		struct span payload;
		uint64_t sum;
		record_wrap(&stored, ROW_PART, (struct span){bytes, n}, RECORD_AS_IS);
		memcpy(whole, stored.data, 8);
		memcpy(whole + 8, bytes, n);
		memcpy(&sum, stored.data + 8, sizeof(sum));
		cr_assert_eq(le64toh(sum), XXH3_64bits(whole, 8 + n), "%zu bytes", n);
		cr_assert_eq(record_unwrap(buf_span(&stored), ROW_PART, &scratch, &payload), 0);
		cr_assert_eq(payload.len, n);
		buf_finish(&stored);
		buf_finish(&scratch);
	}
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

/* A label of its limit's length comes back, one byte more is damage; rows of before have none. */
Test(record, labels_are_bounded_and_may_be_absent)
{
	char text[LABEL_GOLD_LIMIT + 2];
	const size_t limits[] = {LABEL_LIMIT, LABEL_LIMIT, LABEL_LIMIT, LABEL_GOLD_LIMIT};
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		for (size_t over = 0; over < 2; over++) {
			char *labels[4] = {NULL};
			struct exchange_row back;
			struct buf payload = {0};
			memset(text, 'g', sizeof(text));
			text[limits[i] + over] = '\0';
			labels[i] = text;
			const struct exchange_row row = {
			        .id = any_id(),
			        .labels = {labels[0], labels[1], labels[2], labels[3]},
			};
			record_put_exchange(&payload, &row);
			int r = record_get_exchange(buf_span(&payload), &back);
			cr_assert_eq(r, over ? -EBADMSG : 0, "label %zu, %zu over", i, over);
			if (r == 0) {
				const char *all[] = {back.labels.suite, back.labels.item,
				        back.labels.category, back.labels.gold};
				for (size_t k = 0; k < ARRAY_LEN(all); k++) {
					cr_assert((k == i) == (all[k] != NULL));
				}
				cr_assert_str_eq(all[i], text);
				exchange_row_finish(&back);
			}
			buf_finish(&payload);
		}
	}
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
	        SPAN("\x81\x06\xcc\xc8"), /* an invalid outcome */
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

/* The last value of a key counts; members whose key never comes have their absent value, all others
 * what was read. */
Test(record, keys_in_any_order_are_read_and_what_is_missing_is_absent)
{
	static const char payload[] = "\x87\x11\x07" /* end_us */
	                              "\x02\xc4\x10"
	                              "exchange.exchang"
	                              "\x0d\x05" /* queued_us */
	                              "\x7f\xc0" /* a key of a newer writer */
	                              "\x1b\x03" /* total_tokens */
	                              "\x01\xc4\x10"
	                              "leg.leg.leg.leg."
	                              "\x11\x09";
	struct leg_row row;
	cr_assert_eq(record_get_leg((struct span){payload, sizeof(payload) - 1}, &row), 0);
	cr_assert(memcmp(row.id.bytes, "leg.leg.leg.leg.", 16) == 0);
	cr_assert(memcmp(row.exchange.bytes, "exchange.exchang", 16) == 0);
	cr_assert_eq(row.end_us, 9);
	cr_assert_eq(row.queued_us, 5);
	cr_assert_eq(row.head_us, UINT64_MAX);
	cr_assert_eq(row.first_content_us, UINT64_MAX);
	cr_assert_eq(row.usage.total_tokens, 3);
	cr_assert_eq(row.usage.prompt_tokens, -1);
	cr_assert_eq(row.usage.reasoning_tokens, -1);
	cr_assert_null(row.backend);
	leg_row_finish(&row);
}

Test(record, strings_of_a_decoded_row_can_be_replaced_once_it_is_loosened)
{
	struct leg_row leg = any_leg(), back;
	struct exchange_row row = {.id = any_id(), .method = "POST", .model = "m"}, row_back;
	struct buf payload = {0};
	free(leg.backend);
	leg.backend = xstrdup("one");
	record_put_leg(&payload, &leg);
	cr_assert_eq(record_get_leg(buf_span(&payload), &back), 0);
	leg_row_loosen(&back);
	leg_row_loosen(&back);
	cr_assert_str_eq(back.backend, "one");
	free(back.backend);
	back.backend = xstrdup("another");
	leg_row_finish(&back);
	cr_assert_null(back.backend);
	leg_row_finish(&back);
	buf_clear(&payload);
	record_put_exchange(&payload, &row);
	cr_assert_eq(record_get_exchange(buf_span(&payload), &row_back), 0);
	exchange_row_loosen(&row_back);
	cr_assert_str_eq(row_back.method, "POST");
	cr_assert_null(row_back.target);
	free(row_back.model);
	row_back.model = NULL;
	exchange_row_finish(&row_back);
	leg_row_finish(&leg);
	buf_finish(&payload);
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

/* Any change of a payload's bytes gives a row or an error; what was decoded can be freed. */
Test(record, decoding_survives_any_single_changed_byte)
{
	struct leg_row leg = any_leg();
	struct buf b = {0};
	record_put_leg(&b, &leg);
	for (size_t i = 0; i < MIN(b.len, (size_t)6000); i++) {
		char before = b.data[i];
		struct leg_row back;
		b.data[i] = (char)rnd();
		if (record_get_leg(buf_span(&b), &back) == 0) {
			leg_row_finish(&back);
		}
		b.data[i] = before;
	}
	buf_finish(&b);
	leg_row_finish(&leg);
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
