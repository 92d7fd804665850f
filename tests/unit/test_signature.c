#include "backends/injection/signature.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct signature of(const char *text)
{
	return signature_of_text(0, span_of(text));
}

Test(signature, what_injection_changes_is_style_and_not_form)
{
	static const char *const alike[] = {
	        "{\"id\":\"a\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"logprobs\":null,\"delta\":{}}]}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":{\"content\":[]}"
	        "}]}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":{}}],\"usage\":null}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":{},\"token_ids\":null}]}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":{}}],\"prompt_token_ids\":[1,2]"
	        "}",
	        "{\"id\":\"b\",\"choices\":[{\"index\":0,\"delta\":{}},{\"else\":1}],\"usage\":{}}",
	};
	struct signature first = of(alike[0]);
	for (size_t i = 1; i < ARRAY_LEN(alike); i++) {
		struct signature s = of(alike[i]);
		cr_expect_eq(s.form, first.form, "%zu", i);
		cr_expect_lt(s.style, SIGNATURE_STYLES);
		for (size_t k = 0; k < i; k++) {
			cr_expect_neq(s.style, of(alike[k]).style, "%zu %zu", i, k);
		}
	}
}

Test(signature, members_their_order_spaces_fingerprint_and_server_tell_engines_apart)
{
	static const char *const unlike[] = {
	        "{\"id\":1,\"choices\":[{\"index\":0}]}",
	        "{\"id\": 1,\"choices\":[{\"index\":0}]}",
	        "{\"choices\":[{\"index\":0}],\"id\":1}",
	        "{\"id\":1,\"choices\":[{\"index\":0,\"stop_reason\":null}]}",
	        "{\"id\":1,\"choices\":[{\"index\":0}],\"system_fingerprint\":\"vllm-0.32\"}",
	        "{\"id\":1,\"choices\":[{\"index\":0}],\"system_fingerprint\":\"fp_44\"}",
	        "{\"id\":1,\"choices\":[]}",
	        "[]",
	        "{\"idchoices\":[{\"index\":0}]}",
	};
	for (size_t i = 0; i < ARRAY_LEN(unlike); i++) {
		for (size_t k = 0; k < i; k++) {
			cr_expect_neq(of(unlike[i]).form, of(unlike[k]).form, "%zu %zu", i, k);
		}
		cr_expect_neq(of(unlike[i]).form, signature_of_text(1, span_of(unlike[i])).form);
	}
	cr_expect_eq(of("{\"system_fingerprint\":\"vllm-0.32-a\"}").form,
	        of("{\"system_fingerprint\":\"vllm-0.33-b\"}").form);
	struct http_field field = {SPAN("Server"), SPAN("uvicorn")};
	struct http_head head = {.fields = &field, .n_fields = 1};
	cr_expect_neq(signature_head(&head), signature_head(NULL));
}

Test(signature, a_streams_is_that_of_its_first_event_with_data)
{
	struct signature s = {0};
	cr_assert(signature_of_answer(
	        7, SPAN(": wait\n\ndata: {\"a\":1}\n\ndata: {\"b\":1}\n\n"), true, &s));
	cr_expect_eq(s.form, signature_of_text(7, SPAN("{\"a\":1}")).form);
	cr_expect_not(signature_of_answer(7, SPAN(": wait\n\n: more\n\n"), true, &s));
	cr_expect_not(signature_of_answer(7, SPAN(""), true, &s));
}

/* Returns a recorded answer's body without chunk framing. */
static struct buf read_answer(const char *path, uint32_t *ret_head)
{
	struct buf raw = {0}, text = {0};
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	raw.len = fread(buf_reserve(&raw, 1 << 22), 1, 1 << 22, f);
	fclose(f);
	const char *head = buf_cstr(&raw), *body = strstr(head, "\r\n\r\n") + 4;
	const char *server = strcasestr(head, "\nserver: ");
	bool chunked = strcasestr(head, "\ntransfer-encoding: chunked");
	struct http_field field = {SPAN("server"), SPAN("")};
	if (server && server < body) {
		field.value = (struct span){server + 9, strcspn(server + 9, "\r")};
	}
	*ret_head = signature_head(&(struct http_head){.fields = &field, .n_fields = 1});
	while (chunked) {
		char *data;
		size_t n = strtoul(body, &data, 16);
		if (n == 0) {
			break;
		}
		buf_append(&text, data + 2, n);
		body = data + 2 + n + 2;
	}
	if (!chunked) {
		buf_append_str(&text, body);
	}
	buf_finish(&raw);
	return text;
}

/* Answers of one engine, to one endpoint, streamed or not. */
static bool are_one_kind(const char *a, const char *b, bool same_engine)
{
	size_t n = (size_t)(strstr(a, "/cut-") - a);
	bool same = strncmp(a, b, n + 1) == 0;
	return same == same_engine && !strstr(a, "-unary-") == !strstr(b, "-unary-") &&
	       !strstr(a, "-chat-") == !strstr(b, "-chat-");
}

Test(signature, recorded_answers_have_one_form_with_and_without_injection_and_engines_have_others)
{
	char *pattern = xasprintf("%s/*/cut-*.response", getenv("GOLDEN_DIR"));
	glob_t found;
	cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
	cr_assert_geq(found.gl_pathc, 48);
	struct signature *all = xcalloc(found.gl_pathc, sizeof(*all));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		uint32_t head;
		const char *path = found.gl_pathv[i];
		struct buf body = read_answer(path, &head);
		cr_assert(signature_of_answer(
		        head, buf_span(&body), !strstr(path, "-unary-"), &all[i]));
		buf_finish(&body);
		for (size_t k = 0; k < i; k++) {
			const char *other = found.gl_pathv[k];
			if (are_one_kind(path, other, true)) {
				cr_expect_eq(all[i].form, all[k].form, "%s %s", path, other);
			} else if (are_one_kind(path, other, false)) {
				cr_expect_neq(all[i].form, all[k].form, "%s %s", path, other);
			}
		}
	}
	free(all);
	globfree(&found);
	free(pattern);
}

/* The copy's memory ends with the text, so that ASan detects a read past the end. */
static void look_at_copy(const char *text)
{
	size_t n = strlen(text);
	char *copy = xmemdup(text, n);
	(void)signature_of_text(0, (struct span){copy, n});
	free(copy);
}

Test(signature, a_document_that_breaks_off_or_is_none_has_one)
{
	static const char TEXT[] =
	        "{ \"choices\": [{\"index\": 0, \"logprobs\": null}], \"id\": 1}";
	char text[sizeof(TEXT)];
	look_at_copy("{\"choices\": bs\": {}}");
	look_at_copy("{\"choices\":[{\"index\": bs\": {}}]}");
	for (size_t n = 0; n < sizeof(TEXT); n++) {
		memcpy(text, TEXT, n);
		text[n] = '\0';
		look_at_copy(text);
	}
}
