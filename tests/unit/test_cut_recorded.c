#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cut_pieces.h"

/* Returns a recorded answer's body without chunk framing. */
static void read_body(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	struct buf raw = {0};
	raw.len = fread(buf_reserve(&raw, 1 << 22), 1, 1 << 22, f);
	fclose(f);
	char *body = strstr(buf_cstr(&raw), "\r\n\r\n");
	cr_assert_not_null(body, "%s", path);
	*body = '\0';
	bool chunked = strcasestr(raw.data, "transfer-encoding: chunked");
	body += 4;
	char *end = raw.data + raw.len;
	buf_clear(to);
	while (chunked && body < end) {
		char *data;
		size_t n = strtoul(body, &data, 16);
		cr_assert_eq(memcmp(data, "\r\n", 2), 0, "%s", path);
		if (n == 0) {
			break;
		}
		buf_append(to, data + 2, n);
		body = data + 2 + n + 2;
	}
	if (!chunked) {
		buf_append(to, body, (size_t)(end - body));
	}
	cr_assert_gt(to->len, 0, "%s", path);
	buf_finish(&raw);
}

/* Replaces values that always differ. */
static void normalise(struct buf *text)
{
	static const struct {
		const char *key, *stop;
	} keys[] = {{"\"id\": \"", "\""}, {"\"id\":\"", "\""}, {"\"created\": ", ","},
	        {"\"created\":", ","}, {"\"cached_tokens\": ", "}"}};
	struct buf out = {0};
	const char *p = buf_cstr(text), *end = p + text->len;
	while (p < end) {
		size_t i = 0;
		while (i < ARRAY_LEN(keys) && strncmp(p, keys[i].key, strlen(keys[i].key)) != 0) {
			i++;
		}
		if (i == ARRAY_LEN(keys)) {
			buf_append_char(&out, *p++);
			continue;
		}
		buf_append_str(&out, keys[i].key);
		p += strlen(keys[i].key);
		p += strcspn(p, keys[i].stop);
	}
	buf_finish(text);
	*text = out;
}

static void cut_body(struct span body, bool stream, const struct injection *injected,
        struct kind kind, struct buf *out)
{
	buf_clear(out);
	if (stream) {
		bool uncut;
		cut_stream(body, injected, kind, 1 << 20, 1000, 1000, out, &uncut);
		cr_assert(!uncut);
	} else {
		enum cut cut = cut_json(body, injected, kind, out);
		cr_assert(cut == CUT_DONE || cut == CUT_KEPT);
	}
}

/* Cuts the answer at `injected` with what was learned from the one at `plain`; the result must be
 * equal to the plain one. Returns whether something was cut. */
static bool expect_pair(
        const char *plain_path, const char *injected_path, const struct injection *injected)
{
	struct buf plain = {0}, with = {0}, out = {0};
	bool stream = strstr(plain_path, "-unary-") == NULL;
	read_body(plain_path, &plain);
	read_body(injected_path, &with);
	struct kind kind = kind_of_answer(buf_span(&plain), stream, &nothing_asked, NULL);
	cr_assert(kind_can_cut(kind.logprobs), "%s: %d", plain_path, kind.logprobs);
	cr_assert(!stream || !injected->usage || kind_can_cut(kind.usage), "%s: %d", plain_path,
	        kind.usage);
	cut_body(buf_span(&with), stream, injected, kind, &out);
	bool cut = !span_equal(buf_span(&out), buf_span(&with));
	normalise(&plain);
	normalise(&out);
	cr_expect(span_equal(buf_span(&plain), buf_span(&out)), "%s:\n%s\nbut cut:\n%s", plain_path,
	        buf_cstr(&plain), buf_cstr(&out));
	buf_finish(&plain);
	buf_finish(&with);
	buf_finish(&out);
	return cut;
}

static char *replaced(const char *s, const char *old, const char *new)
{
	const char *at = strstr(s, old);
	cr_assert_not_null(at, "%s", s);
	return xasprintf("%.*s%s%s", (int)(at - s), s, new, at + strlen(old));
}

Test(cut_recorded, every_recorded_answer_becomes_what_the_engine_sends_unasked)
{
	const char *dir = getenv("GOLDEN_DIR");
	cr_assert_not_null(dir);
	char *pattern = xasprintf("%s/*/cut-*-plain.response", dir);
	glob_t found;
	cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
	size_t n_cut = 0, n_dropped = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *plain = found.gl_pathv[i];
		char *with = replaced(plain, "-plain.", "-injected.");
		if (!strstr(plain, "-usage-")) {
			n_cut += expect_pair(plain, with, &logprobs_injected);
		}
		if (strstr(plain, "-stream-")) {
			/* Both are injected: compares the recorded answer with usage to the plain
			 * one. */
			char *usage = replaced(with, "-stream-", "-usage-");
			n_dropped += expect_pair(plain, usage, &all_injected);
			free(usage);
			usage = replaced(plain, "-stream-", "-usage-");
			expect_pair(plain, usage, &(struct injection){.usage = true});
			free(usage);
		}
		free(with);
	}
	cr_expect_eq(found.gl_pathc, 24);
	/* vLLM and llama-cpp-python: all 8; Ollama: chat; mlx-lm: unary. */
	cr_expect_eq(n_cut, 12, "%zu", n_cut);
	/* Two for each engine: logprobs or the usage event (llama-cpp-python sends none). */
	cr_expect_eq(n_dropped, 8, "%zu", n_dropped);
	globfree(&found);
	free(pattern);
}

/* vLLM has token_ids and prompt_token_ids as null if they were not requested. */
Test(cut_recorded, recorded_token_ids_become_what_the_engine_sends_unasked)
{
	static const char *const names[][2] = {
	        {"chat", "ids-chat"}, {"completion", "ids-completion"}};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *dir = getenv("GOLDEN_DIR");
		struct buf plain = {0}, with = {0}, out = {0};
		char *path = xasprintf("%s/vllm-0.32.0/%s.response", dir, names[i][0]);
		char *ids_path = xasprintf("%s/vllm-0.32.0/%s.response", dir, names[i][1]);
		read_body(path, &plain);
		read_body(ids_path, &with);
		struct kind kind = kind_of_answer(buf_span(&plain), false, &nothing_asked, NULL);
		cr_expect_eq(kind.token_ids, KIND_NULL);
		cut_body(buf_span(&with), false, &ids_injected, kind, &out);
		normalise(&plain);
		normalise(&out);
		cr_expect_str_eq(buf_cstr(&out), buf_cstr(&plain));
		cut_body(buf_span(&with), false, &logprobs_injected, kind, &out);
		cr_expect(strstr(buf_cstr(&out), "\"token_ids\":["), "asked for by the client");
		buf_finish(&plain);
		buf_finish(&with);
		buf_finish(&out);
		free(path);
		free(ids_path);
	}
}

/* The recorded stream with ids has a usage event, since it was requested; so has the plain one. */
Test(cut_recorded, recorded_token_ids_in_streams_become_what_the_engine_sends_unasked)
{
	static const char *const names[][2] = {{"chat-stream-usage", "ids-chat-stream"},
	        {"completion-stream-usage", "ids-completion-stream"}};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path =
		        xasprintf("%s/vllm-0.32.0/%s.response", getenv("GOLDEN_DIR"), names[i][0]);
		char *ids_path =
		        xasprintf("%s/vllm-0.32.0/%s.response", getenv("GOLDEN_DIR"), names[i][1]);
		cr_expect(expect_pair(path, ids_path, &ids_injected));
		free(path);
		free(ids_path);
	}
}

/* If the client requested usage itself, only logprobs are cut. */
Test(cut_recorded, usage_that_the_client_asked_for_stays)
{
	const char *dir = getenv("GOLDEN_DIR");
	static const char *const names[] = {"vllm-0.32.0/cut-chat", "vllm-0.32.0/cut-completion",
	        "llama-cpp-python-0.3.36/cut-chat", "ollama-0.17.4/cut-chat",
	        "mlx-lm-0.32.2/cut-chat", "ollama-0.17.4/cut-completion"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *plain = xasprintf("%s/%s-usage-plain.response", dir, names[i]);
		char *with = xasprintf("%s/%s-usage-injected.response", dir, names[i]);
		expect_pair(plain, with, &logprobs_injected);
		free(plain);
		free(with);
	}
}

Test(cut_recorded, a_recorded_stream_is_cut_alike_however_it_is_split)
{
	char *path = xasprintf(
	        "%s/ollama-0.17.4/cut-chat-usage-injected.response", getenv("GOLDEN_DIR"));
	struct buf body = {0}, whole = {0}, out = {0};
	bool uncut;
	read_body(path, &body);
	struct span part = {body.data, MIN(body.len, (size_t)6000)};
	cut_stream(part, &all_injected, absent_kind, 1 << 20, part.len, part.len, &whole, &uncut);
	for (size_t first = 1; first < part.len; first++) {
		cut_stream(
		        part, &all_injected, absent_kind, 1 << 20, first, part.len, &out, &uncut);
		cr_assert(span_equal(buf_span(&out), buf_span(&whole)), "split at %zu", first);
	}
	cut_stream(part, &all_injected, absent_kind, 1 << 20, 1, 1, &out, &uncut);
	cr_assert(span_equal(buf_span(&out), buf_span(&whole)));
	buf_finish(&body);
	buf_finish(&whole);
	buf_finish(&out);
	free(path);
}

static size_t count(const struct buf *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text->data; p && (p = strstr(p, what)); p++) {
		n++;
	}
	return n;
}

/* An engine's learned forms may have been without such characters. */
Test(cut_recorded, recorded_characters_of_several_tokens_come_in_the_events_of_a_plain_answer)
{
	static const char *const names[] = {"chat", "completion"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct buf plain = {0}, with = {0}, out = {0};
		char *name = xasprintf(
		        "%s/vllm-0.32.0-qwen/emoji-%s-stream", getenv("GOLDEN_DIR"), names[i]);
		char *plain_path = xasprintf("%s-plain.response", name);
		char *with_path = xasprintf("%s-injected.response", name);
		read_body(plain_path, &plain);
		read_body(with_path, &with);
		cut_body(buf_span(&with), true, &logprobs_injected, (struct kind){KIND_NULL}, &out);
		normalise(&plain);
		normalise(&out);
		cr_expect(span_equal(buf_span(&plain), buf_span(&out)), "%s:\n%s\nbut cut:\n%s",
		        plain_path, buf_cstr(&plain), buf_cstr(&out));
		buf_finish(&plain);
		buf_finish(&with);
		buf_finish(&out);
		free(name);
		free(plain_path);
		free(with_path);
	}
}

/* vLLM's reasoning parser drops tokens, which come as separate events with logprobs. */
Test(cut_recorded, recorded_events_that_have_logprobs_alone_go)
{
	char *path = xasprintf("%s/vllm-0.32.0/chat-think-stream.response", getenv("GOLDEN_DIR"));
	struct buf body = {0}, out = {0};
	read_body(path, &body);
	cut_body(buf_span(&body), true, &logprobs_injected, (struct kind){KIND_NULL}, &out);
	size_t alone = count(&body, "\"delta\":{},\"logprobs\":{");
	cr_expect_gt(alone, 0);
	cr_expect_eq(count(&out, "data: "), count(&body, "data: ") - alone);
	cr_expect_eq(count(&out, "\"logprobs\":{"), 0);
	buf_finish(&body);
	buf_finish(&out);
	free(path);
}
