#include "analyzer/rows/draws_request.h"

#include <string.h>

#include "base/json.h"

/* Which values of a member of the request count. */
enum value { VALUE_ANY, VALUE_ABOVE_0, VALUE_ABOVE_1, VALUE_NOT_1, VALUE_FORMAT, VALUE_FORCED };

static const struct {
	const char *name;
	enum value value;
	enum draws_exclusion excludes;
} MEMBERS[] = {
        {"response_format", VALUE_FORMAT, DRAWS_RESPONSE_FORMAT},
        {"format", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"grammar", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"json_schema", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"guided_json", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"guided_regex", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"guided_choice", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"guided_grammar", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"structured_outputs", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"regex", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"ebnf", VALUE_ANY, DRAWS_RESPONSE_FORMAT},
        {"tool_choice", VALUE_FORCED, DRAWS_TOOLS},
        {"logit_bias", VALUE_ANY, DRAWS_LOGIT_BIAS},
        {"bad_words", VALUE_ANY, DRAWS_LOGIT_BIAS},
        {"allowed_token_ids", VALUE_ANY, DRAWS_LOGIT_BIAS},
        {"ignore_eos", VALUE_ANY, DRAWS_MIN_TOKENS},
        {"min_tokens", VALUE_ABOVE_0, DRAWS_MIN_TOKENS},
        {"min_new_tokens", VALUE_ABOVE_0, DRAWS_MIN_TOKENS},
        {"use_beam_search", VALUE_ANY, DRAWS_BEAMS},
        {"best_of", VALUE_ABOVE_1, DRAWS_BEAMS},
        {"typical_p", VALUE_NOT_1, DRAWS_OTHER_SAMPLER},
        {"tfs_z", VALUE_NOT_1, DRAWS_OTHER_SAMPLER},
        {"mirostat", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"mirostat_mode", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"xtc_probability", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"dry_multiplier", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"dynatemp_range", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"top_n_sigma", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"repetition_ngram_size", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
        {"no_repeat_ngram_size", VALUE_ABOVE_0, DRAWS_OTHER_SAMPLER},
};

static bool is_set(const struct json_token *t, struct span raw)
{
	bool empty = t->type == JSON_TOKEN_NULL || t->type == JSON_TOKEN_FALSE ||
	             (t->type == JSON_TOKEN_STRING && t->len <= 2) || raw.len <= 2;
	return !empty;
}

static bool counts(enum value wanted, const struct json_token *t, struct span raw)
{
	static const char *const TYPE[] = {"type"};
	struct json_token type;
	double number = t->type == JSON_TOKEN_NUMBER ? json_token_number(t) : 0;
	switch (wanted) {
	case VALUE_ANY:
		return is_set(t, raw);
	case VALUE_ABOVE_0:
		return number > 0;
	case VALUE_ABOVE_1:
		return number > 1;
	case VALUE_NOT_1:
		return t->type == JSON_TOKEN_NUMBER && number != 1;
	case VALUE_FORMAT:
		return t->type == JSON_TOKEN_OBJECT && !(json_find(raw, TYPE, 1, &type, NULL) &&
		                                               json_token_is_string(&type, "text"));
	default:
		return t->type == JSON_TOKEN_OBJECT ||
		       (t->type == JSON_TOKEN_STRING && !json_token_is_string(t, "auto") &&
		               !json_token_is_string(t, "none"));
	}
}

enum draws_exclusion draws_request_read(struct span body)
{
	for (size_t i = 0; i < sizeof(MEMBERS) / sizeof(MEMBERS[0]); i++) {
		const char *name = MEMBERS[i].name;
		const char *const paths[][2] = {{name, NULL}, {"options", name}};
		for (size_t k = 0; k < 2 && body.len > 0; k++) {
			struct json_token t;
			struct span raw;
			if (memmem(body.data, body.len, name, strlen(name)) &&
			        json_find(body, paths[k], k + 1, &t, &raw) &&
			        counts(MEMBERS[i].value, &t, raw)) {
				return MEMBERS[i].excludes;
			}
		}
	}
	return DRAWS_COUNTS;
}
