/* A scorer's calls to its engine. */
#include "backends/scoring/scorer_parts.h"

#include <string.h>

#include "base/mem.h"

#define GROWTH_FACTOR 3 /* memory of an answer in a growing buffer, as a multiple of its length */

static const char OVER_CONTEXT[] =
        "prompt and answer together are longer than the engine's context";

bool scorer_take_memory(struct scorer *s, size_t n)
{
	s->over_budget = !claim_take(&s->claim, n);
	return !s->over_budget;
}

static bool on_data(void *arg, uint64_t us, const char *data, size_t len)
{
	(void)us;
	(void)data;
	return scorer_take_memory(arg, GROWTH_FACTOR * len);
}

void scorer_call(struct scorer *s, const char *path, struct span body, struct call_answer *ret)
{
	claim_close(&s->claim);
	s->over_budget = false;
	s->too_long = false;
	const struct call call = {
	        .path = path,
	        .body = body,
	        .timeout_ms = s->settings.timeout_ms,
	        .limit = s->settings.answer_limit ? s->settings.answer_limit : SCORER_ANSWER_LIMIT,
	        .on_data = on_data,
	        .arg = s,
	};
	call_do_patiently(s->line, &call, ret);
}

struct reading *scorer_read(const struct call_answer *a)
{
	struct reading_hints hints = {
	        .endpoint = ENDPOINT_COMPLETION,
	        .status = a->status,
	        .framing = FRAMING_UNARY,
	        .limit = SCORER_ANSWER_LIMIT,
	};
	struct reader *r = reader_create(&hints);
	reader_feed(r, a->body.data, a->body.len);
	return reader_end(r, true);
}

/* Some gateways send an engine's error with status 200. */
bool scorer_is_refusal(const struct call_answer *a)
{
	int status = a->status;
	return a->end == CALL_DONE &&
	       (status == 200 || status == 400 || status == 413 || status == 422);
}

/* Whether an engine that refused a request with this error finds its text too long. Whole phrases,
 * since an error may quote the request, and its text may be about contexts. */
static bool is_over_context(const char *error)
{
	static const char *const PHRASES[] = {
	        "maximum context length is",               /* OpenAI, vLLM, llama-cpp-python */
	        "longer than the maximum model length of", /* vLLM, with token ids */
	        "too long to fit into the model",          /* vLLM, formerly */
	        "longer than the model's context length",  /* SGLang */
	        "token count exceeds the model's maximum context length", /* SGLang */
	        "exceed context window of",                               /* llama-cpp-python */
	        "`inputs` tokens + `max_new_tokens` must be <=",          /* TGI */
	        "`inputs` must have less than",                           /* TGI */
	        "tokens; the context holds",                              /* the reference scorer */
	};
	bool found = false;
	for (size_t i = 0; i < ARRAY_LEN(PHRASES); i++) {
		found |= strcasestr(error, PHRASES[i]) != NULL;
	}
	return found;
}

enum question_end scorer_failure(struct scorer *s, const struct call_answer *a, char **ret_why)
{
	if (s->over_budget) {
		*ret_why = xstrdup("memory_limit has no room for the engine's answer");
		return QUESTION_NO_ROOM;
	}
	struct reading *r = a->end == CALL_DONE ? scorer_read(a) : NULL;
	const char *error = r ? r->error : NULL;
	s->too_long = error && scorer_is_refusal(a) && is_over_context(error);
	*ret_why = s->too_long ? xstrdup(OVER_CONTEXT) : call_failure(a, error);
	reading_destroy(r);
	return s->too_long ? QUESTION_UNABLE : question_end_of_call(a->end);
}
