/*
 * Any bytes as an answer. The first byte chooses the hints, the second the size of the pieces. The
 * readings of the whole and of the pieces must be equal, and their columns consistent.
 * tests/fuzz/seed_reading makes seeds from the golden answers.
 */
#include <stdint.h>
#include <stdlib.h>

#include "answers/first_difference.h"
#include "answers/reading.h"
#include "tests/reading_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct reading *read_in_pieces(
        const struct reading_hints *hints, bool complete, const char *p, size_t n, size_t step)
{
	struct reader *r = reader_create(hints);
	while (n) {
		size_t piece = MIN(n, step);
		reader_feed(r, p, piece);
		p += piece;
		n -= piece;
	}
	return reader_end(r, complete);
}

/* Bits 1 and 6, because existing seeds use them. */
static enum framing framing_of_hints(uint8_t bits)
{
	static const enum framing framings[] = {
	        FRAMING_UNARY, FRAMING_SSE, FRAMING_NDJSON, FRAMING_UNKNOWN};
	return framings[(bits >> 1 & 1) | (bits >> 5 & 2)];
}

static void check_thoughts(const struct choice *c)
{
	size_t from = 0;
	for (size_t i = 0; i < c->n_thoughts; i++) {
		const struct thought *t = &c->thoughts[i];
		expect(from <= t->open && t->open <= t->from && t->from <= t->to);
		expect(t->to <= t->close && t->close <= c->text.len);
		from = t->close;
	}
}

static void check_columns(const struct columns *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t row = i ? c->top_end[i - 1] : 0;
		expect(c->bytes_end[i] >= (i ? c->bytes_end[i - 1] : 0));
		expect(c->top_end[i] >= row && c->top_end[i] - row <= READING_TOP_LIMIT);
		expect((c->flags[i] & TOKEN_MISSING) ? c->lp[i] != c->lp[i] : c->lp[i] == c->lp[i]);
		for (; row < c->top_end[i]; row++) {
			expect(c->top_bytes_end[row] >= (row ? c->top_bytes_end[row - 1] : 0));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2) {
		return 0;
	}
	struct reading_hints hints = {
	        .endpoint = data[0] & 1 ? ENDPOINT_CHAT : ENDPOINT_COMPLETION,
	        .framing = framing_of_hints(data[0]),
	        .status = data[0] & 4 ? 500 : 200,
	        .wants_logprobs = data[0] & 8,
	        .limit = data[0] & 16 ? 512 : 0,
	        .has_tools = data[0] & 128,
	};
	bool complete = data[0] & 32;
	const char *body = (const char *)data + 2;
	size_t n = size - 2;
	struct reading *whole = read_in_pieces(&hints, complete, body, n, SIZE_MAX);
	struct reading *pieces = read_in_pieces(&hints, complete, body, n, 1 + data[1] % 64);
	struct buf a = {0}, b = {0};
	print_reading(&a, whole);
	print_reading(&b, pieces);
	expect(span_equal(buf_span(&a), buf_span(&b)));
	expect(whole->first_content_at <= n && whole->n_choices <= READING_CHOICES_LIMIT);
	for (size_t i = 0; i < whole->n_choices; i++) {
		struct first_difference p;
		check_columns(&whole->choices[i].columns);
		check_columns(&whole->choices[i].prompt);
		check_thoughts(&whole->choices[i]);
		first_difference_find(&whole->choices[i], &whole->choices[0], &p);
		expect(i > 0 || (p.text_equal && !p.tokens_differ));
	}
	buf_finish(&a);
	buf_finish(&b);
	reading_destroy(whole);
	reading_destroy(pieces);
	return 0;
}
