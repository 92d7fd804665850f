#include "capture/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "made_rows.h"

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

Test(record_reading, readings_come_back_as_they_were)
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

Test(record_reading, lengths_take_a_byte_each_as_long_as_all_fit)
{
	size_t narrow = stored_size(100, 255), wide = stored_size(100, 256);
	/* Two columns of lengths with three bytes more, and two of bytes with one. */
	cr_assert_geq(wide - narrow, 100 * (3 + 3 + 1 + 1));
	cr_assert_leq(wide - narrow, 100 * (3 + 3 + 1 + 1) + 16);
	cr_assert_eq(stored_size(0, 1), stored_size(0, 300));
}

/* Any change of a payload's bytes gives a reading or an error; what was decoded can be written and
 * freed. */
Test(record_reading, decoding_survives_any_single_changed_byte)
{
	struct reading *reading = any_reading();
	struct buf b = {0};
	while (reading->n_choices < 2) {
		reading_destroy(reading);
		reading = any_reading();
	}
	record_put_reading(&b, reading);
	for (size_t i = 0; i < MIN(b.len, (size_t)6000); i++) {
		char before = b.data[i];
		struct reading *back;
		b.data[i] = (char)rnd();
		if (record_get_reading(buf_span(&b), &back) == 0) {
			struct buf again = {0};
			record_put_reading(&again, back);
			buf_finish(&again);
			reading_destroy(back);
		}
		b.data[i] = before;
	}
	buf_finish(&b);
	reading_destroy(reading);
}

Test(record_reading, a_reading_without_the_version_of_its_reader_is_damage)
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
Test(record_reading, thoughts_that_do_not_lie_in_their_text_one_after_another_are_damage)
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
