/* What the encoder writes, also when the budget is exhausted. */
#include "capture/recorder/encoder.h"

#include <stdlib.h>

#include <criterion/criterion.h>
#include <sodium.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "capture/privacy_filter.h"

#define LARGE ((size_t)1 << 30)
#define PLAIN_SIZE ((size_t)6 << 20)

static const struct id owner = {{1, 2, 3}};
static struct budget budget;
static struct privacy_filter filter;
static struct pending_bodies bodies;
static struct redact_policy *policy;

static void begin(enum content content, size_t limit)
{
	static const uint8_t key[32] = {1};
	cr_assert_geq(sodium_init(), 0);
	budget_init(&budget, limit);
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
}

static struct item *part(enum part_type type, struct span bytes)
{
	struct item *i = item_create(ITEM_PART, owner);
	struct chunk *c = chunk_make(&budget, bytes.data, bytes.len);
	i->type = type;
	i->budget = &budget;
	chunks_push(&i->pieces, c);
	if (filter.content == CONTENT_REDACTED) {
		i->held = pending_bodies_get(&bodies, owner);
	}
	return i;
}

static struct item *leg(struct leg_reader *reader, size_t body_bytes, const char *coding)
{
	struct item *i = item_create(ITEM_LEG, owner);
	i->leg = reader;
	i->read = true;
	i->budget = &budget;
	i->held = pending_bodies_remove(&bodies, owner);
	i->leg_row = pool_alloc_zeroed(sizeof(*i->leg_row));
	i->leg_row->id = owner;
	i->leg_row->outcome = OUTCOME_COMPLETE;
	i->leg_row->body_bytes = body_bytes;
	i->leg_row->content_encoding = coding ? xstrdup(coding) : NULL;
	return i;
}

/* The budget has only the compressed length, not the larger reservation. */
Test(encoder, what_waits_to_be_written_takes_no_more_than_is_counted)
{
	static char bytes[100000];
	memset(bytes, 'a', sizeof(bytes));
	begin(CONTENT_FULL, LARGE);
	struct item *p = part(PART_REQUEST_BODY, (struct span){bytes, sizeof(bytes)});
	encoder_encode(p, false, &filter);
	cr_expect_gt(p->values.len, 0);
	cr_expect_lt(p->values.len, sizeof(bytes) / 10);
	cr_expect_leq(
	        p->values.cap, p->values.len + 1024, "%zu for %zu", p->values.cap, p->values.len);
	item_destroy(p);
	end();
}

/* The recorded state of a leg's answer. */
struct recorded_answer {
	bool read, kept;
};

static struct recorded_answer record_answer(struct span body, const char *coding)
{
	const struct reading_hints hints = {.endpoint = ENDPOINT_CHAT, .status = 200};
	struct leg_reader *reader = leg_reader_create(owner, &hints, coding, &budget);
	struct item *p = part(PART_RESPONSE_BODY, body), *row = leg(reader, body.len, coding);
	p->leg = leg_reader_ref(reader);
	encoder_encode(p, false, &filter);
	item_destroy(p);
	encoder_encode(row, false, &filter);
	struct recorded_answer b = {
	        .read = row->values.len > 0,
	        .kept = row->leg_row->content != CONTENT_METADATA,
	};
	item_destroy(row);
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

static struct recorded_answer coded(enum content content, size_t limit)
{
	struct buf plain = document(
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"",
	        "word ", "\"},\"finish_reason\":\"stop\"}]}", PLAIN_SIZE);
	struct buf body = gzipped(buf_span(&plain));
	cr_assert_lt(body.len, 32 << 10);
	begin(content, limit);
	struct recorded_answer o = record_answer(buf_span(&body), "gzip");
	buf_finish(&plain);
	buf_finish(&body);
	end();
	return o;
}

Test(encoder, a_coded_answer_is_read_if_the_budget_has_room_for_what_it_becomes)
{
	cr_expect(coded(CONTENT_FULL, LARGE).read);
	struct recorded_answer o = coded(CONTENT_FULL, PLAIN_SIZE);
	cr_expect(!o.read && o.kept, "its bytes are recorded all the same");
}

Test(encoder, a_coded_answer_is_redacted_if_the_budget_has_room_for_what_it_becomes)
{
	struct recorded_answer o = coded(CONTENT_REDACTED, LARGE);
	cr_expect(o.read && o.kept);
	o = coded(CONTENT_REDACTED, PLAIN_SIZE);
	cr_expect(!o.read && !o.kept, "what can't be searched is not recorded");
}
