#include "backends/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/injection/asking.h"
#include "backends/injection/parameter.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/mem.h"

const char *const THINKING_NAMES[] = {"as_asked", "on", "off", NULL};

bool thinking_parse(const char *name, enum thinking *ret)
{
	for (enum thinking t = 0; t < N_THINKINGS; t++) {
		if (strcmp(THINKING_NAMES[t], name) == 0) {
			*ret = t;
			return true;
		}
	}
	return false;
}

/* Whether the primary's default is known for any parameter. */
static bool knows_defaults(const struct align_plan *plan)
{
	bool known = false;
	for (enum parameter p = 0; p < N_PARAMETERS; p++) {
		known |= !isnan(
		        parameter_default(p, plan->from, plan->from_defaults, ENDPOINT_CHAT));
	}
	return known;
}

const char *align_unable(const struct align_plan *plan)
{
	const struct dialect *d = plan->to;
	bool no_switch = (plan->thinking == THINKING_ON && !d->thinking_on) ||
	                 (plan->thinking == THINKING_OFF && !d->thinking_off);
	bool no_defaults = plan->align == ALIGN_SAME && !knows_defaults(plan);
	if (no_switch && no_defaults) {
		return "a request can't switch thinking on or off for this engine, and the "
		       "defaults of the primary's engine are not known";
	}
	if (no_switch) {
		return "a request can't switch thinking on or off for this engine";
	}
	return no_defaults ? "the defaults of the primary's engine are not known" : NULL;
}

/* A member of the original request; of duplicates only the last. */
struct member {
	char *name;
	struct json_token value;
	struct span text;
};

struct draft {
	const struct align_plan *plan;
	enum endpoint endpoint;
	const struct request_facts *facts;
	const struct strict_models *strict;
	const char *model;
	struct member *members;
	size_t n_members, cap_members;
	struct align_members out;
};

static struct member *find(struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_members; i++) {
		if (strcmp(d->members[i].name, name) == 0) {
			return &d->members[i];
		}
	}
	return NULL;
}

/* False: the body is no object, or has too many members. */
static bool read_members(struct draft *d, struct span body)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, body);
	if (t.type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(&j);
		struct span text = json_skip(&j, &value);
		char *name = json_token_dup(&t);
		struct member *m = find(d, name);
		if (m) {
			free(name);
			m->value = value;
			m->text = text;
			continue;
		}
		if (d->n_members == ALIGN_MEMBERS_MAX) {
			free(name);
			return false;
		}
		d->members = grow(d->members, d->n_members, &d->cap_members, sizeof(*d->members));
		d->members[d->n_members++] = (struct member){name, value, text};
	}
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}

static bool is_put(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->out.n; i++) {
		if (strcmp(d->out.items[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Adds an edit. The first edit of a name counts. json NULL: the member is removed. */
static void put(struct draft *d, const char *name, struct span json)
{
	struct align_members *out = &d->out;
	if (is_put(d, name)) {
		return;
	}
	out->items = xrealloc(out->items, (out->n + 1) * sizeof(*out->items));
	out->items[out->n++] = (struct member_edit){
	        xstrdup(name), json.data ? xstrndup(json.data, json.len) : NULL};
}

static void remove_member(struct draft *d, const char *name)
{
	if (find(d, name)) {
		put(d, name, (struct span){0});
	}
}

/* What the engine accepts */

static bool is_refused(const struct draft *d, const char *name)
{
	const struct dialect *to = d->plan->to;
	const char *const *allowed =
	        d->endpoint == ENDPOINT_CHAT ? to->allowed_chat : to->allowed_completion;
	return (allowed && !asking_is_named(allowed, name)) ||
	       (d->strict && asking_is_named(d->strict->refused, name));
}

static const struct rule *rule_for(const struct draft *d, const char *name, double number)
{
	for (const struct rule *r = d->plan->to->rules; r && r->name; r++) {
		if (strcmp(r->name, name) == 0 && number >= r->low && number <= r->high) {
			return r;
		}
	}
	return NULL;
}

/* Adds a member of our own. It is omitted if the engine would refuse it, and written as the
 * engine requires. */
static void put_own(struct draft *d, const char *name, struct span json)
{
	struct json j;
	struct json_token t = json_begin(&j, json);
	const struct rule *r =
	        t.type == JSON_TOKEN_NUMBER ? rule_for(d, name, json_token_number(&t)) : NULL;
	if (!is_refused(d, name)) {
		put(d, name, r ? span_of(r->json) : json);
	}
}

/* Whether this is one of the names of a repetition penalty. */
static bool is_repetition(const char *name)
{
	return penalty_name_of(name) < N_PENALTY_NAMES;
}

/* Whether removing the member leaves the answer unchanged. */
static bool is_harmless(const struct member *m)
{
	static const char *const without_effect[] = {"logprobs", "top_logprobs", "n_probs",
	        "stream_options", "user", "metadata", "store", "service_tier", "safety_identifier",
	        "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "cache_salt",
	        "priority", "return_token_ids", NULL};
	static const char *const when_false[] = {
	        "echo", "ignore_eos", "stream", "use_beam_search", NULL};
	static const struct {
		const char *name;
		double low, high;
	} neutral[] = {
	        {"n", 1, 1},
	        {"best_of", 1, 1},
	        {"temperature", 1, 1},
	        {"top_p", 1, INFINITY},
	        {"top_k", -INFINITY, 0},
	        {"min_p", -INFINITY, 0},
	        {"presence_penalty", 0, 0},
	        {"frequency_penalty", 0, 0},
	        {"repetition_penalty", 1, 1},
	        {"min_tokens", 0, 0},
	};
	if (m->value.type == JSON_TOKEN_NULL || asking_is_named(without_effect, m->name) ||
	        (m->value.type == JSON_TOKEN_FALSE && asking_is_named(when_false, m->name))) {
		return true;
	}
	const char *name = is_repetition(m->name) ? "repetition_penalty" : m->name;
	for (size_t i = 0; m->value.type == JSON_TOKEN_NUMBER && i < ARRAY_LEN(neutral); i++) {
		double number = json_token_number(&m->value);
		if (strcmp(neutral[i].name, name) == 0 && number >= neutral[i].low &&
		        number <= neutral[i].high) {
			return true;
		}
	}
	return false;
}

static const char *rename_of(const struct rename *renames, const char *name)
{
	for (; renames && renames->from; renames++) {
		if (strcmp(renames->from, name) == 0) {
			return renames->to;
		}
	}
	return NULL;
}

/* The primary ignores a penalty whose name it does not know, so the copy must ignore it too. */
static bool is_ignored_penalty(const struct draft *d, const char *name)
{
	const struct dialect *from = d->plan->from;
	return from != &dialect_generic && is_repetition(name) &&
	       !(from->repetition_name && strcmp(from->repetition_name, name) == 0);
}

static const char *target_name(const struct draft *d, const struct member *m)
{
	const char *own = d->plan->to->repetition_name;
	if (is_repetition(m->name)) {
		return own && strcmp(own, m->name) != 0 ? own : NULL;
	}
	const char *to = d->strict ? rename_of(d->strict->renames, m->name) : NULL;
	return to ? to : rename_of(d->plan->to->renames, m->name);
}

/* Whether the request also has the other name of the parameter, and that value is used. Of the two
 * length limits max_completion_tokens wins, as in engines that know both. */
static bool is_overruled(struct draft *d, const struct member *m, const char *to)
{
	const struct member *other = find(d, to);
	return other && other->value.type != JSON_TOKEN_NULL && !is_ignored_penalty(d, to) &&
	       strcmp(m->name, "max_completion_tokens") != 0;
}

/* Adapts a client's member for which there is no edit yet. */
static void adapt_member(struct draft *d, const struct member *m)
{
	const char *name = m->name, *to = target_name(d, m);
	if (m->value.type == JSON_TOKEN_NULL) {
		if (d->plan->to->refuses_null || is_refused(d, name)) {
			remove_member(d, name);
		}
		return;
	}
	if (d->plan->to != &dialect_generic && is_ignored_penalty(d, name)) {
		remove_member(d, name);
		return;
	}
	if (to) {
		remove_member(d, name);
		if (is_overruled(d, m, to)) {
			return;
		}
		name = to;
	}
	const struct rule *r = m->value.type == JSON_TOKEN_NUMBER
	                               ? rule_for(d, name, json_token_number(&m->value))
	                               : NULL;
	if (is_refused(d, name)) {
		remove_member(d, name);
		d->out.dropped |= !is_harmless(m);
	} else if (r) {
		put(d, name, span_of(r->json));
		d->out.dropped |= r->loses;
	} else if (to) {
		put(d, name, m->text);
	}
}

/* Renamed members come first: their value may replace that of a member that already has the new
 * name. */
static void adapt_members(struct draft *d)
{
	for (int renamed = 1; renamed >= 0; renamed--) {
		for (size_t i = 0; i < d->n_members; i++) {
			const struct member *m = &d->members[i];
			if ((target_name(d, m) != NULL) == renamed && !is_put(d, m->name)) {
				adapt_member(d, m);
			}
		}
	}
}

/* Members of our own */

static void put_asking(struct draft *d, const struct asking *asking)
{
	struct buf json = {0};
	for (const struct member_edit *w = asking->words; w->name; w++) {
		buf_clear(&json);
		asking_put_value(w->json, asking->top, &json);
		put(d, w->name, buf_span(&json));
	}
	buf_finish(&json);
}

static bool is_among(const struct member_edit *words, const char *name)
{
	for (; words->name; words++) {
		if (strcmp(words->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Requests the client's own logprobs by this engine's parameters. */
static void adapt_logprobs(struct draft *d)
{
	struct asking asking;
	const struct dialect *to = d->plan->to;
	int top = (int)MIN(MAX(d->facts->top_logprobs, 0), 1 << 20);
	if (!d->facts->has_logprobs || to == &dialect_generic || find(d, "n_probs")) {
		return;
	}
	if (!asking_logprobs(to, d->endpoint, d->facts, d->model, true, top, &asking)) {
		remove_member(d, "logprobs");
		remove_member(d, "top_logprobs");
		return;
	}
	bool own = d->endpoint == ENDPOINT_CHAT ? to->ask_chat != NULL : to->ask_completion != NULL;
	if (asking.top != top || own || asking.words == to->ask_tools) {
		put_asking(d, &asking);
		if (!is_among(asking.words, "logprobs")) {
			remove_member(d, "logprobs");
		}
		if (!is_among(asking.words, "top_logprobs")) {
			remove_member(d, "top_logprobs");
		}
	}
}

/* Merges two objects, so that the client's other members in them are kept. */
static void merge(const struct member *m, struct span json, struct buf *to)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, m->text);
	buf_append_char(to, '{');
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(&j);
		struct span text = json_skip(&j, &value);
		char *name = json_token_dup(&t);
		if (!json_find_member(json, name, &value, NULL)) {
			buf_append(to, t.start, t.len);
			buf_append_char(to, ':');
			buf_append_span(to, text);
			buf_append_char(to, ',');
		}
		free(name);
	}
	buf_append(to, json.data + 1, json.len - 1);
}

static void switch_thinking(struct draft *d)
{
	const struct dialect *to = d->plan->to;
	const struct member_edit *edits =
	        d->plan->thinking == THINKING_ON ? to->thinking_on : to->thinking_off;
	if (d->plan->thinking == THINKING_AS_ASKED || d->endpoint != ENDPOINT_CHAT) {
		return;
	}
	for (; edits && edits->name; edits++) {
		const struct member *m = find(d, edits->name);
		struct span json = span_of(edits->json);
		struct buf merged = {0};
		if (m && m->value.type == JSON_TOKEN_OBJECT && *edits->json == '{') {
			merge(m, json, &merged);
			json = buf_span(&merged);
		}
		put_own(d, edits->name, json);
		buf_finish(&merged);
	}
}

/* Alignment */

static void set_greedy(struct draft *d)
{
	const struct dialect *to = d->plan->to;
	const struct member_edit *edits =
	        d->endpoint == ENDPOINT_CHAT ? to->greedy_chat : to->greedy_completion;
	for (; edits && edits->name; edits++) {
		if (edits->json) {
			put_own(d, edits->name, span_of(edits->json));
		} else {
			remove_member(d, edits->name);
		}
	}
}

/* Sets max_tokens or max_completion_tokens, whichever this engine and model accept. */
static void set_max_tokens(struct draft *d)
{
	const struct dialect *from = d->plan->from, *to = d->plan->to;
	bool chat = d->endpoint == ENDPOINT_CHAT;
	int64_t from_limit = chat ? from->default_max_tokens_chat : from->default_max_tokens;
	int64_t to_limit = chat ? to->default_max_tokens_chat : to->default_max_tokens;
	if (d->facts->max_tokens >= 0 || from_limit <= 0 || from_limit == to_limit) {
		return;
	}
	const char *other = d->strict ? rename_of(d->strict->renames, "max_tokens") : NULL;
	struct buf json = {0};
	buf_printf(&json, "%lld", (long long)from_limit);
	put_own(d, other ? other : "max_tokens", buf_span(&json));
	buf_finish(&json);
}

static void set_defaults(struct draft *d)
{
	const struct align_plan *plan = d->plan;
	for (enum parameter p = 0; p < N_PARAMETERS; p++) {
		const char *name =
		        p == PARAMETER_REPETITION ? plan->to->repetition_name : parameter_name(p);
		double value = parameter_default(p, plan->from, plan->from_defaults, d->endpoint);
		double off = parameter_of_sampling(p, &plan->to->off);
		if (!name || !isnan(parameter_asked(p, plan->from, d->facts)) || isnan(value) ||
		        isnan(off)) {
			continue;
		}
		struct buf json = {0};
		json_put_number(&json, parameter_is_off(p, plan->from, value) ? off : value);
		put_own(d, name, buf_span(&json));
		buf_finish(&json);
	}
	set_max_tokens(d);
}

bool align_request(const struct align_plan *plan, enum endpoint endpoint,
        const struct request_facts *facts, struct span body, struct align_members *ret)
{
	const char *model = plan->model ? plan->model : facts->model;
	struct draft *d = &(struct draft){
	        .plan = plan,
	        .endpoint = endpoint,
	        .facts = facts,
	        .strict = asking_strict(plan->to, model),
	        .model = model,
	};
	bool ok = !endpoint_is_openai(endpoint) || read_members(d, body);
	if (ok && endpoint_is_openai(endpoint)) {
		switch_thinking(d);
		if (plan->align == ALIGN_GREEDY) {
			set_greedy(d);
		} else if (plan->align == ALIGN_SAME) {
			set_defaults(d);
		}
		adapt_logprobs(d);
		adapt_members(d);
	}
	for (size_t i = 0; i < d->n_members; i++) {
		free(d->members[i].name);
	}
	*ret = d->out;
	if (!ok) {
		align_members_finish(ret);
	}
	free(d->members);
	return ok;
}

void align_members_finish(struct align_members *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free((char *)m->items[i].name);
		free((char *)m->items[i].json);
	}
	free(m->items);
	*m = (struct align_members){0};
}

int64_t align_effective_max_tokens(
        const struct dialect *d, enum endpoint endpoint, const struct request_facts *facts)
{
	if (facts->max_tokens >= 0) {
		return facts->max_tokens;
	}
	return endpoint == ENDPOINT_COMPLETION ? d->default_max_tokens : d->default_max_tokens_chat;
}
