/* Tests how logprobs show tokens: as texts or pieces, with or without ids and bytes, and whether
 * they are the tokens of the text. */
#include "backends/probe/probing.h"

#include <string.h>

#include "backends/json_path.h"

#define EMOJI "Emoji: \xf0\x9f\x98\x80 \xf0\x9f\x98\x83 \xf0\x9f\x98\x84 \xf0\x9f\x98\x81"

/* Engines make errors at characters that consist of several tokens. */
static void ask_emoji(struct probing *p, enum endpoint e)
{
	struct reply t;
	/* Only its observations matter; the answer itself shows nothing else. */
	probing_ask(p,
	        &(struct question){.endpoint = e,
	                .text = EMOJI,
	                .members = "\"max_tokens\":8,\"temperature\":0",
	                .top = PROBE_TOP,
	                .greedy = true},
	        &t);
	reply_finish(&t);
}

/* Whether the answer has token ids beside the logprobs, as vLLM and SGLang give them on request. */
static bool has_ids(struct span body)
{
	static const char *const paths[] = {"choices.0.token_ids.0", "choices.0.output_ids.0",
	        "choices.0.meta_info.output_ids.0"};
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct span found = json_path_find(body, paths[i]);
		if (found.len && !span_is(found, "null")) {
			return true;
		}
	}
	return false;
}

static void ask_ids(struct probing *p, enum endpoint e)
{
	const struct observations *s = &p->observed;
	if (s->ids || s->by_id) {
		probing_capability(p, "tokens.ids", STANDING_HONOURED,
		        s->by_id ? "in place of texts" : "beside each token",
		        probing_text(p, "%u answers with logprobs", s->answers));
		return;
	}
	const char *words = p->dialect->ask_ids ? probing_members(p, p->dialect->ask_ids, PROBE_TOP)
	                                        : "\"return_token_ids\":true";
	const char *members = probing_text(p, "\"max_tokens\":1,\"temperature\":0,%s", words);
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = e, .text = probing_any_text(e), .members = members},
	        &t);
	bool found = good && has_ids(buf_span(&t.answer.body));
	probing_capability(p, "tokens.ids", found ? STANDING_HONOURED : STANDING_ABSENT,
	        found ? probing_text(p, "when asked (%s)", words) : NULL,
	        reply_evidence_with(&t, "%s", found ? "with ids" : "no ids"));
	reply_finish(&t);
}

static void report_strings(struct probing *p)
{
	const struct observations *s = &p->observed;
	const char *evidence = probing_text(p, "%u tokens of %u answers", s->tokens, s->answers);
	if (s->pieces) {
		probing_capability(p, "tokens.strings", STANDING_WRONG, "pieces", evidence);
		probing_finding(p, "tokens.pieces", SEVERITY_WARNING,
		        "Token strings are the vocabulary's pieces, not texts",
		        probing_text(
		                p, "%s, \"\xe2\x96\x81\" or \"\xc4\xa0\" for a space", evidence),
		        "plumbline converts them where the text allows it; do not compare them "
		        "unconverted.");
	} else {
		probing_capability(p, "tokens.strings", STANDING_HONOURED,
		        s->by_id ? "token_id:N" : "text", evidence);
	}
	probing_capability(p, "tokens.bytes", s->bytes ? STANDING_HONOURED : STANDING_ABSENT,
	        s->bytes        ? NULL
	        : s->bytes_null ? "null"
	                        : "not there",
	        evidence);
}

static void report_spelling(struct probing *p)
{
	const struct observations *s = &p->observed;
	if (!s->misspelt) {
		probing_capability(p, "tokens.spell", STANDING_HONOURED, NULL,
		        probing_text(
		                p, "the tokens of %u answers join to their texts", s->answers));
		return;
	}
	probing_capability(p, "tokens.spell", STANDING_WRONG,
	        probing_text(p, "not in %u of %u answers", s->misspelt, s->answers),
	        probing_text(p, "%s -> tokens that do not join to the text", s->misspelt_example));
	probing_finding(p, "tokens.misspell", SEVERITY_FAULT,
	        probing_text(p,
	                "The tokens of the logprobs do not spell the text in %u of %u answers",
	                s->misspelt, s->answers),
	        probing_text(p, "%s -> tokens that do not join to the text", s->misspelt_example),
	        "plumbline compares such answers by text, and does not use their logprobs.");
}

static void report_chosen(struct probing *p)
{
	const struct observations *s = &p->observed;
	if (!s->misnamed) {
		probing_capability(p, "tokens.chosen", STANDING_HONOURED, NULL,
		        probing_text(p, "%u tokens are those of the texts", s->tokens));
		return;
	}
	const char *example = probing_text(p, "%s", s->misnamed_example ? s->misnamed_example : "");
	probing_capability(p, "tokens.chosen", STANDING_WRONG,
	        probing_text(p, "wrong at %u of %u", s->misnamed, s->tokens), example);
	probing_finding(p, "tokens.misnamed", SEVERITY_FAULT,
	        probing_text(p,
	                "The logprobs name another token than the one in the text at %u of %u "
	                "tokens",
	                s->misnamed, s->tokens),
	        example,
	        "Their logprobs are those of other tokens. plumbline takes the right one from the "
	        "list of alternatives if it is there; else it counts as missing.");
}

void probe_tokens(struct probing *p)
{
	enum endpoint e = p->logprobs[ENDPOINT_COMPLETION] ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
	if (!p->logprobs[e]) {
		ask_ids(p, probing_route(p));
		return;
	}
	ask_emoji(p, e);
	ask_ids(p, e);
	report_strings(p);
	report_spelling(p);
	report_chosen(p);
}
