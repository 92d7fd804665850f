#include "answers/tokens/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct columns_builder {
	uint32_t n, rows;   /* tokens; rows of all tokens and of the next one */
	uint32_t committed; /* rows that belong to a token */
	bool drops_logprobs;
	struct buf bytes, bytes_end, ids, lp, flags, top_end;
	struct buf top_bytes, top_bytes_end, top_ids, top_lp;
};

struct columns_builder *columns_builder_create(void)
{
	struct columns_builder *b = xcalloc(1, sizeof(*b));
	/* Ensures a valid address even if all tokens are without bytes. */
	buf_reserve(&b->bytes, 1);
	buf_reserve(&b->top_bytes, 1);
	return b;
}

void columns_builder_destroy(struct columns_builder *b)
{
	struct columns c;
	if (b) {
		columns_builder_end(b, &c);
		columns_finish(&c);
	}
}

static void put_u32(struct buf *to, uint32_t v)
{
	buf_append(to, &v, sizeof(v));
}

static void put_i32(struct buf *to, int32_t v)
{
	buf_append(to, &v, sizeof(v));
}

static void put_f32(struct buf *to, float v)
{
	buf_append(to, &v, sizeof(v));
}

static uint32_t *u32_of(const struct buf *b)
{
	return (uint32_t *)(void *)b->data;
}

static int32_t *i32_of(const struct buf *b)
{
	return (int32_t *)(void *)b->data;
}

static float *f32_of(const struct buf *b)
{
	return (float *)(void *)b->data;
}

void columns_builder_token(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags)
{
	buf_append_span(&b->bytes, bytes);
	put_u32(&b->bytes_end, (uint32_t)b->bytes.len);
	put_i32(&b->ids, id);
	put_f32(&b->lp, lp);
	buf_append_char(&b->flags, (char)flags);
	put_u32(&b->top_end, b->rows);
	b->committed = b->rows;
	b->n++;
}

void columns_builder_row(struct columns_builder *b, struct span bytes, int32_t id, float lp)
{
	buf_append_span(&b->top_bytes, bytes);
	put_u32(&b->top_bytes_end, (uint32_t)b->top_bytes.len);
	put_i32(&b->top_ids, id);
	put_f32(&b->top_lp, lp);
	b->rows++;
}

void columns_builder_top(struct columns_builder *b, struct span bytes, int32_t id, float lp)
{
	expect(b->n > 0);
	columns_builder_row(b, bytes, id, lp);
	u32_of(&b->top_end)[b->n - 1] = b->rows;
	b->committed = b->rows;
}

static struct span row_bytes(const struct columns_builder *b, uint32_t row)
{
	uint32_t from = row ? u32_of(&b->top_bytes_end)[row - 1] : 0;
	return (struct span){b->top_bytes.data + from, u32_of(&b->top_bytes_end)[row] - from};
}

static uint8_t flags_among_rows(
        const struct columns_builder *b, struct span bytes, int32_t id, float lp)
{
	bool listed = false, below = false;
	for (uint32_t r = b->committed; r < b->rows; r++) {
		int32_t row_id = i32_of(&b->top_ids)[r];
		below |= f32_of(&b->top_lp)[r] > lp; /* false where either is NaN */
		if (!listed) {
			listed = id >= 0 && row_id >= 0 ? id == row_id
			                                : span_equal(bytes, row_bytes(b, r));
		}
	}
	return (uint8_t)((below ? TOKEN_NOT_TOP : 0) | (listed ? 0 : TOKEN_UNLISTED));
}

void columns_builder_commit(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags)
{
	if (b->rows > b->committed) {
		flags |= flags_among_rows(b, bytes, id, lp);
	}
	columns_builder_token(b, bytes, id, lp, flags);
}

void columns_builder_drop_rows(struct columns_builder *b)
{
	b->rows = b->committed;
	b->top_bytes_end.len = b->rows * sizeof(uint32_t);
	b->top_ids.len = b->rows * sizeof(int32_t);
	b->top_lp.len = b->rows * sizeof(float);
	b->top_bytes.len = b->rows ? u32_of(&b->top_bytes_end)[b->rows - 1] : 0;
}

void columns_builder_truncate(struct columns_builder *b, uint32_t n)
{
	expect(n <= b->n);
	b->n = n;
	b->bytes_end.len = n * sizeof(uint32_t);
	b->top_end.len = n * sizeof(uint32_t);
	b->ids.len = n * sizeof(int32_t);
	b->lp.len = n * sizeof(float);
	b->flags.len = n;
	b->bytes.len = n ? u32_of(&b->bytes_end)[n - 1] : 0;
	b->committed = n ? u32_of(&b->top_end)[n - 1] : 0;
	columns_builder_drop_rows(b);
}

float columns_builder_find_row(const struct columns_builder *b, struct span bytes)
{
	for (uint32_t r = b->committed; r < b->rows; r++) {
		if (span_equal(bytes, row_bytes(b, r))) {
			return f32_of(&b->top_lp)[r];
		}
	}
	return NAN;
}

bool columns_builder_repeats_rows(const struct columns_builder *b)
{
	uint32_t n = columns_builder_rows(b);
	bool same = n > 0 && b->committed >= n;
	for (uint32_t r = b->committed; same && r < b->rows; r++) {
		uint32_t a = r - n;
		same = f32_of(&b->top_lp)[a] == f32_of(&b->top_lp)[r] &&
		       i32_of(&b->top_ids)[a] == i32_of(&b->top_ids)[r] &&
		       span_equal(row_bytes(b, a), row_bytes(b, r));
	}
	return same;
}

uint32_t columns_builder_count(const struct columns_builder *b)
{
	return b->n;
}

size_t columns_builder_bytes(const struct columns_builder *b)
{
	return b->bytes.len;
}

uint32_t columns_builder_rows(const struct columns_builder *b)
{
	return b->rows - b->committed;
}

void columns_builder_set_id(struct columns_builder *b, uint32_t token, int32_t id)
{
	expect(token < b->n);
	i32_of(&b->ids)[token] = id;
}

void columns_builder_drop_logprobs(struct columns_builder *b)
{
	b->drops_logprobs = true;
}

static void clear_logprobs(struct columns *c, uint32_t token)
{
	c->lp[token] = NAN;
	c->flags[token] |= TOKEN_MISSING;
	for (uint32_t r = token ? c->top_end[token - 1] : 0; r < c->top_end[token]; r++) {
		c->top_lp[r] = NAN;
	}
}

void columns_builder_end(struct columns_builder *b, struct columns *ret)
{
	columns_builder_drop_rows(b);
	*ret = (struct columns){
	        .n = b->n,
	        .bytes_end = u32_of(&b->bytes_end),
	        .bytes = b->bytes.data,
	        .ids = i32_of(&b->ids),
	        .lp = f32_of(&b->lp),
	        .flags = (uint8_t *)b->flags.data,
	        .top_end = u32_of(&b->top_end),
	        .top_bytes_end = u32_of(&b->top_bytes_end),
	        .top_bytes = b->top_bytes.data,
	        .top_ids = i32_of(&b->top_ids),
	        .top_lp = f32_of(&b->top_lp),
	};
	for (uint32_t i = 0; b->drops_logprobs && i < b->n; i++) {
		clear_logprobs(ret, i);
	}
	free(b);
}

/* Fewer tokens than this are no evidence. */
#define ZEROS_MIN 8
/* If a probability is exactly one, no other logprob can exceed this. */
#define LOGPROB_BESIDE_ONE (-10.0F)

/* Whether the alternatives of a token are consistent with a logprob of exactly 0.0. */
static bool is_plausible_zero(const struct columns *c, uint32_t token)
{
	uint32_t from = token ? c->top_end[token - 1] : 0;
	uint32_t others = 0;
	for (uint32_t r = from; r < c->top_end[token]; r++) {
		others += c->top_lp[r] > LOGPROB_BESIDE_ONE;
	}
	return c->top_end[token] > from && others <= 1;
}

bool columns_are_zeros(const struct columns *c)
{
	uint32_t unsupported = 0, zeros = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t from = i ? c->top_end[i - 1] : 0;
		bool zero = c->lp[i] == 0.0F;
		if (zero ? !is_plausible_zero(c, i) : c->top_end[i] == from) {
			unsupported++;
			zeros += zero;
		}
	}
	return unsupported >= ZEROS_MIN && zeros > unsupported / 2;
}

void columns_drop_zeros(struct columns *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->lp[i] == 0.0F && !is_plausible_zero(c, i)) {
			clear_logprobs(c, i);
		}
	}
}

void columns_finish(struct columns *c)
{
	if (!c) {
		return;
	}
	free(c->bytes_end);
	free(c->bytes);
	free(c->ids);
	free(c->lp);
	free(c->flags);
	free(c->top_end);
	free(c->top_bytes_end);
	free(c->top_bytes);
	free(c->top_ids);
	free(c->top_lp);
	*c = (struct columns){0};
}

bool token_is_lossy(struct span token)
{
	return token.len == 0 || memmem(token.data, token.len, "\xef\xbf\xbd", 3);
}
