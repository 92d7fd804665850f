#include "answers/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "answers/json_key.h"
#include "answers/request_member.h"
#include "base/ascii.h"
#include "base/enum_names.h"

/* Members that are evaluated together after the whole body was read, since the last of duplicate
 * members is used. */
struct parsed {
	bool logprobs;           /* not null, not false */
	int64_t logprobs_number; /* -1: not a number */
	bool top_logprobs;
	int64_t top_logprobs_number;
	bool n_probs, scores; /* native forms of both */
	int64_t native_top;   /* -1: not a number */
	int64_t max_tokens, max_completion_tokens;
	bool background, store, previous, conversation;
	bool greedy;     /* do_sample: false */
	bool has_stream; /* stream: true or false */
	bool has_model;
};

const char *const PENALTY_NAMES[] = {[PENALTY_REPETITION] = "repetition_penalty",
        [PENALTY_REPEAT] = "repeat_penalty",
        [PENALTY_REP_PEN] = "rep_pen",
        [N_PENALTY_NAMES] = NULL};

enum penalty_name penalty_name_of(const char *name)
{
	enum penalty_name p = 0;
	while (p < N_PENALTY_NAMES && strcmp(PENALTY_NAMES[p], name) != 0) {
		p++;
	}
	return p;
}

static double number_or_nan(const struct json_token *t)
{
	return t->type == JSON_TOKEN_NUMBER ? json_token_number(t) : NAN;
}

/* Returns a whole number, also one written as 16.0 or 1e3; else the fallback. */
static int64_t whole_or(const struct json_token *t, int64_t fallback)
{
	int64_t n;
	if (t->type != JSON_TOKEN_NUMBER) {
		return fallback;
	}
	if (json_token_integer(t, &n)) {
		return n;
	}
	double d = json_token_number(t);
	return d == floor(d) && fabs(d) < 9007199254740992.0 ? (int64_t)d : fallback;
}

/* Reads a seed. Seeds have up to 64 bits unsigned; the upper half is stored as the negative
 * number with the same bits. */
static bool read_seed(const struct json_token *t, int64_t *ret)
{
	if (t->type != JSON_TOKEN_NUMBER) {
		return false;
	}
	if (json_token_integer(t, ret)) {
		return true;
	}
	char digits[24] = "";
	if (t->len < sizeof(digits)) {
		memcpy(digits, t->start, t->len); /* the body does not end with a NUL */
	}
	if (digits[0] && strspn(digits, "0123456789") == t->len) {
		errno = 0;
		uint64_t n = strtoull(digits, NULL, 10);
		memcpy(ret, &n, sizeof(n));
		return errno == 0;
	}
	double d = json_token_number(t);
	if (d == floor(d) && fabs(d) < 9007199254740992.0) {
		*ret = (int64_t)d;
		return true;
	}
	return false;
}

/* Copies a text, truncated to size. Returns whether it is a non-empty text that was copied
 * completely. */
static bool copy_cut(const struct json_token *t, char *to, size_t size)
{
	to[0] = '\0';
	if (t->type != JSON_TOKEN_STRING) {
		return false;
	}
	struct buf unescaped = {0};
	struct span s = json_token_raw(t);
	if (t->escaped) {
		json_token_unescape(t, &unescaped);
		s = buf_span(&unescaped);
	}
	size_t n = utf8_cut(s, size - 1).len;
	if (n) {
		memcpy(to, s.data, n);
	}
	to[n] = '\0';
	bool whole = n && n == s.len && strlen(to) == n;
	buf_finish(&unescaped);
	return whole;
}

static void read_stream_options(
        struct json *j, const struct json_token *value, struct request_facts *ret)
{
	ret->has_stream_options = true;
	ret->include_usage = false;
	if (value->type != JSON_TOKEN_OBJECT) {
		json_skip(j, value);
		return;
	}
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "include_usage")) {
			ret->include_usage = v.type == JSON_TOKEN_TRUE;
		}
		json_skip(j, &v);
	}
}

/* Skips an array and returns its number of elements. Any other value counts as 0. */
static uint32_t count_elements(struct json *j, const struct json_token *value)
{
	uint32_t n = 0;
	if (value->type != JSON_TOKEN_ARRAY) {
		json_skip(j, value);
		return 0;
	}
	struct json_token t;
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		json_skip(j, &t);
		n++;
	}
	return n;
}

/* Responses' "include": does it name the logprobs? */
static bool includes_logprobs(struct json *j, const struct json_token *value)
{
	bool found = false;
	if (value->type != JSON_TOKEN_ARRAY) {
		json_skip(j, value);
		return false;
	}
	struct json_token t;
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		found |= json_token_is_string(&t, "message.output_text.logprobs");
		json_skip(j, &t);
	}
	return found;
}

static bool is_set(const struct json_token *t)
{
	return t->type != JSON_TOKEN_NULL && t->type != JSON_TOKEN_FALSE;
}

/* Where the facts have the value of a member that is a number; 0: it is no such member. */
#define AT(member) offsetof(struct request_facts, member)
static const size_t NUMBERS[N_REQUEST_MEMBERS] = {
        [REQUEST_FREQUENCY_PENALTY] = AT(frequency_penalty),
        [REQUEST_MIN_P] = AT(min_p),
        [REQUEST_PRESENCE_PENALTY] = AT(presence_penalty),
        [REQUEST_REPEAT_PENALTY] = AT(penalties[PENALTY_REPEAT]),
        [REQUEST_REPETITION_PENALTY] = AT(penalties[PENALTY_REPETITION]),
        [REQUEST_REP_PEN] = AT(penalties[PENALTY_REP_PEN]),
        [REQUEST_TEMPERATURE] = AT(temperature),
        [REQUEST_TOP_K] = AT(top_k),
        [REQUEST_TOP_P] = AT(top_p),
};

/* Reads a member whose value is one token; the caller skips the rest of any other value. */
static void read_scalar(enum request_member m, const struct json_token *v, struct parsed *parsed,
        struct request_facts *ret)
{
	if (NUMBERS[m]) {
		*(double *)((char *)ret + NUMBERS[m]) = number_or_nan(v);
		return;
	}
	switch (m) {
	case REQUEST_SEED:
		ret->has_seed = read_seed(v, &ret->seed);
		break;
	case REQUEST_N:
		ret->n = whole_or(v, 1);
		break;
	case REQUEST_MAX_TOKENS:
		parsed->max_tokens = whole_or(v, -1);
		break;
	case REQUEST_MAX_COMPLETION_TOKENS:
	case REQUEST_MAX_OUTPUT_TOKENS:
	case REQUEST_MAX_NEW_TOKENS:
	case REQUEST_NUM_PREDICT:
	case REQUEST_N_PREDICT:
		parsed->max_completion_tokens = whole_or(v, -1);
		break;
	case REQUEST_LOGPROBS:
		parsed->logprobs = is_set(v);
		parsed->logprobs_number = whole_or(v, -1);
		break;
	case REQUEST_TOP_LOGPROBS:
		parsed->top_logprobs = is_set(v);
		parsed->top_logprobs_number = whole_or(v, -1);
		break;
	case REQUEST_N_PROBS:
		parsed->n_probs = whole_or(v, 0) > 0;
		parsed->native_top = whole_or(v, -1);
		break;
	case REQUEST_TOP_LOGPROBS_NUM:
	case REQUEST_TOP_N_TOKENS:
		parsed->native_top = whole_or(v, -1);
		break;
	case REQUEST_DETAILS:
	case REQUEST_RETURN_LOGPROB:
		parsed->scores = v->type == JSON_TOKEN_TRUE;
		break;
	case REQUEST_RETURN_PROMPT_TOKEN_IDS:
	case REQUEST_RETURN_TOKEN_IDS:
		ret->has_token_ids |= is_set(v);
		break;
	case REQUEST_DO_SAMPLE:
		parsed->greedy = v->type == JSON_TOKEN_FALSE;
		break;
	case REQUEST_CONVERSATION:
		parsed->conversation = is_set(v);
		break;
	case REQUEST_BACKGROUND:
		parsed->background = v->type == JSON_TOKEN_TRUE;
		break;
	case REQUEST_STORE:
		parsed->store = v->type == JSON_TOKEN_TRUE;
		break;
	case REQUEST_PREVIOUS_RESPONSE_ID:
		parsed->previous = is_set(v);
		break;
	default:
		break;
	}
}

/* Ollama's options, SGLang's sampling_params, TGI's parameters. */
static void read_options(struct json *j, const struct json_token *value, enum endpoint endpoint,
        struct parsed *parsed, struct request_facts *ret)
{
	if (value->type != JSON_TOKEN_OBJECT || !endpoint_is_native(endpoint)) {
		json_skip(j, value);
		return;
	}
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		enum request_member m = request_member_of(&t);
		if (m < N_REQUEST_MEMBERS) {
			read_scalar(m, &v, parsed, ret);
		}
		json_skip(j, &v);
	}
}

/* Members whose value is more than one token. False: not one of them. */
static bool read_composite(struct json *j, enum request_member m, const struct json_token *v,
        enum endpoint endpoint, struct parsed *parsed, struct request_facts *ret)
{
	switch (m) {
	case REQUEST_STREAM_OPTIONS:
		read_stream_options(j, v, ret);
		return true;
	case REQUEST_TOOLS:
		ret->offered = (struct offered){0};
		ret->has_tools = offered_read(&ret->offered, j, v) > 0;
		return true;
	case REQUEST_MESSAGES:
		ret->n_messages = count_elements(j, v);
		return true;
	case REQUEST_INPUT:
		if (endpoint != ENDPOINT_RESPONSES) {
			return false;
		}
		ret->n_messages = count_elements(j, v);
		return true;
	case REQUEST_INCLUDE:
		parsed->scores = includes_logprobs(j, v) && endpoint == ENDPOINT_RESPONSES;
		return true;
	case REQUEST_OPTIONS:
	case REQUEST_PARAMETERS:
	case REQUEST_SAMPLING_PARAMS:
		read_options(j, v, endpoint, parsed, ret);
		return true;
	default:
		return false;
	}
}

static void read_member(struct json *j, enum request_member m, enum endpoint endpoint,
        struct parsed *parsed, struct request_facts *ret)
{
	struct json_token v = json_next(j);
	if (m == REQUEST_MODEL) {
		bool whole = copy_cut(&v, ret->model, sizeof(ret->model));
		ret->model_is_whole = whole && !parsed->has_model;
		parsed->has_model = true;
	} else if (m == REQUEST_STREAM) {
		ret->stream = v.type == JSON_TOKEN_TRUE;
		parsed->has_stream = is_set(&v) || v.type == JSON_TOKEN_FALSE;
	} else if (m < N_REQUEST_MEMBERS && request_member_is_known(m, endpoint)) {
		if (read_composite(j, m, &v, endpoint, parsed, ret)) {
			return;
		}
		read_scalar(m, &v, parsed, ret);
	}
	json_skip(j, &v);
}

static void derive_facts(
        enum endpoint endpoint, const struct parsed *parsed, struct request_facts *ret)
{
	ret->has_logprobs =
	        parsed->logprobs || parsed->top_logprobs || parsed->n_probs || parsed->scores;
	ret->top_logprobs = parsed->top_logprobs_number;
	if (endpoint_is_native(endpoint) && ret->top_logprobs < 0) {
		ret->top_logprobs = parsed->native_top;
	}
	if (endpoint == ENDPOINT_COMPLETION && parsed->logprobs_number >= 0) {
		ret->top_logprobs = parsed->logprobs_number;
	}
	ret->max_tokens = parsed->max_completion_tokens >= 0 ? parsed->max_completion_tokens
	                                                     : parsed->max_tokens;
	for (size_t p = N_PENALTY_NAMES; p-- > 0;) { /* the first name counts */
		if (!isnan(ret->penalties[p])) {
			ret->repetition_penalty = ret->penalties[p];
			ret->penalty_names |= 1u << p;
		}
	}
	ret->stateful =
	        parsed->background || parsed->store || parsed->previous || parsed->conversation;
	if (parsed->greedy) {
		ret->temperature = 0;
	}
	if (endpoint == ENDPOINT_NATIVE_CHAT && !parsed->has_stream) {
		ret->stream = true; /* Ollama's default */
	}
}

void request_read(enum endpoint endpoint, struct span body, struct request_facts *ret)
{
	const struct request_facts unset = {
	        .top_logprobs = -1,
	        .temperature = NAN,
	        .top_p = NAN,
	        .top_k = NAN,
	        .min_p = NAN,
	        .presence_penalty = NAN,
	        .frequency_penalty = NAN,
	        .repetition_penalty = NAN,
	        .penalties = {NAN, NAN, NAN},
	        .n = 1,
	        .max_tokens = -1,
	};
	_Static_assert(ARRAY_LEN(unset.penalties) == 3, "each is NaN");
	struct parsed parsed = {
	        .logprobs_number = -1,
	        .top_logprobs_number = -1,
	        .native_top = -1,
	        .max_tokens = -1,
	        .max_completion_tokens = -1,
	};
	*ret = unset;

	struct json j;
	struct json_token t = json_begin_lenient(&j, body);
	if (t.type != JSON_TOKEN_OBJECT) {
		return;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		read_member(&j, request_member_of(&t), endpoint, &parsed, ret);
	}
	if (t.type != JSON_TOKEN_OBJECT_END || json_next(&j).type != JSON_TOKEN_END) {
		*ret = unset;
		return;
	}
	ret->is_json = true;
	derive_facts(endpoint, &parsed, ret);
}

/* Matched against the end of the path; the first match counts. */
static const struct {
	const char *suffix;
	enum endpoint endpoint;
} routes[] = {
        {"/chat/completions", ENDPOINT_CHAT},
        {"/completions", ENDPOINT_COMPLETION},
        {"/responses", ENDPOINT_RESPONSES},
        {"/embeddings", ENDPOINT_EMBEDDING},
        {"/api/embed", ENDPOINT_EMBEDDING},
        {"/v1/messages", ENDPOINT_MESSAGES},
        {"/api/chat", ENDPOINT_NATIVE_CHAT},
        {"/api/generate", ENDPOINT_NATIVE_GENERATE},
        {"/completion", ENDPOINT_NATIVE_GENERATE},
        {"/generate", ENDPOINT_NATIVE_GENERATE},
        {"/generate_stream", ENDPOINT_NATIVE_GENERATE},
};

enum endpoint endpoint_of(struct span method, struct span target)
{
	if (!span_is(method, "POST")) {
		return ENDPOINT_OTHER;
	}
	const char *query = target.len ? memchr(target.data, '?', target.len) : NULL;
	struct span path = {target.data, query ? (size_t)(query - target.data) : target.len};
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		if (span_ends(path, routes[i].suffix)) {
			return routes[i].endpoint;
		}
	}
	return ENDPOINT_OTHER;
}

bool endpoint_is_openai(enum endpoint e)
{
	return e == ENDPOINT_CHAT || e == ENDPOINT_COMPLETION;
}

ENUM_NAMES(endpoint_name, enum endpoint, [ENDPOINT_OTHER] = "other", [ENDPOINT_CHAT] = "chat",
        [ENDPOINT_COMPLETION] = "completion", [ENDPOINT_RESPONSES] = "responses",
        [ENDPOINT_EMBEDDING] = "embedding", [ENDPOINT_MESSAGES] = "messages",
        [ENDPOINT_NATIVE_CHAT] = "native chat", [ENDPOINT_NATIVE_GENERATE] = "native generate");
