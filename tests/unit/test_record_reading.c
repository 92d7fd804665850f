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
	        .unknown = text_or_null(),
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
		cr_assert(span_equal(span_of(reading->unknown), span_of(back->unknown)));
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

/* Returns the stored size of a reading whose tokens have this many bytes each, except for the
 * first. */
static size_t stored_size(size_t n, size_t bytes)
{
	struct columns_builder *b = columns_builder_create();
	struct reading *reading = xcalloc(1, sizeof(*reading)), *back;
	struct buf payload = {0}, token = {0};
	memset(buf_reserve(&token, bytes), 'x', bytes);
	for (size_t i = 0; i < n; i++) {
		token.len = i ? bytes : bytes - 1;
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

/* A few tokens share the column that states that they have no ids; many have one of their own. */
Test(record_reading, tokens_without_ids_come_back_however_many_they_are)
{
	for (size_t n = 1; n < 40000; n *= 2) {
		cr_assert_gt(stored_size(n, 2), n);
	}
}

/* A reading of one choice with one alternative a token; flags: of the tokens with an odd number. */
static struct reading *reading_of(const char *text, const char *const *tokens, uint8_t flags)
{
	struct columns_builder *b = columns_builder_create();
	struct reading *r = xcalloc(1, sizeof(*r));
	r->choices = xcalloc(1, sizeof(*r->choices));
	r->n_choices = 1;
	buf_append_str(&r->choices[0].text, text);
	r->choices[0].has_columns = true;
	for (size_t i = 0; tokens[i]; i++) {
		columns_builder_token(b, span_of(tokens[i]), -1, -1, i % 2 ? flags : 0);
		columns_builder_top(b, span_of("other"), -1, -2);
	}
	columns_builder_end(b, &r->choices[0].columns);
	return r;
}

/* Returns the payload's size; the reading decoded from it must be equal. */
static size_t size_of(struct reading *r)
{
	struct buf payload = {0};
	struct reading *back;
	record_put_reading(&payload, r);
	cr_assert_eq(record_get_reading(buf_span(&payload), &back), 0);
	assert_same_columns(&r->choices[0].columns, &back->choices[0].columns);
	size_t size = payload.len;
	reading_destroy(r);
	reading_destroy(back);
	buf_finish(&payload);
	return size;
}

Test(record_reading, tokens_that_spell_the_text_are_written_once)
{
	const char *const tokens[] = {"The", " cat", " sat", ".", NULL};
	size_t spelt = size_of(reading_of("The cat sat.", tokens, 1));
	size_t other = size_of(reading_of("The cat sat!", tokens, 1));
	cr_assert_eq(other, spelt + strlen("The cat sat.") + 3); /* and a key, a tag, a length */
}

Test(record_reading, lengths_and_flags_that_are_all_the_same_are_written_once)
{
	const char *const equal[] = {"ab", "cd", "ef", "gh", NULL}, *const unequal[] = {"abc", "d",
	                                                                    "ef", "gh", NULL};
	size_t least = size_of(reading_of("abcdefgh", equal, 0));
	cr_assert_eq(size_of(reading_of("abcdefgh", unequal, 0)), least + 3);
	cr_assert_eq(size_of(reading_of("abcdefgh", equal, 1)), least + 3);
}

/* The tokens' lengths must add up to the length of the text that they spell. */
Test(record_reading, tokens_that_do_not_spell_the_text_as_they_say_are_damage)
{
	const char *const tokens[] = {"The", " cat", NULL};
	struct reading *r = reading_of("The cat", tokens, 0), *back;
	struct buf payload = {0}, cut = {0};
	record_put_reading(&payload, r);
	char *text = memmem(payload.data, payload.len, "\xa7The cat", 8);
	cr_assert_not_null(text);
	buf_append(&cut, payload.data, (size_t)(text - payload.data));
	buf_append_str(&cut, "\xa6The ca");
	buf_append(&cut, text + 8, payload.len - (size_t)(text + 8 - payload.data));
	cr_assert_eq(record_get_reading(buf_span(&cut), &back), -EBADMSG);
	reading_destroy(r);
	buf_finish(&payload);
	buf_finish(&cut);
}

/* The form that was written before columns could be omitted. */
Test(record_reading, columns_with_all_bytes_and_entries_are_read)
{
	static const char payload[] = "\x82\x01\x04\x0e\x91\x82\x02\xa4"
	                              "ABCD\x07\x88"
	                              "\x01\xc4\x02\x02\x02"
	                              "\x02\xc4\x04"
	                              "ABCD"
	                              "\x04\xc4\x08\0\0\x80\xbf\0\0\0\xc0"
	                              "\x05\xc4\x02\x20\x20"
	                              "\x06\xc4\x02\x01\x01"
	                              "\x07\xc4\x02\x01\x01"
	                              "\x08\xc4\x02xy"
	                              "\x0a\xc4\x08\0\0\0\xc0\0\0\x80\xbf";
	struct reading *r;
	cr_assert_geq(record_get_reading((struct span){payload, sizeof(payload) - 1}, &r), 0);
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(c->n, 2);
	cr_assert(span_is(columns_token(c, 1), "CD") && span_is(columns_top_token(c, 1), "y"));
	cr_assert(c->lp[0] == -1 && c->lp[1] == -2 && c->top_lp[0] == -2 && c->top_lp[1] == -1);
	cr_assert(c->flags[0] == 0x20 && c->flags[1] == 0x20 && c->top_end[1] == 2);
	reading_destroy(r);
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
		if (record_get_reading(buf_span(&b), &back) >= 0) {
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

/* Decodes a payload and encodes it again, or returns the error. The memory is then cleared for the
 * next one. */
static int read_and_write(struct arena *memory, struct span payload, struct buf *ret)
{
	struct reading *reading;
	int r = record_get_reading_in(*memory, payload, &reading);
	*memory = (struct arena){0};
	if (r == 0) {
		record_put_reading(ret, reading);
		*memory = reading->arena;
		arena_clear(memory);
	}
	return r;
}

Test(record_reading, in_the_memory_of_another_one_a_reading_is_the_same_even_if_it_is_damaged)
{
	struct arena used = {0};
	int damaged = 0, whole = 0;
	for (int i = 0; i < 500; i++) {
		struct reading *reading = any_reading();
		struct buf b = {0}, first = {0}, second = {0};
		struct arena none = {0};
		record_put_reading(&b, reading);
		b.data[below(b.len)] = (char)(below(2) ? rnd() : 0);
		int r = read_and_write(&none, buf_span(&b), &first);
		cr_assert_eq(read_and_write(&used, buf_span(&b), &second), r);
		cr_assert(span_equal(buf_span(&first), buf_span(&second)));
		damaged += r < 0;
		whole += r == 0;
		arena_finish(&none);
		buf_finish(&b);
		buf_finish(&first);
		buf_finish(&second);
		reading_destroy(reading);
	}
	cr_assert(damaged > 50 && whole > 50, "%d, %d", damaged, whole);
	arena_finish(&used);
}

Test(record_reading, a_reading_without_the_version_of_its_reader_is_damage)
{
	struct reading *back;
	cr_assert_eq(record_get_reading(SPAN("\x81\x01\x00"), &back), -EBADMSG);
	const char old[] = {'\x81', 1, READING_VERSION - 1},
	           present[] = {'\x81', 1, READING_VERSION};
	cr_assert_eq(record_get_reading((struct span){old, sizeof(old)}, &back), 1);
	reading_destroy(back);
	cr_assert_eq(record_get_reading((struct span){present, sizeof(present)}, &back), 0);
	reading_destroy(back);
}

/* All readers use thoughts as offsets into the text. */
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
