#include "answers/api/usage.h"

#include <math.h>
#include <stddef.h>

#include "answers/json_key.h"
#include "answers/quoted_integer.h"

void usage_count(int64_t *to, const struct json_token *t)
{
	int64_t n;
	/* Some gateways write a whole number as 12.0 or "12". */
	if (!quoted_integer(t, &n)) {
		double x = json_token_number(t);
		bool whole = x >= 0 && x < 0x1p53 && x == floor(x);
		n = whole ? (int64_t)x : -1;
	}
	/* A count of 0 does not replace an earlier one: some engines send 0 with every event,
	 * even the last. */
	if (n >= 0 && (n > 0 || *to < 0)) {
		*to = n;
	}
}

static const struct count {
	const char *name;
	size_t len, offset;
} counts[] = {
#define COUNT(name, member)                                                                        \
	{                                                                                          \
		name, sizeof(name) - 1, offsetof(struct usage, member)                             \
	}
        COUNT("cached_tokens", cached_tokens), /* the first N_IN_DETAILS may be within details */
        COUNT("prompt_cache_hit_tokens", cached_tokens),
        COUNT("cache_read_input_tokens", cached_tokens),
        COUNT("cache_read_tokens", cached_tokens),
        COUNT("cached_input_tokens", cached_tokens),
        COUNT("cached_prompt_tokens", cached_tokens),
        COUNT("num_cached_tokens", cached_tokens),
        COUNT("cacheReadInputTokens", cached_tokens),
        COUNT("reasoning_tokens", reasoning_tokens),
        COUNT("thinking_tokens", reasoning_tokens),
        COUNT("prompt_tokens", prompt_tokens),
        COUNT("input_tokens", prompt_tokens),
        COUNT("completion_tokens", completion_tokens),
        COUNT("output_tokens", completion_tokens),
        COUNT("total_tokens", total_tokens),
        COUNT("inputTokens", prompt_tokens),
        COUNT("promptTokens", prompt_tokens),
        COUNT("outputTokens", completion_tokens),
        COUNT("completionTokens", completion_tokens),
        COUNT("totalTokens", total_tokens),
#undef COUNT
};
#define N_IN_DETAILS 10

static void read_count(
        struct usage *to, const struct json_token *key, const struct json_token *v, size_t n_counts)
{
	for (size_t i = 0; i < n_counts; i++) {
		if (key_is_bytes(key, counts[i].name, counts[i].len)) {
			usage_count((int64_t *)(void *)((char *)to + counts[i].offset), v);
			return;
		}
	}
}

static void read_details(struct usage *to, struct json *j)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		read_count(to, &t, &v, N_IN_DETAILS);
		json_skip(j, &v);
	}
}

static bool is_details(const struct json_token *key)
{
	return KEY_IS(key, "prompt_tokens_details") || KEY_IS(key, "input_tokens_details") ||
	       KEY_IS(key, "completion_tokens_details") || KEY_IS(key, "output_tokens_details");
}

void usage_read(struct usage *to, struct json *j, const struct json_token *first)
{
	struct json_token t;
	int64_t prompt = -1, input = -1, read = -1, created = -1;
	if (first->type != JSON_TOKEN_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (is_details(&t) && v.type == JSON_TOKEN_OBJECT) {
			read_details(to, j);
			continue;
		}
		if (KEY_IS(&t, "prompt_tokens")) {
			usage_count(&prompt, &v);
		} else if (KEY_IS(&t, "input_tokens")) {
			usage_count(&input, &v);
		} else if (KEY_IS(&t, "cache_read_input_tokens")) {
			usage_count(&read, &v);
		} else if (KEY_IS(&t, "cache_creation_input_tokens")) {
			usage_count(&created, &v);
		}
		read_count(to, &t, &v, ARRAY_LEN(counts));
		json_skip(j, &v);
	}
	/* Anthropic's input count excludes tokens that were read from or written to a cache. */
	bool excludes_cache = prompt < 0 && input >= 0 && (read >= 0 || created >= 0);
	if (excludes_cache && input < INT32_MAX && read < INT32_MAX && created < INT32_MAX) {
		to->prompt_tokens = input + MAX(read, 0) + MAX(created, 0);
	} else if (prompt > 0) {
		to->prompt_tokens = prompt; /* not Anthropic's count, which may be there, too */
	}
}

void usage_find(struct usage *to, struct json j, const struct json_token *key,
        const struct json_token *first)
{
	struct json_token t;
	if (KEY_IS(key, "usage")) {
		usage_read(to, &j, first);
		return;
	}
	while (first->type == JSON_TOKEN_OBJECT && (t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "usage")) {
			usage_read(to, &j, &v);
		} else {
			json_skip(&j, &v);
		}
	}
}

void usage_read_timings(struct usage *to, struct json *j, const struct json_token *first)
{
	struct json_token t;
	int64_t cached = -1, read = -1;
	if (first->type != JSON_TOKEN_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "cache_n")) {
			usage_count(&cached, &v);
		} else if (KEY_IS(&t, "prompt_n")) {
			usage_count(&read, &v);
		} else if (KEY_IS(&t, "predicted_n")) {
			usage_count(&to->completion_tokens, &v);
		}
		json_skip(j, &v);
	}
	if (cached >= 0) {
		to->cached_tokens = cached;
	}
	if (cached >= 0 && cached <= INT32_MAX && read >= 0 && read <= INT32_MAX) {
		to->prompt_tokens = cached + read;
	}
}

static void take_largest(int64_t *to, int64_t n)
{
	*to = MAX(*to, n);
}

static void add(int64_t *to, int64_t n)
{
	if (n >= 0 && *to < INT64_MAX - n) {
		*to = MAX(*to, 0) + n;
	}
}

/* Each choice counts its own tokens; the prompt is shared. */
static struct usage of_choices(const struct draft *d)
{
	struct usage sum = {-1, -1, -1, -1, -1};
	for (size_t i = 0; i < d->n_choices; i++) {
		const struct usage *u = &d->choices[i]->usage;
		take_largest(&sum.prompt_tokens, u->prompt_tokens);
		take_largest(&sum.cached_tokens, u->cached_tokens);
		add(&sum.completion_tokens, u->completion_tokens);
		add(&sum.reasoning_tokens, u->reasoning_tokens);
		sum.total_tokens = d->n_choices == 1 ? u->total_tokens : -1;
	}
	return sum;
}

static bool contradicts(const struct usage *u)
{
	uint64_t sum = (uint64_t)u->prompt_tokens + (uint64_t)u->completion_tokens;
	bool has_sum = u->prompt_tokens >= 0 && u->completion_tokens >= 0 && u->total_tokens >= 0;
	return (has_sum && sum != (uint64_t)u->total_tokens) ||
	       (u->completion_tokens >= 0 && u->reasoning_tokens > u->completion_tokens) ||
	       (u->prompt_tokens >= 0 && u->cached_tokens > u->prompt_tokens);
}

/* -1: a choice has no tokens with logprobs. */
static int64_t count_entries(const struct reading *r)
{
	int64_t n = r->n_choices ? 0 : -1;
	for (size_t i = 0; i < r->n_choices; i++) {
		if (!r->choices[i].has_columns || r->choices[i].columns.n == 0) {
			return -1;
		}
		n += r->choices[i].columns.n;
	}
	return n;
}

void usage_decide(const struct draft *d, struct reading *r)
{
	struct usage *u = &r->usage, each = of_choices(d);
	*u = d->usage;
	u->prompt_tokens = u->prompt_tokens < 0 ? each.prompt_tokens : u->prompt_tokens;
	u->completion_tokens =
	        u->completion_tokens < 0 ? each.completion_tokens : u->completion_tokens;
	u->total_tokens = u->total_tokens < 0 ? each.total_tokens : u->total_tokens;
	u->cached_tokens = u->cached_tokens < 0 ? each.cached_tokens : u->cached_tokens;
	u->reasoning_tokens = u->reasoning_tokens < 0 ? each.reasoning_tokens : u->reasoning_tokens;
	if (contradicts(u)) {
		int64_t entries = count_entries(r);
		r->marks |= READING_CONTRADICTORY_USAGE;
		u->completion_tokens = entries >= 0 ? entries : u->completion_tokens;
	}
}
