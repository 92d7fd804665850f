#include "answers/tokens/token.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/ascii.h"

/* OpenAI, vLLM and TensorRT-LLM write this for "none". Others write the minimum of float32,
 * which is below it. */
#define NO_LOGPROB (-9999.0)

/* The logprob of a certain token may exceed 0 by this much, because of 16-bit floats and
 * rounding. */
#define ROUNDING 1e-3

struct token_sink token_sink_answer(struct draft *d, struct draft_choice *c)
{
	if (!c->columns) {
		c->columns = columns_builder_create();
	}
	return (struct token_sink){d, c->columns, false};
}

struct token_sink token_sink_prompt(struct draft *d, struct draft_choice *c)
{
	if (!c->prompt) {
		c->prompt = columns_builder_create();
	}
	return (struct token_sink){d, c->prompt, true};
}

void token_sink_mark(const struct token_sink *s, uint32_t mark)
{
	if (!s->of_prompt) {
		s->d->marks |= mark;
	}
}

static float check_logprob(const struct token_sink *s, double lp, uint8_t *flags)
{
	if (lp > NO_LOGPROB && lp <= ROUNDING) {
		return (float)lp;
	}
	if (lp > 0 && lp <= FLT_MAX) {
		columns_builder_drop_logprobs(s->b);
		token_sink_mark(s, READING_POSITIVE_LOGPROBS);
		return (float)lp; /* logits have the same order as logprobs */
	}
	token_sink_mark(s, READING_NON_FINITE);
	*flags |= TOKEN_MISSING;
	return NAN;
}

/* An absent or null number is missing. A string or a list in place of a number is malformed. */
static double number_of(const struct token_sink *s, const struct json_token *t)
{
	if (t->type == JSON_TOKEN_NUMBER) {
		return json_token_number(t);
	}
	if (t->type != JSON_TOKEN_NULL && t->type != JSON_TOKEN_ERROR) {
		token_sink_mark(s, READING_MALFORMED_LOGPROBS);
	}
	return (double)NAN;
}

float token_logprob(const struct token_sink *s, const struct json_token *t, uint8_t *flags)
{
	return check_logprob(s, number_of(s, t), flags);
}

float token_log_of(const struct token_sink *s, const struct json_token *prob, uint8_t *flags)
{
	return check_logprob(s, log(number_of(s, prob)), flags);
}

int32_t token_id(const struct json_token *t)
{
	int64_t id;
	return t->type == JSON_TOKEN_NUMBER && json_token_integer(t, &id) && id >= 0 &&
	                       id <= INT32_MAX
	               ? (int32_t)id
	               : -1;
}

static bool placeholder_id(struct span token, int32_t *ret_id)
{
	static const char prefix[] = "token_id:";
	size_t n = sizeof(prefix) - 1;
	int64_t id = 0;
	if (token.len <= n || token.len > n + 10 || memcmp(token.data, prefix, n) != 0) {
		return false;
	}
	for (size_t i = n; i < token.len; i++) {
		if (token.data[i] < '0' || token.data[i] > '9') {
			return false;
		}
		id = id * 10 + (token.data[i] - '0');
	}
	if (id > INT32_MAX) {
		return false;
	}
	*ret_id = (int32_t)id;
	return true;
}

/*
 * OpenAI's forms of broken characters: bytes:\xe2\x80 (legacy) and \xe2\x80 (chat). Text written by
 * a model may look like the second form, but then stands for ASCII. Only bytes from 0x80 on are
 * decoded.
 */
static bool escaped_bytes(struct span token, struct buf *to)
{
	static const char prefix[] = "bytes:";
	size_t from = sizeof(prefix) - 1;
	bool prefixed = token.len > from && memcmp(token.data, prefix, from) == 0;
	from = prefixed ? from : 0;
	if (token.len == from || (token.len - from) % 4 != 0) {
		return false;
	}
	buf_clear(to);
	for (size_t i = from; i < token.len; i += 4) {
		int byte = hex_byte(token.data + i + 2, token.data + token.len);
		if (token.data[i] != '\\' || token.data[i + 1] != 'x' ||
		        byte < (prefixed ? 0 : 0x80)) {
			return false;
		}
		buf_append_char(to, (char)byte);
	}
	return true;
}

struct span token_text(const struct token_sink *s, const struct json_token *t, int32_t *id)
{
	struct buf *scratch = &s->d->scratch;
	struct span text;
	if (t->type != JSON_TOKEN_STRING && t->type != JSON_TOKEN_KEY) {
		return (struct span){0};
	}
	text = json_token_raw(t);
	if (t->escaped) {
		buf_clear(scratch);
		json_token_unescape(t, scratch);
		text = buf_span(scratch);
	}
	if (text.len == 0 || (text.data[0] != 't' && text.data[0] != 'b' && text.data[0] != '\\')) {
		return text;
	}
	if (placeholder_id(text, id)) {
		return (struct span){0};
	}
	return escaped_bytes(text, &s->d->scratch2) ? buf_span(&s->d->scratch2) : text;
}

void token_add_row(const struct token_sink *s, struct span bytes, int32_t id, float lp)
{
	if (columns_builder_rows(s->b) == READING_TOP_LIMIT) {
		token_sink_mark(s, READING_TOO_LARGE);
		return;
	}
	if (draft_reserve(s->d, bytes.len + 3 * sizeof(uint32_t))) {
		columns_builder_row(s->b, bytes, id, lp);
	}
}

void token_add(const struct token_sink *s, struct span bytes, int32_t id, float lp, uint8_t flags)
{
	if (!draft_reserve(s->d, bytes.len + 4 * sizeof(uint32_t) + 1)) {
		columns_builder_drop_rows(s->b);
		return;
	}
	if (s->d->streamed && !(flags & TOKEN_MISSING) && columns_builder_repeats_rows(s->b) &&
	        columns_builder_find_row(s->b, bytes) != lp) {
		/* SGLang sends the list of an event's first token with all of its tokens. */
		columns_builder_drop_rows(s->b);
		token_sink_mark(s, READING_MALFORMED_LOGPROBS);
	}
	if (token_is_lossy(bytes)) {
		flags |= TOKEN_LOSSY;
		token_sink_mark(s, READING_LOSSY_TOKENS);
	}
	columns_builder_commit(s->b, bytes, id, lp, flags);
}
