#include <stdio.h>

#include "tests/unit/readings.h"

/*
 * Invalid scores in every form that engines use. The reader marks the member and keeps text,
 * finish and the other tokens.
 */
struct form {
	const char *name;
	bool stream;
	const char *body;   /* $ALL stands for the scores */
	const char *scores; /* of the tokens a and b; $LP: a's number, $TOP: its alternatives */
	const char *row;    /* one alternative, of which %d makes another */
	const char *open, *close; /* around the alternatives */
};

#define CHAT_ENTRIES                                                                               \
	"[{\"token\":\"a\",\"logprob\":$LP,\"bytes\":[97],\"top_logprobs\":$TOP},"                 \
	"{\"token\":\"b\",\"logprob\":-1,\"bytes\":[98],\"top_logprobs\":[]}]"
#define CHAT_ROW "{\"token\":\"t%d\",\"logprob\":-9}"
#define LISTS "{\"tokens\":[\"a\",\"b\"],\"token_logprobs\":[$LP,-1],\"top_logprobs\":[$TOP,null]}"
#define META                                                                                       \
	"\"output_token_logprobs\":[[$LP,1,\"a\"],[-1,2,\"b\"]],\"output_top_logprobs\":[$TOP,[]]"
#define TGI_TOKEN(text, lp) "{\"id\":1,\"text\":\"" text "\",\"logprob\":" lp ",\"special\":false}"
#define TGI_ROW "{\"id\":%d,\"text\":\"t\",\"logprob\":-9}"

static const struct form forms[] = {
        {"chat", false, CHOICE("\"message\":{\"content\":\"ab\"},\"logprobs\":{\"content\":$ALL}"),
                CHAT_ENTRIES, CHAT_ROW, "[", "]"},
        {"chat stream", true,
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"},\"logprobs\":{"
                "\"content\":$ALL},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                CHAT_ENTRIES, CHAT_ROW, "[", "]"},
        {"completion", false, CHOICE("\"text\":\"ab\",\"logprobs\":$ALL"), LISTS, "\"t%d\":-9", "{",
                "}"},
        {"completion stream", true,
                "data: {\"choices\":[{\"index\":0,\"text\":\"ab\",\"logprobs\":$ALL,"
                "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                LISTS, "\"t%d\":-9", "{", "}"},
        {"responses", false,
                "{\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":"
                "\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ab\","
                "\"logprobs\":$ALL}]}]}",
                CHAT_ENTRIES, CHAT_ROW, "[", "]"},
        {"llama.cpp", false,
                "{\"content\":\"ab\",\"stop\":true,\"stop_type\":\"eos\","
                "\"completion_probabilities\":$ALL}",
                CHAT_ENTRIES, CHAT_ROW, "[", "]"},
        {"old llama.cpp", false,
                "{\"content\":\"ab\",\"stop\":true,\"stopped_eos\":true,"
                "\"completion_probabilities\":$ALL}",
                "[{\"content\":\"a\",\"logprob\":$LP,\"probs\":$TOP},{\"content\":\"b\","
                "\"logprob\":-1,\"probs\":[]}]",
                "{\"tok_str\":\"t%d\",\"prob\":0.1}", "[", "]"},
        {"sglang", false,
                "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"},$ALL}}",
                META, "[-9,%d,\"t\"]", "[", "]"},
        {"sglang chat", false, CHOICE("\"message\":{\"content\":\"ab\"},\"meta_info\":{$ALL}"),
                META, "[-9,%d,\"t\"]", "[", "]"},
        {"tgi", false, "{\"generated_text\":\"ab\",\"details\":{\"finish_reason\":\"stop\",$ALL}}",
                "\"tokens\":[" TGI_TOKEN("a", "$LP") "," TGI_TOKEN(
                        "b", "-1") "],\"top_tokens\":[$TOP,[]]",
                TGI_ROW, "[", "]"},
        {"tgi stream", true,
                "data: {$ALL,\"generated_text\":null}\n\n"
                "data: {\"token\":" TGI_TOKEN("b", "-1") ",\"top_tokens\":[],"
                                                         "\"generated_text\":\"ab\",\"details\":{"
                                                         "\"finish_reason\":\"stop\"}}\n\n",
                "\"token\":" TGI_TOKEN("a", "$LP") ",\"top_tokens\":$TOP", TGI_ROW, "[", "]"},
        {"ollama", false,
                "{\"message\":{\"content\":\"ab\"},\"done\":true,\"done_reason\":\"stop\","
                "\"logprobs\":$ALL}",
                CHAT_ENTRIES, CHAT_ROW, "[", "]"},
};

static void replace(struct buf *text, const char *what, struct span by)
{
	struct buf out = {0};
	const char *at = buf_cstr(text), *found;
	while ((found = strstr(at, what))) {
		buf_append(&out, at, (size_t)(found - at));
		buf_append_span(&out, by);
		at = found + strlen(what);
	}
	buf_append_str(&out, at);
	buf_finish(text);
	*text = out;
}

static struct reading *read_form(const struct form *f, const char *lp, struct span top)
{
	struct buf body = {0};
	buf_append_str(&body, f->body);
	replace(&body, "$ALL", span_of(f->scores));
	replace(&body, "$LP", span_of(lp));
	replace(&body, "$TOP", top);
	struct reading *r = f->stream ? read_stream(buf_cstr(&body)) : read_body(buf_cstr(&body));
	buf_finish(&body);
	return r;
}

/* Checks text, finish, and b's score. */
static void expect_rest(const struct form *f, const char *with, const struct reading *r)
{
	cr_assert_eq(r->n_choices, 1, "%s: %s", f->name, with);
	const struct choice *c = &r->choices[0];
	assert_text(&c->text, "ab");
	cr_assert_not_null(c->finish, "%s: %s", f->name, with);
	cr_assert_str_eq(c->finish, "stop", "%s: %s", f->name, with);
	cr_assert(c->has_columns && c->columns.n >= 1, "%s: %s", f->name, with);
	const struct columns *t = &c->columns;
	cr_assert(span_is(columns_token(t, t->n - 1), "b"), "%s: %s", f->name, with);
	cr_assert_eq(t->lp[t->n - 1], -1, "%s: %s", f->name, with);
}

static void put_rows(struct buf *to, const struct form *f, int n)
{
	buf_append_str(to, f->open);
	for (int i = 0; i < n; i++) {
		char row[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(row, sizeof(row), f->row, i);
#pragma GCC diagnostic pop
		buf_printf(to, "%s%s", i ? "," : "", row);
	}
	buf_append_str(to, f->close);
}

Test(malformed, numbers_that_are_none_are_missing_in_every_form)
{
	static const char *const odd[] = {"NaN", "Infinity", "-Infinity", "null", "-9999", "1e999",
	        "-3.4028234663852886e+38", "\"-1\"", "true", "[-1]", "{\"a\":[1]}"};
	for (size_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(odd); i++) {
		const struct form *f = &forms[i / ARRAY_LEN(odd)];
		const char *lp = odd[i % ARRAY_LEN(odd)];
		struct buf top = {0};
		put_rows(&top, f, 2);
		struct reading *r = read_form(f, lp, buf_span(&top));
		expect_rest(f, lp, r);
		const struct columns *t = &r->choices[0].columns;
		cr_assert_eq(t->n, 2, "%s: %s", f->name, lp);
		cr_assert(isnan(t->lp[0]) && (t->flags[0] & TOKEN_MISSING), "%s: %s", f->name, lp);
		assert_token(t, 0, "a");
		cr_assert_eq(t->top_end[0], 2, "%s: %s", f->name, lp);
		bool nonsense = strchr("\"t[{", *lp);
		cr_assert_eq((r->marks & READING_MALFORMED_LOGPROBS) != 0, nonsense, "%s: %s",
		        f->name, lp);
		cr_assert(r->marks & READING_NON_FINITE, "%s: %s", f->name, lp);
		reading_destroy(r);
		buf_finish(&top);
	}
}

Test(malformed, alternatives_of_another_kind_are_left_out_in_every_form)
{
	static const char *const odd[] = {"7", "\"x\"", "true", "[7]", "[\"x\"]", "[[[[]]]]",
	        "{\"a\":{\"b\":[1]}}",
	        "[{}"
	        ",7]"};
	for (size_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(odd); i++) {
		const struct form *f = &forms[i / ARRAY_LEN(odd)];
		const char *top = odd[i % ARRAY_LEN(odd)];
		struct reading *r = read_form(f, "-2", span_of(top));
		expect_rest(f, top, r);
		const struct columns *t = &r->choices[0].columns;
		cr_assert(t->n == 2 && t->lp[0] == -2, "%s: %s", f->name, top);
		for (uint32_t row = 0; row < t->top_end[1]; row++) {
			cr_assert(isnan(t->top_lp[row]), "%s: %s", f->name, top);
		}
		cr_assert(r->marks & READING_MALFORMED_LOGPROBS, "%s: %s", f->name, top);
		reading_destroy(r);
	}
}

Test(malformed, megabytes_of_alternatives_are_cut_in_every_form)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const struct form *f = &forms[i];
		struct buf top = {0};
		put_rows(&top, f, 100000);
		struct reading *r = read_form(f, "-2", buf_span(&top));
		expect_rest(f, "100000", r);
		const struct columns *t = &r->choices[0].columns;
		cr_assert(t->n == 2 && t->lp[0] == -2, "%s", f->name);
		cr_assert_eq(t->top_end[1], READING_TOP_LIMIT, "%s", f->name);
		cr_assert(r->marks & READING_TOO_LARGE, "%s", f->name);
		reading_destroy(r);
		buf_finish(&top);
	}
}

/* The scores have another type as a whole. */
Test(malformed, scores_of_another_kind_are_marked_in_every_form)
{
	static const struct {
		const char *name, *body; /* $ALL in place of the scores themselves */
	} places[] = {
	        {"chat", CHOICE("\"message\":{\"content\":\"ab\"},\"logprobs\":$ALL")},
	        {"chat content",
	                CHOICE("\"message\":{\"content\":\"ab\"},\"logprobs\":{\"content\":$ALL}")},
	        {"tokens", CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":$ALL,"
	                          "\"token_logprobs\":[-1]}")},
	        {"token_logprobs", CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":[\"ab\"],"
	                                  "\"token_logprobs\":$ALL}")},
	        {"top_logprobs", CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":[\"ab\"],"
	                                "\"token_logprobs\":[-1],\"top_logprobs\":$ALL}")},
	        {"llama.cpp", "{\"content\":\"ab\",\"stop\":true,\"stop_type\":\"eos\","
	                      "\"completion_probabilities\":$ALL}"},
	        {"sglang", "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"},"
	                   "\"output_token_logprobs\":$ALL}}"},
	        {"sglang tops", "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":{\"type\":"
	                        "\"stop\"},\"output_token_logprobs\":[[-1,1,\"ab\"]],"
	                        "\"output_top_logprobs\":$ALL}}"},
	        {"sglang chat", CHOICE("\"message\":{\"content\":\"ab\"},\"meta_info\":{"
	                               "\"output_token_logprobs\":$ALL}")},
	        {"tgi", "{\"generated_text\":\"ab\",\"details\":{\"finish_reason\":\"stop\","
	                "\"tokens\":$ALL}}"},
	        {"tgi tops", "{\"generated_text\":\"ab\",\"details\":{\"finish_reason\":\"stop\","
	                     "\"tokens\":[{\"id\":1,\"text\":\"ab\",\"logprob\":-1}],"
	                     "\"top_tokens\":$ALL}}"},
	        {"ollama", "{\"message\":{\"content\":\"ab\"},\"done\":true,\"done_reason\":"
	                   "\"stop\",\"logprobs\":$ALL}"},
	};
	static const char *const odd[] = {"7", "\"x\"", "true"};
	for (size_t i = 0; i < ARRAY_LEN(places) * ARRAY_LEN(odd); i++) {
		const char *name = places[i / ARRAY_LEN(odd)].name, *all = odd[i % ARRAY_LEN(odd)];
		struct buf body = {0};
		buf_append_str(&body, places[i / ARRAY_LEN(odd)].body);
		replace(&body, "$ALL", span_of(all));
		struct reading *r = read_body(buf_cstr(&body));
		cr_expect_eq(r->n_choices, 1, "%s: %s", name, all);
		assert_text(&r->choices[0].text, "ab");
		cr_expect_str_eq(r->choices[0].finish, "stop", "%s: %s", name, all);
		cr_expect(r->marks & READING_MALFORMED_LOGPROBS, "%s: %s", name, all);
		reading_destroy(r);
		buf_finish(&body);
	}
}
