/*
 * Files with one JSON object per line: evalscope's workload, vLLM's custom data sets, infer-check's
 * suites.
 */

#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/line_members.h"
#include "capture/formats/input_format.h"
#include "base/json_writer.h"

static void put_message(struct json_writer *w, const char *role, struct span content)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "role", role);
	json_writer_raw(w, "content", content);
	json_writer_close(w, "}");
}

static void deliver_prompt(struct request_lines *r, struct span line,
        const struct extra_members *extra, struct span prompt, int64_t most, bool greedy)
{
	struct request_found found = {0};
	struct buf category = {0};
	struct json_writer w = {.to = &r->body};
	buf_clear(&r->body);
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "messages", '[');
	if (extra->system.len) {
		put_message(&w, "system", extra->system);
	}
	put_message(&w, "user", prompt);
	json_writer_close(&w, "]");
	if (greedy) {
		json_writer_integer(&w, "temperature", 0);
	}
	if (most > 0) {
		json_writer_integer(&w, "max_tokens", most);
	}
	json_writer_raw(&w, "tools", buf_span(&extra->tools));
	json_writer_close(&w, "}");
	line_text(line, "id", &r->text, &found.item);
	line_text(line, "category", &category, &found.category);
	request_deliver(r, REQUEST_CHAT, &found);
	buf_finish(&category);
}

/* Makes a chat of one message, plus the system message, tools and media of the line. */
static const char *take_prompt(struct request_lines *r, struct span line, const char *prompt,
        const char *tokens, const char *tokens_wrong, bool greedy)
{
	struct span all;
	int64_t most = 0;
	if (!line_is_object(line)) {
		return "it is not a JSON object";
	}
	if (line_value(line, prompt, JSON_TOKEN_STRING, &all) != LINE_READ) {
		return "its prompt is missing";
	}
	if (line_count(line, tokens, INT32_MAX, &most) == LINE_WRONG) {
		return tokens_wrong;
	}
	struct extra_members extra;
	const char *why = extra_members_read(line, &extra);
	if (!why) {
		deliver_prompt(r, line, &extra, all, most, greedy);
	}
	extra_members_finish(&extra);
	return why;
}

static const char *take_evalscope(struct request_lines *r, struct span line)
{
	struct request_found found = {0};
	struct json_token t;
	if (!line_is_object(line)) {
		return "it is not a JSON object";
	}
	if (line_value(line, "body", JSON_TOKEN_OBJECT, &found.body) != LINE_READ) {
		return "its body is not a JSON object";
	}
	if (request_time(r, line, 1e9, &found.wall_ns) == LINE_WRONG) {
		return "its timestamp is not a number of seconds";
	}
	const char *unsendable = extra_members_unsendable(line);
	if (unsendable) {
		return unsendable;
	}
	line_text(line, "request_id", &r->text, &found.item);
	bool chat = line_find(found.body, "messages", &t, NULL);
	if (!chat && !line_find(found.body, "prompt", &t, NULL)) {
		return "its body has neither messages nor a prompt";
	}
	request_deliver(r, chat ? REQUEST_CHAT : REQUEST_COMPLETION, &found);
	return NULL;
}

static bool fits_evalscope(const struct sniff *s)
{
	return sniff_has(s, 1, "body") && !sniff_has(s, 1, "url") && !sniff_has(s, 1, "custom_id");
}

const struct input_format input_format_evalscope = {
        .name = "evalscope",
        .requests = "evalscope's workload traces: bodies with timestamps",
        .has_time_unit = true,
        .fits = fits_evalscope,
        .take = take_evalscope,
};

static const char *take_vllm(struct request_lines *r, struct span line)
{
	return line_find(line, "output_tokens_count", NULL, NULL)
	               ? take_prompt(r, line, "prompt", "output_tokens_count",
	                         "its output_tokens_count is not a count", false)
	               : take_prompt(r, line, "prompt", "output_tokens",
	                         "its output_tokens is not a count", false);
}

static bool fits_vllm(const struct sniff *s)
{
	return sniff_has(s, 1, "prompt") &&
	       (sniff_has(s, 1, "output_tokens") || sniff_has(s, 1, "output_tokens_count"));
}

const struct input_format input_format_vllm = {
        .name = "vllm",
        .requests = "vLLM's and GuideLLM's data sets: prompt and output_tokens",
        .fits = fits_vllm,
        .take = take_vllm,
};

static const char *take_suite(struct request_lines *r, struct span line)
{
	return take_prompt(r, line, "text", "max_tokens", "its max_tokens is not a count", true);
}

static bool fits_suite(const struct sniff *s)
{
	return sniff_has(s, 1, "text") && sniff_has(s, 1, "category");
}

const struct input_format input_format_suite = {
        .name = "infer-check",
        .requests = "infer-check's suites: text, category, max_tokens",
        .fits = fits_suite,
        .take = take_suite,
};
