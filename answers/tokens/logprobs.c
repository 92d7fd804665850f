#include "answers/tokens/logprobs.h"

#include <math.h>

#include "answers/json_key.h"
#include "answers/json_list.h"

/* One entry or alternative being read. */
struct entry {
	struct json_token token, logprob, prob;
	struct span bytes; /* the value's text */
	int32_t id;
	bool has_linear; /* its alternatives are probabilities: llama.cpp's old form */
};

/* What the numbers of a list of alternatives are. */
enum rows_of { ROWS_OF_MODEL, ROWS_OF_SAMPLER };

/*
 * Reads a list of numbers 0 to 255, which is known to be well-formed JSON. These lists are most of
 * an answer's text, so a special parser reads them. False: null, absent, or something else.
 */
static bool bytes_of_list(struct span list, struct buf *to)
{
	unsigned n = 0;
	bool in_number = false;
	if (list.len < 2 || *list.data != '[') {
		return false;
	}
	const char *p = list.data + 1;
	const char *end = list.data + list.len;
	/* Each byte takes at least two characters of JSON. */
	buf_clear(to);
	char *out = buf_reserve(to, list.len / 2 + 1);
	for (; p < end; p++) {
		if (*p >= '0' && *p <= '9') {
			n = n * 10 + (unsigned)(*p - '0');
			in_number = true;
			if (n > 255) {
				return false;
			}
		} else if (*p == ',' || *p == ']') {
			if (in_number) {
				out[to->len++] = (char)n;
			}
			n = 0;
			in_number = false;
		} else if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') {
			return false;
		}
	}
	return true;
}

static struct span bytes_of_entry(
        const struct token_sink *s, const struct entry *e, bool is_row, int32_t *ret_id)
{
	*ret_id = e->id;
	struct span text = token_text(s, &e->token, ret_id);
	bool placeholder = *ret_id != e->id;
	/* If a placeholder replaces the text of an alternative, its list has the bytes of that
	 * placeholder. */
	bool listed = !(placeholder && is_row) && bytes_of_list(e->bytes, &s->d->listed);
	/* An empty list is ignored if the token has text. */
	if (listed && (s->d->listed.len || text.len == 0)) {
		text = buf_span(&s->d->listed);
	}
	if (!is_row && text.len == 0 && (placeholder || e->token.type != JSON_TOKEN_STRING)) {
		token_sink_mark(s, READING_KEYLESS_TOKENS);
	}
	return text;
}

static bool is_absent(const struct json_token *t)
{
	return t->type == JSON_TOKEN_ERROR;
}

/* Reads a probability that was changed by the sampler chain. It is not the model's probability. */
static float sampler_probability(
        const struct token_sink *s, const struct json_token *prob, uint8_t *flags)
{
	bool valid = prob->type == JSON_TOKEN_NUMBER || prob->type == JSON_TOKEN_NULL;
	token_sink_mark(s, valid ? READING_SAMPLED_PROBS : READING_MALFORMED_LOGPROBS);
	*flags |= TOKEN_MISSING;
	return NAN;
}

static float logprob_of_row(
        const struct token_sink *s, const struct entry *e, enum rows_of of, uint8_t *flags)
{
	if (!is_absent(&e->logprob) || is_absent(&e->prob)) {
		return token_logprob(s, &e->logprob, flags);
	}
	return of == ROWS_OF_SAMPLER ? sampler_probability(s, &e->prob, flags)
	                             : token_log_of(s, &e->prob, flags);
}

static float logprob_of_entry(
        const struct token_sink *s, const struct entry *e, struct span bytes, uint8_t *flags)
{
	if (!is_absent(&e->logprob) || (is_absent(&e->prob) && !e->has_linear)) {
		return token_logprob(s, &e->logprob, flags);
	}
	if (!is_absent(&e->prob)) {
		return sampler_probability(s, &e->prob, flags);
	}
	/* In llama.cpp's old form the token's own probability is only among the alternatives. */
	float lp = columns_builder_find_row(s->b, bytes);
	*flags |= isnan(lp) ? TOKEN_MISSING : 0;
	return lp;
}

static void read_rows(const struct token_sink *s, struct json *j, const struct json_token *first,
        enum rows_of of);

/* Reads the members of an entry or alternative up to its closing brace. False: malformed. */
static bool read_entry(const struct token_sink *s, struct json *j, bool is_row, struct entry *e)
{
	struct json_token t;
	*e = (struct entry){.id = -1};
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "token") || KEY_IS(&t, "text") || KEY_IS(&t, "tok_str") ||
		        KEY_IS(&t, "content")) {
			e->token = v;
		} else if (KEY_IS(&t, "logprob")) {
			e->logprob = v;
		} else if (KEY_IS(&t, "bytes")) {
			e->bytes = json_skip(j, &v);
			continue;
		} else if (KEY_IS(&t, "id") || KEY_IS(&t, "token_id")) {
			e->id = token_id(&v);
		} else if (KEY_IS(&t, "prob")) {
			e->prob = v;
		} else if (!is_row && (KEY_IS(&t, "top_logprobs") || KEY_IS(&t, "top_probs") ||
		                              KEY_IS(&t, "probs"))) {
			columns_builder_drop_rows(s->b);
			read_rows(s, j, &v,
			        KEY_IS(&t, "top_probs") ? ROWS_OF_SAMPLER : ROWS_OF_MODEL);
			e->has_linear = KEY_IS(&t, "probs");
			continue;
		}
		json_skip(j, &v);
	}
	return t.type == JSON_TOKEN_OBJECT_END;
}

static void skip_malformed(const struct token_sink *s, struct json *j, const struct json_token *t)
{
	if (t->type != JSON_TOKEN_NULL && t->type != JSON_TOKEN_ERROR) {
		token_sink_mark(s, READING_MALFORMED_LOGPROBS);
	}
	json_skip(j, t);
}

static void read_rows(
        const struct token_sink *s, struct json *j, const struct json_token *first, enum rows_of of)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		skip_malformed(s, j, first);
		return;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		struct entry e;
		if (t.type != JSON_TOKEN_OBJECT) {
			skip_malformed(s, j, &t);
			continue;
		}
		if (!read_entry(s, j, true, &e)) {
			return;
		}
		uint8_t flags = 0;
		int32_t id;
		struct span bytes = bytes_of_entry(s, &e, true, &id);
		token_add_row(s, bytes, id, logprob_of_row(s, &e, of, &flags));
	}
}

/* False: its closing brace is missing. */
static bool add_entry(const struct token_sink *s, struct json *j)
{
	struct entry e;
	uint8_t flags = 0;
	int32_t id;
	if (!read_entry(s, j, false, &e)) {
		columns_builder_drop_rows(s->b);
		return false;
	}
	struct span bytes = bytes_of_entry(s, &e, false, &id);
	float lp = logprob_of_entry(s, &e, bytes, &flags);
	token_add(s, bytes, id, lp, flags);
	return true;
}

static void read_entries(const struct token_sink *s, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		skip_malformed(s, j, first);
		return;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type != JSON_TOKEN_OBJECT) {
			skip_malformed(s, j, &t);
		} else if (!add_entry(s, j)) {
			return;
		}
	}
}

void logprobs_read_entries(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	if (first->type == JSON_TOKEN_ARRAY) {
		struct token_sink s = token_sink_answer(d, c);
		read_entries(&s, j, first);
	} else {
		skip_malformed(&(struct token_sink){.d = d}, j, first);
	}
}

static bool is_no_list(struct span value)
{
	return value.len && *value.data != '[' && !span_is(value, "null");
}

void logprobs_check_lists(struct draft *d, struct span list, struct span tops)
{
	d->marks |= is_no_list(list) || is_no_list(tops) ? READING_MALFORMED_LOGPROBS : 0;
}

void logprobs_read_alternatives(
        const struct token_sink *s, struct json *j, const struct json_token *first)
{
	columns_builder_drop_rows(s->b);
	read_rows(s, j, first, ROWS_OF_MODEL);
}

void logprobs_read_token(const struct token_sink *s, struct span entry)
{
	struct json j;
	if (json_begin_lenient(&j, entry).type == JSON_TOKEN_OBJECT) {
		(void)add_entry(s, &j);
	}
}

void logprobs_read_parallel(const struct token_sink *s, struct span entries, struct span tops)
{
	struct json_list entry, top;
	if (tops.len && json_list_count(tops) != json_list_count(entries)) {
		token_sink_mark(s, json_list_count(tops) ? READING_MALFORMED_LOGPROBS : 0);
		tops = (struct span){0};
	}
	json_list_begin(&entry, entries);
	json_list_begin(&top, tops);
	while (json_list_next(&entry)) {
		if (json_list_next(&top)) {
			read_rows(s, &top.j, &top.t, ROWS_OF_MODEL);
		}
		if (entry.t.type != JSON_TOKEN_OBJECT) {
			columns_builder_drop_rows(s->b);
			skip_malformed(s, &entry.j, &entry.t);
		} else if (!add_entry(s, &entry.j)) {
			return;
		}
	}
}

/* Reads the legacy form's alternatives of one token: an object of text to logprob. */
static void read_row_map(const struct token_sink *s, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		skip_malformed(s, j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		uint8_t flags = 0;
		int32_t id = -1;
		struct span bytes = token_text(s, &t, &id);
		token_add_row(s, bytes, id, token_logprob(s, &v, &flags));
		json_skip(j, &v);
	}
}

/* Parallel lists. */
struct lists {
	struct span tokens, lps, tops, ids;
};

/* A list whose length differs from the tokens' is emptied. False: there was such a list. */
static bool walk_lists(const struct token_sink *s, struct lists *l)
{
	struct json_list tokens, lps, tops;
	bool short_lps = false, short_tops = false;
	json_list_begin(&tokens, l->tokens);
	json_list_begin(&lps, l->lps);
	json_list_begin(&tops, l->tops);
	bool has_lps = lps.open, has_tops = tops.open;
	while (json_list_next(&tokens)) {
		struct json_token lp = {0};
		if (json_list_next(&lps)) {
			lp = lps.t;
			json_skip(&lps.j, &lp);
		} else {
			short_lps |= has_lps;
		}
		if (json_list_next(&tops)) {
			read_row_map(s, &tops.j, &tops.t);
		} else {
			short_tops |= has_tops;
		}
		uint8_t flags = 0;
		int32_t id = -1;
		float value = token_logprob(s, &lp, &flags);
		struct span bytes = token_text(s, &tokens.t, &id);
		if (tokens.t.type != JSON_TOKEN_STRING || (bytes.len == 0 && id >= 0)) {
			token_sink_mark(s, tokens.t.type == JSON_TOKEN_STRING
			                           ? READING_KEYLESS_TOKENS
			                           : READING_MALFORMED_LOGPROBS);
		}
		token_add(s, bytes, id, value, flags);
		json_skip(&tokens.j, &tokens.t);
	}
	/* A truncated text ends each of the lists at some point. */
	if (tokens.t.type == JSON_TOKEN_ERROR) {
		return true;
	}
	short_lps |= json_list_next(&lps);
	short_tops |= json_list_next(&tops);
	l->lps = short_lps ? (struct span){0} : l->lps;
	l->tops = short_tops ? (struct span){0} : l->tops;
	return !short_lps && !short_tops;
}

/* Reads the legacy form: parallel lists, in any order. */
static void read_lists(struct draft *d, struct draft_choice *c, struct lists *l)
{
	struct json_token first;
	struct json j;
	first = json_begin_lenient(&j, l->tokens);
	if (first.type != JSON_TOKEN_ARRAY) {
		skip_malformed(&(struct token_sink){.d = d}, &j, &first);
		return;
	}
	logprobs_check_lists(d, l->lps, l->tops);
	struct token_sink s = token_sink_answer(d, c);
	uint32_t before = columns_builder_count(s.b);
	size_t held = d->held;
	if (!walk_lists(&s, l)) {
		columns_builder_truncate(s.b, before);
		d->held = held;
		d->marks |= READING_MALFORMED_LOGPROBS;
		(void)walk_lists(&s, l);
	}
	logprobs_read_ids(c, before, l->ids);
}

void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	struct lists lists = {0};
	uint32_t before = c->columns ? columns_builder_count(c->columns) : 0;
	if (first->type != JSON_TOKEN_OBJECT) {
		logprobs_read_entries(d, c, j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "content") || KEY_IS(&t, "refusal")) {
			logprobs_read_entries(d, c, j, &v);
		} else if (KEY_IS(&t, "tokens")) {
			lists.tokens = json_skip(j, &v);
		} else if (KEY_IS(&t, "token_logprobs")) {
			lists.lps = json_skip(j, &v);
		} else if (KEY_IS(&t, "top_logprobs")) {
			lists.tops = json_skip(j, &v);
		} else if (KEY_IS(&t, "token_ids")) {
			lists.ids = json_skip(j, &v);
		} else {
			json_skip(j, &v);
		}
	}
	/* Beside entries, the lists repeat them. */
	bool has_entries = c->columns && columns_builder_count(c->columns) > before;
	if (has_entries) {
		logprobs_read_ids(c, before, lists.ids);
	} else if (lists.tokens.len) {
		read_lists(d, c, &lists);
	}
}
