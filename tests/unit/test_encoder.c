/* What is encoded where memory is scarce: less of it, never a hole in it, and never at the reserve's cost. */
#include "capture/encoder.h"

#include <malloc.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <sodium.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/reserve.h"
#include "capture/privacy_filter.h"
#include "scarcity.h"

#ifndef NO_SCARCITY

static const struct id owner = {{1, 2, 3}};
static struct budget budget;
static struct privacy_filter filter;
static struct pending_bodies bodies;
static struct redact_policy *policy;

static void begin(enum content content)
{
	static const uint8_t key[32] = {1};
	cr_assert_geq(sodium_init(), 0);
	reserve_open();
	budget_init(&budget, (size_t)1 << 30);
	policy = redact_policy_create(SECRETS_ALL);
	privacy_filter_init(&filter, content, policy, key, &budget);
	pending_bodies_init(&bodies);
}

static void end(void)
{
	pending_bodies_finish(&bodies);
	privacy_filter_finish(&filter);
	redact_policy_unref(policy);
	cr_expect_eq(budget_used(&budget), 0);
	cr_expect(!reserve_is_short());
}

static struct item *part(enum part_type type, struct span bytes)
{
	struct item *i = item_create(ITEM_PART, owner);
	struct chunk *c = chunk_try_make(&budget, bytes.data, bytes.len);
	cr_assert_not_null(c);
	i->type = type;
	i->budget = &budget;
	chunks_push(&i->pieces, c);
	if (filter.content == CONTENT_REDACTED) {
		i->held = pending_bodies_get(&bodies, owner);
	}
	return i;
}

static struct item *exchange(void)
{
	struct item *i = item_create(ITEM_EXCHANGE, owner);
	i->budget = &budget;
	i->held = pending_bodies_take(&bodies, owner);
	i->exchange_row = pool_take_zeroed(sizeof(*i->exchange_row));
	i->exchange_row->id = owner;
	return i;
}

static struct item *leg(struct leg_reader *reader, size_t body_bytes, const char *coding)
{
	struct item *i = item_create(ITEM_LEG, owner);
	i->leg = reader;
	i->read = true;
	i->budget = &budget;
	i->held = pending_bodies_take(&bodies, owner);
	i->leg_row = pool_take_zeroed(sizeof(*i->leg_row));
	i->leg_row->id = owner;
	i->leg_row->outcome = OUTCOME_COMPLETE;
	i->leg_row->body_bytes = body_bytes;
	i->leg_row->content_encoding = coding ? xstrdup(coding) : NULL;
	return i;
}

static void unpack(const struct buf *values, struct buf *to)
{
	struct span rest = buf_span(values), payload;
	struct buf scratch = {0};
	while (rest.len) {
		size_t n = record_stored_size(rest);
		cr_assert_eq(
		        record_unwrap((struct span){rest.data, n}, ROW_PART, &scratch, &payload),
		        0);
		buf_append_span(to, payload);
		rest = (struct span){rest.data + n, rest.len - n};
	}
	buf_finish(&scratch);
}

enum { PIECES = 3, PIECE = 512 << 10 };

/* The body as it is recorded, of which memory is short while piece number starved is encoded. */
static void record_request(struct span body, int starved, struct buf *ret)
{
	for (int k = 0; k < PIECES; k++) {
		struct item *p = part(
		        PART_REQUEST_BODY, (struct span){body.data + (size_t)k * PIECE, PIECE});
		limit_memory(k == starved ? 1 << 20 : SIZE_MAX);
		encoder_encode(p, false, &filter);
		limit_memory(SIZE_MAX);
		cr_expect(!p->lost);
		item_destroy(p);
	}
	struct item *row = exchange();
	encoder_encode(row, false, &filter);
	unpack(&row->body, ret);
	item_destroy(row);
}

Test(encoder, a_body_that_waits_for_its_row_loses_no_piece_from_its_middle)
{
	static char bytes[PIECES * PIECE];
	static const char head[] = "{\"model\":\"m\",\"prompt\":\"", tail[] = "\"}";
	struct buf starved = {0}, whole = {0};
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = i % 7 ? (char)('a' + i / PIECE) : ' ';
	}
	memcpy(bytes, head, sizeof(head) - 1);
	memcpy(bytes + sizeof(bytes) - (sizeof(tail) - 1), tail, sizeof(tail) - 1);
	begin(CONTENT_REDACTED);
	record_request((struct span){bytes, sizeof(bytes)}, -1, &whole);
	record_request((struct span){bytes, sizeof(bytes)}, 1, &starved);
	cr_expect_eq(whole.len, sizeof(bytes));
	cr_expect(span_equal(buf_span(&whole), buf_span(&starved)), "%zu", starved.len);
	buf_finish(&starved);
	buf_finish(&whole);
	end();
}

/* The books have its length: what was reserved beyond it, to compress into, would be in none. */
Test(encoder, what_waits_to_be_written_takes_no_more_than_is_counted)
{
	static char bytes[100000];
	memset(bytes, 'a', sizeof(bytes));
	begin(CONTENT_FULL);
	struct item *p = part(PART_REQUEST_BODY, (struct span){bytes, sizeof(bytes)});
	encoder_encode(p, false, &filter);
	cr_expect_gt(p->values.len, 0);
	cr_expect_lt(p->values.len, sizeof(bytes) / 10);
	cr_expect_leq(
	        p->values.cap, p->values.len + 1024, "%zu for %zu", p->values.cap, p->values.len);
	item_destroy(p);
	end();
}

Test(encoder, a_body_in_more_pieces_than_can_be_listed_is_let_go_of_and_its_row_stays)
{
	begin(CONTENT_REDACTED);
	struct item *p = part(PART_REQUEST_BODY, (struct span){"x", 1});
	struct chunk *piece = p->pieces.items[0];
	for (size_t k = 0; k < (size_t)1 << 20; k++) {
		chunks_push(&p->pieces, chunk_ref(piece));
	}
	limit_memory(1 << 20);
	encoder_encode(p, false, &filter);
	limit_memory(SIZE_MAX);
	item_destroy(p);
	cr_expect_eq(budget_used(&budget), 0);
	struct item *row = exchange();
	encoder_encode(row, false, &filter);
	cr_expect_eq(row->exchange_row->content, CONTENT_METADATA);
	cr_expect_eq(row->body.len, 0);
	item_destroy(row);
	end();
}

/* What a leg's answer became, where so much memory was left once all of it had come. */
struct became {
	bool read, kept;
};

static struct became record_answer(struct span body, const char *coding, size_t more)
{
	const struct reading_hints hints = {.endpoint = ENDPOINT_CHAT, .status = 200};
	struct leg_reader *reader = leg_reader_create(owner, &hints, coding, &budget);
	struct item *p = part(PART_RESPONSE_BODY, body), *row = leg(reader, body.len, coding);
	p->leg = leg_reader_ref(reader);
	encoder_encode(p, false, &filter);
	item_destroy(p);
	malloc_trim(0);
	limit_memory(more);
	encoder_encode(row, false, &filter);
	limit_memory(SIZE_MAX);
	cr_expect(!reserve_is_short(), "with %zu KiB of %zu", more >> 10, body.len >> 10);
	struct became b = {
	        .read = row->values.len > 0,
	        .kept = row->leg_row->content != CONTENT_METADATA,
	};
	item_destroy(row);
	return b;
}

/* From little memory to more than enough, which is what is returned. Whatever there is, nobody else pays for it. */
static struct became with_ever_more(struct span body, const char *coding, size_t most)
{
	size_t more = 1 << 20;
	struct became b = record_answer(body, coding, more);
	cr_expect(!b.read, "or this test tests nothing");
	while (more < most) {
		more += more / 12;
		b = record_answer(body, coding, more);
	}
	return b;
}

static struct buf document(const char *head, const char *item, const char *tail, size_t size)
{
	struct buf b = {0};
	buf_append_str(&b, head);
	while (b.len < size) {
		buf_append_str(&b, item);
	}
	buf_append_str(&b, tail);
	return b;
}

/* Of a form whose reading is far larger than the JSON it comes of. */
static void grows(const char *head, const char *item, const char *tail)
{
	struct buf b = document(head, item, tail, (size_t)256 << 10);
	begin(CONTENT_FULL);
	cr_expect(with_ever_more(buf_span(&b), NULL, 100 * b.len).read);
	buf_finish(&b);
	end();
}

Test(encoder, tokens_without_text_are_read_in_the_room_that_was_there_for_it)
{
	grows("{\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"tokens\":[\"\"", ",\"\"",
	        "],\"token_logprobs\":[]}}]}");
}

Test(encoder, tokens_of_two_bytes_are_read_in_the_room_that_was_there_for_it)
{
	grows("{\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"tokens\":[0", ",0",
	        "],\"token_logprobs\":[]}}]}");
}

Test(encoder, entries_without_members_are_read_in_the_room_that_was_there_for_it)
{
	grows("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"logprobs\":{"
	      "\"content\":[{}",
	        ",{}", "]}}]}");
}

Test(encoder, alternatives_without_members_are_read_in_the_room_that_was_there_for_it)
{
	grows("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"logprobs\":{"
	      "\"content\":[{}",
	        ",{\"top_logprobs\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}",
	        "]}}]}");
}

Test(encoder, calls_of_nothing_are_read_in_the_room_that_was_there_for_it)
{
	struct buf calls =
	        document("{\"index\":0,\"message\":{\"tool_calls\":[{}", ",{}", "]}}", 512 * 3);
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[");
	for (int i = 0; i < READING_CHOICES_LIMIT; i++) {
		buf_append_str(&b, i ? "," : "");
		buf_printf(&b, "{\"index\":%d", i);
		buf_append(&b, calls.data + strlen("{\"index\":0"),
		        calls.len - strlen("{\"index\":0"));
	}
	buf_append_str(&b, "]}");
	begin(CONTENT_FULL);
	cr_expect(with_ever_more(buf_span(&b), NULL, 100 * b.len).read);
	buf_finish(&b);
	buf_finish(&calls);
	end();
}

static struct buf gzipped(struct span plain)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)plain.data, .avail_in = (uInt)plain.len};
	struct buf b = {0};
	cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.avail_out = (uInt)deflateBound(&z, plain.len);
	z.next_out = (Bytef *)buf_reserve(&b, z.avail_out);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	b.len = z.total_out;
	deflateEnd(&z);
	return b;
}

static struct became coded(enum content content)
{
	struct buf plain = document(
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"",
	        "word ", "\"},\"finish_reason\":\"stop\"}]}", (size_t)6 << 20);
	struct buf body = gzipped(buf_span(&plain));
	cr_assert_lt(body.len, 32 << 10);
	begin(content);
	struct became o = with_ever_more(buf_span(&body), "gzip", 100 * plain.len);
	buf_finish(&plain);
	buf_finish(&body);
	end();
	return o;
}

Test(encoder, a_coded_answer_is_decoded_and_read_in_the_room_that_is_there_for_what_it_becomes)
{
	cr_expect(coded(CONTENT_FULL).read);
}

Test(encoder, a_coded_answer_is_redacted_in_the_room_that_is_there_for_what_it_becomes)
{
	struct became o = coded(CONTENT_REDACTED);
	cr_expect(o.read && o.kept);
}

#endif
