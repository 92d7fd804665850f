/*
 * Files with a JSON object a line: Mooncake's and AIPerf's traces, evalscope's workload, vLLM's custom
 * data sets, infer-check's suites.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "imports/filler.h"
#include "imports/requests.h"

#define BLOCK_TOKENS 512 /* of a hash id of Mooncake's */
#define SECONDS_LIMIT 1e10

static bool find(struct span line, const char *name, struct json_token *ret, struct span *ret_all)
{
	return json_find(line, &name, 1, ret, ret_all);
}

/* A number that counts something. False: it is missing, or none. */
static bool find_count(struct span line, const char *name, int64_t limit, int64_t *ret)
{
	struct json_token t;
	return find(line, name, &t, NULL) && json_integer(&t, ret) && *ret >= 0 && *ret <= limit;
}

static bool is_whole(struct span line)
{
	struct json j;
	json_init_lenient(&j, line.data, line.len);
	struct json_token t = json_next(&j);
	return t.type == JSON_OBJECT && json_skip(&j, &t).len && json_next(&j).type == JSON_END;
}

/* A time from the beginning of the trace, in units of so many nanoseconds. */
static uint64_t time_of(
        const struct request_lines *r, struct span line, const char *name, double unit)
{
	struct json_token t;
	double value = find(line, name, &t, NULL) ? json_number(&t) : NAN;
	/* Negated, so that NaN is refused too. */
	if (!(value >= 0 && value * unit < SECONDS_LIMIT * 1e9)) {
		return 0;
	}
	uint64_t whole = (uint64_t)value; /* by itself: a double has no room for both */
	uint64_t ns = whole * (uint64_t)unit + (uint64_t)((value - (double)whole) * unit);
	/* Times since 1970 stand for themselves. */
	return ns > UINT64_C(1000000000) * 1000000000 ? ns : r->file->time_ns + ns;
}

static void find_text(struct span line, const char *name, struct buf *to, struct span *ret)
{
	struct json_token t;
	buf_clear(to);
	if (find(line, name, &t, NULL) && t.type == JSON_STRING) {
		json_unescape(&t, to);
	} else if (find(line, name, &t, NULL) && t.type == JSON_NUMBER) {
		buf_append(to, t.start, t.len);
	}
	*ret = buf_span(to);
}

/* A chat of one message. */
static const char *take_prompt(struct request_lines *r, struct span line, const char *prompt,
        const char *tokens, bool greedy, uint64_t wall_ns)
{
	struct request_found found = {.wall_ns = wall_ns};
	struct json_token t;
	struct buf category = {0};
	struct span all;
	int64_t most;
	if (!is_whole(line)) {
		return "it is no JSON object";
	}
	if (!find(line, prompt, &t, &all) || t.type != JSON_STRING) {
		return "its prompt is missing";
	}
	buf_clear(&r->body);
	buf_append_str(&r->body, "{\"messages\":[{\"role\":\"user\",\"content\":");
	buf_append_span(&r->body, all);
	buf_append_str(&r->body, greedy ? "}],\"temperature\":0" : "}]");
	if (find_count(line, tokens, INT32_MAX, &most) && most > 0) {
		buf_printf(&r->body, ",\"max_tokens\":%" PRId64, most);
	}
	buf_append_char(&r->body, '}');
	find_text(line, "id", &r->text, &found.item);
	find_text(line, "category", &category, &found.category);
	requests_give(r, REQUESTS_CHAT, &found);
	buf_finish(&category);
	return NULL;
}

/* Mooncake, AIPerf. */

/* Prompts that share blocks share their beginnings. */
static void put_blocks(struct buf *to, struct span ids, uint64_t line, size_t n)
{
	struct json j;
	json_init(&j, ids.data, ids.len);
	struct json_token t = json_next(&j);
	int64_t id;
	for (t = json_next(&j); n > 0 && json_integer(&t, &id); t = json_next(&j)) {
		size_t block = MIN(n, (size_t)BLOCK_TOKENS);
		filler_words(to, (uint64_t)id, block);
		n -= block;
	}
	filler_words(to, line, n);
}

/* What AIPerf adds to a request: tools, and members that are merged into its body. */
static void put_extras(struct request_lines *r, struct span line)
{
	struct json_token t;
	struct span all;
	if (find(line, "tools", &t, &all) && t.type == JSON_ARRAY) {
		buf_append_str(&r->body, ",\"tools\":");
		buf_append_span(&r->body, all);
	}
	if (find(line, "extra", &t, &all) && t.type == JSON_OBJECT) {
		/* A member that is there already counts as its last one says. */
		struct json j;
		json_init_lenient(&j, all.data, all.len);
		(void)json_next(&j);
		if (json_next(&j).type == JSON_KEY) {
			buf_append_char(&r->body, ',');
			buf_append(&r->body, all.data + 1, all.len - 2);
		}
	}
}

static const char *take_mooncake(struct request_lines *r, struct span line)
{
	struct request_found found = {.wall_ns = time_of(r, line, "timestamp", 1e6)};
	struct json_token t;
	struct span all = {0}, ids = {0};
	int64_t input = 0, output = -1;
	if (!is_whole(line)) {
		return "it is no JSON object";
	}
	if (find(line, "payload", &t, &all) && t.type == JSON_OBJECT) {
		found.body = all;
		bool chat = find(all, "messages", &t, NULL);
		requests_give(r, chat ? REQUESTS_CHAT : REQUESTS_COMPLETION, &found);
		return NULL;
	}
	if (find(line, "text_input", &t, &all) && t.type == JSON_STRING) {
		return take_prompt(r, line, "text_input", "output_length", false, found.wall_ns);
	}
	bool messages = find(line, "messages", &t, &all) && t.type == JSON_ARRAY;
	if (!messages && !find_count(line, "input_length", FILLER_LIMIT, &input)) {
		return "its input_length is missing, or over a million";
	}
	(void)find_count(line, "output_length", INT32_MAX, &output);
	buf_clear(&r->body);
	buf_append_str(&r->body, messages ? "{\"messages\":" : "{\"prompt\":\"");
	if (messages) {
		buf_append_span(&r->body, all);
	} else {
		(void)find(line, "hash_ids", &t, &ids);
		put_blocks(&r->body, ids, r->line, (size_t)input);
		buf_append_char(&r->body, '"');
	}
	if (output >= 0) {
		buf_printf(&r->body, ",\"max_tokens\":%" PRId64, MAX(output, 1));
	}
	put_extras(r, line);
	buf_append_char(&r->body, '}');
	requests_give(r, messages ? REQUESTS_CHAT : REQUESTS_COMPLETION, &found);
	return NULL;
}

static int read_mooncake(const struct request_file *f, const struct request_sink *sink)
{
	return requests_each_line(f, sink, take_mooncake);
}

static bool fits_mooncake(const struct sniff *s)
{
	bool timed = sniff_has(s, 1, "timestamp") || sniff_has(s, 1, "session_id") ||
	             sniff_has(s, 1, "delay");
	return sniff_has(s, 1, "input_length") || sniff_has(s, 1, "text_input") ||
	       (timed && (sniff_has(s, 1, "messages") || sniff_has(s, 1, "payload")));
}

const struct request_format requests_mooncake = {
        .name = "mooncake",
        .title = "Mooncake's and AIPerf's traces: timestamps, lengths, shared blocks",
        .made_up = true,
        .fits = fits_mooncake,
        .read = read_mooncake,
};

/* evalscope. */

static const char *take_evalscope(struct request_lines *r, struct span line)
{
	struct request_found found = {.wall_ns = time_of(r, line, "timestamp", 1e9)};
	struct json_token t;
	if (!is_whole(line)) {
		return "it is no JSON object";
	}
	if (!find(line, "body", &t, &found.body) || t.type != JSON_OBJECT) {
		return "its body is no JSON object";
	}
	find_text(line, "request_id", &r->text, &found.item);
	bool chat = find(found.body, "messages", &t, NULL);
	if (!chat && !find(found.body, "prompt", &t, NULL)) {
		return "its body has neither messages nor a prompt";
	}
	requests_give(r, chat ? REQUESTS_CHAT : REQUESTS_COMPLETION, &found);
	return NULL;
}

static int read_evalscope(const struct request_file *f, const struct request_sink *sink)
{
	return requests_each_line(f, sink, take_evalscope);
}

static bool fits_evalscope(const struct sniff *s)
{
	return sniff_has(s, 1, "body") && !sniff_has(s, 1, "url") && !sniff_has(s, 1, "custom_id");
}

const struct request_format requests_evalscope = {
        .name = "evalscope",
        .title = "evalscope's workload traces: bodies with timestamps",
        .fits = fits_evalscope,
        .read = read_evalscope,
};

/* vLLM's custom data sets, infer-check's suites. */

static const char *take_vllm(struct request_lines *r, struct span line)
{
	return take_prompt(r, line, "prompt", "output_tokens", false, 0);
}

static int read_vllm(const struct request_file *f, const struct request_sink *sink)
{
	return requests_each_line(f, sink, take_vllm);
}

static bool fits_vllm(const struct sniff *s)
{
	return sniff_has(s, 1, "prompt") && sniff_has(s, 1, "output_tokens");
}

const struct request_format requests_vllm = {
        .name = "vllm",
        .title = "vLLM's custom data sets: prompt and output_tokens",
        .fits = fits_vllm,
        .read = read_vllm,
};

static const char *take_suite(struct request_lines *r, struct span line)
{
	return take_prompt(r, line, "text", "max_tokens", true, 0);
}

static int read_suite(const struct request_file *f, const struct request_sink *sink)
{
	return requests_each_line(f, sink, take_suite);
}

static bool fits_suite(const struct sniff *s)
{
	return sniff_has(s, 1, "text") && sniff_has(s, 1, "category");
}

const struct request_format requests_suite = {
        .name = "infer-check",
        .title = "infer-check's suites: text, category, max_tokens",
        .fits = fits_suite,
        .read = read_suite,
};
