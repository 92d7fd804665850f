#include "backends/engine/fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/engine_request.h"
#include "base/conf.h"
#include "base/did_you_mean.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/rng.h"

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_DURATION, VALUE_BYTES, VALUE_WORD };

#define WORDS_MAX 4

struct row {
	const char *name;
	enum value_kind kind;
	const char *fallback; /* default value; NULL: a value is required */
	const char *help;
	/* Hooks that apply the fault. fault.h lists where a row without a hook takes effect. */
	void (*on_request)(double value, struct engine_request *request);
	void (*on_state)(double value, struct language_state *state);
	const char *words[WORDS_MAX + 1]; /* words of a VALUE_WORD, by number */
	/* The sampling parameter that the fault sets, if it is one of them. */
	struct {
		bool used;
		size_t place;    /* a double of struct token_sampler_rules */
		double replaced; /* the only value that is replaced; NAN: any */
	} parameter;
};

#define PARAMETER(member, replaced)                                                                \
	.parameter = {true, offsetof(struct token_sampler_rules, member), replaced}

static void top_k(double value, struct engine_request *request)
{
	request->sampling.top_k = (int64_t)value;
}

static void cuts(double value, struct engine_request *request)
{
	request->sampling.cuts_first = value == FAULT_CUTS_BEFORE;
}

static void fixed_seed(double value, struct engine_request *request)
{
	if (!request->sampling.has_seed) {
		request->sampling.seed = (uint64_t)value;
		request->sampling.has_seed = true;
	}
}

/* Seeds the request with its own hash: equal requests get equal tokens, as if the first answer
 * were cached. */
static void answer_cache(double value, struct engine_request *request)
{
	request->sampling.seed = engine_request_hash(request);
	request->sampling.has_seed = true;
}

static void bos(double value, struct engine_request *request)
{
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		struct tokens *t = &request->prompts[i];
		if (t->n == 0 || t->items[0] != TOKEN_BOS) {
			continue;
		}
		if (value == FAULT_BOS_DOUBLE) {
			tokens_push(t, TOKEN_BOS);
			memmove(t->items + 1, t->items, (t->n - 1) * sizeof(*t->items));
			t->items[0] = TOKEN_BOS;
		} else {
			memmove(t->items, t->items + 1, --t->n * sizeof(*t->items));
		}
	}
}

/* Omits the system message with its marks, as templates without system messages do. */
static void drop_system(double value, struct engine_request *request)
{
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		struct tokens *t = &request->prompts[i];
		size_t kept = 0;
		bool in_system = false;
		for (size_t k = 0; k < t->n; k++) {
			in_system |= t->items[k] == TOKEN_SYSTEM;
			if (!in_system) {
				t->items[kept++] = t->items[k];
			}
			in_system &= t->items[k] != TOKEN_TURN_END;
		}
		t->n = kept;
	}
}

/* Uses another template that does not end turns, as if its end marker were lost. */
static void template(double value, struct engine_request *request)
{
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		struct tokens *t = &request->prompts[i];
		size_t kept = 0;
		for (size_t k = 0; k < t->n; k++) {
			if (t->items[k] != TOKEN_TURN_END) {
				t->items[kept++] = t->items[k];
			}
		}
		t->n = kept;
	}
}

static void truncate_prompt(double value, struct engine_request *request)
{
	size_t limit = (size_t)value;
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		struct tokens *t = &request->prompts[i];
		if (t->n > limit) {
			memmove(t->items, t->items + t->n - limit, limit * sizeof(*t->items));
			t->n = limit;
		}
	}
}

/* With this probability a position is computed from another request's prefix, and later
 * positions build on it. */
static void kv(double value, struct language_state *state)
{
	struct rng random = rng_of(state->hash, 0x6b76);
	if (rng_unit(&random) < value) {
		state->hash = rng_mix_pair(state->hash, 0xbad);
	}
}

static void other_seed(double value, struct language_state *state)
{
	if (state->answer == 0) {
		state->hash = rng_mix_pair(state->hash, (uint64_t)value);
	}
}

static const struct row ROWS[FAULTS] = {
        [FAULT_REFUSE] = {"refuse", VALUE_NONE, NULL, "close the connection without an answer"},
        [FAULT_HANG] = {"hang", VALUE_NONE, NULL, "never answer, keep the connection"},
        [FAULT_STATUS] = {"status", VALUE_NUMBER, NULL,
                "answer with this status code and an error object"},
        [FAULT_500] = {"500", VALUE_NONE, NULL, "answer 500"},
        [FAULT_429] = {"429", VALUE_NONE, NULL, "answer 429 with Retry-After"},
        [FAULT_REFUSE_LOGPROBS] = {"400-on-logprobs", VALUE_NONE, NULL,
                "answer 400 if the request asks for logprobs or has include_usage"},
        [FAULT_RESET] = {"reset", VALUE_NUMBER, "3",
                "reset the connection after N events of a stream, or within the body of another "
                "answer"},
        [FAULT_CUT] = {"cut", VALUE_NUMBER, "0.5",
                "close the connection after this share of the body, or within the fourth event of "
                "a stream"},
        [FAULT_STALL] = {"stall", VALUE_DURATION, NULL,
                "pause for this time: after the third event of a stream, or before the head of "
                "another answer"},
        [FAULT_FLOOD] = {"flood", VALUE_BYTES, "64MiB", "add this many bytes to the answer"},
        [FAULT_SLOW] = {"slow", VALUE_DURATION, "1ms",
                "send single bytes, one in each such period"},
        [FAULT_LATE] = {"late-second-response", VALUE_DURATION, "20ms",
                "send a second answer on the idle connection, this time after the first"},
        [FAULT_TE_AND_CL] = {"te-and-cl", VALUE_NONE, NULL,
                "send both Transfer-Encoding and Content-Length"},
        [FAULT_TWO_CL] = {"two-cl", VALUE_NONE, NULL, "send two different Content-Length fields"},
        [FAULT_HTTP10] = {"http10", VALUE_NONE, NULL,
                "answer as HTTP/1.0; the body ends with the connection"},
        [FAULT_INTERIM] = {"103", VALUE_NONE, NULL, "send 103 Early Hints before the answer"},
        [FAULT_GZIP] = {"gzip", VALUE_NONE, NULL,
                "send the body gzip-encoded, even if the client does not accept gzip"},
        [FAULT_NO_DONE] = {"no-done", VALUE_NONE, NULL, "leave out [DONE]"},
        [FAULT_ERROR] = {"error", VALUE_NUMBER, "3",
                "end a stream with an error event after N events"},
        [FAULT_COMMENTS] = {"comments", VALUE_NONE, NULL, "put comments between events"},
        [FAULT_CRLF] = {"crlf", VALUE_NONE, NULL, "end the lines of events with CRLF"},
        [FAULT_LOSE_CHARACTERS] = {"lose-characters", VALUE_NONE, NULL,
                "leave characters of several tokens out of streams with logprobs"},
        [FAULT_SLOW_LOGPROBS] = {"slow-logprobs", VALUE_NUMBER, "5",
                "if logprobs are requested, multiply the time between tokens (--itl) by this"},
        [FAULT_REPEAT_PENALTY] = {"repeat-penalty", VALUE_NUMBER, "1.1",
                "apply this repetition penalty to requests that set none, or 1",
                PARAMETER(repetition, 1)},
        [FAULT_PRESENCE_PENALTY] = {"presence-penalty", VALUE_NUMBER, "0.5",
                "apply this presence penalty to requests that set none, or 0",
                PARAMETER(presence, 0)},
        [FAULT_FREQUENCY_PENALTY] = {"frequency-penalty", VALUE_NUMBER, "0.5",
                "apply this frequency penalty to requests that set none, or 0",
                PARAMETER(frequency, 0)},
        [FAULT_TEMPERATURE] = {"temperature", VALUE_NUMBER, "1",
                "sample at this temperature, whatever the request says",
                PARAMETER(temperature, NAN)},
        [FAULT_TOP_K] = {"top-k", VALUE_NUMBER, "10",
                "sample with this top-k, whatever the request says", top_k},
        [FAULT_TOP_P] = {"top-p", VALUE_NUMBER, "0.9",
                "sample with this top-p, whatever the request says", PARAMETER(top_p, NAN)},
        [FAULT_MIN_P] = {"min-p", VALUE_NUMBER, "0.05",
                "sample with this min-p, whatever the request says", PARAMETER(min_p, NAN)},
        [FAULT_CUTS] = {"cuts", VALUE_WORD, "before",
                "apply top-p and min-p before or after temperature: before, after", cuts,
                .words = {"before", "after"}},
        [FAULT_FIXED_SEED] = {"fixed-seed", VALUE_NUMBER, "42",
                "use this seed for requests that set none", fixed_seed},
        [FAULT_ANSWER_CACHE] = {"answer-cache", VALUE_NONE, NULL,
                "give a repeated request its first answer again", answer_cache},
        [FAULT_BOS] = {"bos", VALUE_WORD, "missing",
                "begin the prompt without a BOS token, or with two: missing, double", bos,
                .words = {"missing", "double"}},
        [FAULT_DROP_SYSTEM] = {"drop-system", VALUE_NONE, NULL,
                "leave system messages out of the prompt", drop_system},
        [FAULT_TEMPLATE] = {"template", VALUE_NONE, NULL,
                "use a chat template that does not mark the end of turns", template},
        [FAULT_TRUNCATE] = {"truncate", VALUE_NUMBER, "16",
                "read only the last N tokens of the prompt", truncate_prompt},
        [FAULT_KEEP_STOP] = {"keep-stop", VALUE_NONE, NULL,
                "leave the stop sequence that ends an answer in its text"},
        [FAULT_NOISE] = {"noise", VALUE_NUMBER, "0.02",
                "add normal noise with this standard deviation, in nats, to the logits"},
        [FAULT_QUANTISE] = {"quantise", VALUE_NUMBER, "0.25",
                "round the logits to multiples of this"},
        [FAULT_CONFIDENT] = {"confident", VALUE_NUMBER, "4",
                "multiply the gaps between logits by this: the model is more certain"},
        [FAULT_LISTS] = {"lists", VALUE_WORD, "processed",
                "distribution that logprobs describe: raw, temperature, processed, masked",
                .words = {"raw", "temperature", "processed", "masked"}},
        [FAULT_END_TOKEN] = {"end-token", VALUE_WORD, "unlisted",
                "leave the end-of-text token out of all lists, or give it an entry: unlisted, row",
                .words = {"unlisted", "row"}},
        [FAULT_MISALIGNED] = {"misaligned", VALUE_NONE, NULL,
                "give each token the logprobs of the token before it"},
        [FAULT_KV] = {"kv", VALUE_NUMBER, "0.02",
                "with this probability a position's cached prefix is that of another request", NULL,
                kv},
        [FAULT_SEED] = {"weights", VALUE_NUMBER, "1",
                "use other weights from the first token of the answer on", NULL, other_seed},
        [FAULT_CACHE] = {"cache", VALUE_NUMBER, "0.1",
                "add noise of this size, in nats, if part of the prompt was cached "
                "(--prefix-cache)"},
        [FAULT_LOAD] = {"load", VALUE_NUMBER, "0.02",
                "add noise of this size, in nats, for each further answer in progress; without "
                "--itl answers hardly overlap"},
        [FAULT_POISON] = {"poison", VALUE_NUMBER, "4",
                "after a failed request, make the next N answers wrong"},
        [FAULT_CROSSTALK] = {"crosstalk", VALUE_NUMBER, "0.1",
                "with this probability, put the end of another client's prompt into an answer"},
        [FAULT_MIXUP] = {"mixup", VALUE_NUMBER, "0.1",
                "with this probability, continue an answer as if its prompt were another one"},
        [FAULT_REPLICAS] = {"replicas", VALUE_NUMBER, "4",
                "act as N servers behind one address; only the first has the other faults"},
};

static bool parse_value(const struct row *row, const char *text, double *ret)
{
	uint64_t n;
	switch (row->kind) {
	case VALUE_NUMBER:
		return conf_parse_decimal(text, ret) && *ret < 1e15;
	case VALUE_DURATION:
		if (!conf_parse_duration(text, &n)) {
			return false;
		}
		*ret = (double)n;
		return true;
	case VALUE_BYTES:
		if (!conf_parse_bytes(text, &n)) {
			return false;
		}
		*ret = (double)n;
		return true;
	case VALUE_WORD:
		n = 0;
		while (row->words[n] && strcmp(row->words[n], text) != 0) {
			n++;
		}
		*ret = (double)n;
		return row->words[n] != NULL;
	case VALUE_NONE:
		break;
	}
	return false;
}

static bool parse_one(
        const char *name, const char *value, struct fault_set *set, char **ret_problem)
{
	const char *names[FAULTS + 1] = {0};
	for (int f = 0; f < FAULTS; f++) {
		const struct row *row = &ROWS[f];
		names[f] = row->name;
		if (strcmp(row->name, name) != 0) {
			continue;
		}
		value = value ? value : row->fallback;
		if (row->kind == VALUE_NONE ? value != NULL
		                            : !value || !parse_value(row, value, &set->value[f])) {
			*ret_problem =
			        row->kind == VALUE_NONE
			                ? xasprintf("the fault %s takes no value", name)
			                : xasprintf("\"%s\" is not a valid value of the fault %s",
			                          value ? value : "", name);
			return false;
		}
		set->on |= (uint64_t)1 << f;
		return true;
	}
	const char *near = nearest_word(name, names);
	*ret_problem = xasprintf("there is no fault \"%s\"%s", name, did_you_mean("", near).text);
	return false;
}

bool fault_parse(struct span text, struct fault_set *set, char **ret_problem)
{
	struct fault_set parsed = *set;
	char *copy = span_dup(text), *rest = copy;
	bool good = true;
	for (char *item; good && (item = strsep(&rest, ";")) != NULL;) {
		item += strspn(item, " \t");
		for (size_t n = strlen(item); n > 0 && strchr(" \t", item[n - 1]); n--) {
			item[n - 1] = '\0';
		}
		if (*item == '\0') {
			continue;
		}
		char *value = strchr(item, '=');
		if (value) {
			*value++ = '\0';
		}
		good = parse_one(item, value, &parsed, ret_problem);
	}
	free(copy);
	if (good) {
		*set = parsed;
	}
	return good;
}

double fault_value(const struct fault_set *set, enum fault f, double fallback)
{
	return fault_on(set, f) ? set->value[f] : fallback;
}

void fault_keep_only(struct fault_set *set, enum fault f)
{
	set->on &= (uint64_t)1 << f;
}

void fault_apply_to_request(const struct fault_set *set, struct engine_request *request)
{
	for (int f = 0; set->on && f < FAULTS; f++) {
		const struct row *row = &ROWS[f];
		if (!fault_on(set, (enum fault)f)) {
			continue;
		}
		if (row->on_request) {
			row->on_request(set->value[f], request);
		}
		double *parameter = (double *)((char *)&request->sampling + row->parameter.place);
		if (row->parameter.used &&
		        (isnan(row->parameter.replaced) || *parameter == row->parameter.replaced)) {
			*parameter = set->value[f];
		}
	}
}

void fault_apply_to_state(const struct fault_set *set, struct language_state *state)
{
	for (int f = 0; set->on && f < FAULTS; f++) {
		if (fault_on(set, (enum fault)f) && ROWS[f].on_state) {
			ROWS[f].on_state(set->value[f], state);
		}
	}
}

struct language_numerics fault_numerics(const struct fault_set *set, uint64_t noise_seed)
{
	return (struct language_numerics){
	        .noise = fault_value(set, FAULT_NOISE, 0),
	        .step = fault_value(set, FAULT_QUANTISE, 0),
	        .gain = fault_value(set, FAULT_CONFIDENT, 0),
	        .noise_seed = noise_seed,
	};
}

void fault_help(FILE *to)
{
	for (int f = 0; f < FAULTS; f++) {
		const struct row *row = &ROWS[f];
		char name[64];
		snprintf(name, sizeof(name), row->kind == VALUE_NONE ? "%s" : "%s=%s", row->name,
		        row->fallback ? row->fallback : "...");
		options_help_line(to, name, row->help);
	}
}
