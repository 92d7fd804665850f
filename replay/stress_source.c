#include "replay/stress_source.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/stress.h"
#include "backends/injection/inject.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "capture/edits.h"

#define PROBES STRESS_NEAR /* requests that are repeated */
#define BEFORE 6           /* how often each probe is sent before the first failure */
#define ROUNDS 2           /* of each kind of failure */
#define PROBE_TOKENS "32"

static void make_canary(uint64_t seed, uint64_t number, char ret[CANARY_SIZE])
{
	static const char LETTERS[] = "bcdfghjkmnpqrstvwxz";
	struct rng d = rng_of(seed, number);
	for (size_t i = 0; i + 1 < CANARY_SIZE; i++) {
		ret[i] = LETTERS[rng_below(&d, sizeof(LETTERS) - 1)];
	}
	ret[CANARY_SIZE - 1] = '\0';
}

/* The text of a message's content, or of the last of its parts that has one. */
static bool find_content(struct span message, struct json_token *ret)
{
	struct json_token role, content, each;
	struct span parts, part;
	bool found = false;
	struct json j;
	if (!json_find_member(message, "role", &role, NULL) ||
	        !json_token_is_string(&role, "user") ||
	        !json_find_member(message, "content", &content, &parts)) {
		return false;
	}
	if (content.type == JSON_TOKEN_STRING) {
		*ret = content;
		return true;
	}
	if (json_begin(&j, parts).type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while (json_next_element(&j, &each, &part)) {
		struct json_token text;
		if (json_find_member(part, "text", &text, NULL) && text.type == JSON_TOKEN_STRING) {
			*ret = text;
			found = true;
		}
	}
	return found;
}

static bool find_last_user_text(struct span body, struct json_token *ret)
{
	struct json_token first, each;
	struct span messages, message;
	struct json j;
	bool found = false;
	if (!json_find_member(body, "messages", &first, &messages) ||
	        first.type != JSON_TOKEN_ARRAY) {
		return false;
	}
	json_begin(&j, messages);
	while (json_next_element(&j, &each, &message)) {
		found |= find_content(message, ret);
	}
	return found;
}

/* Appends a request with a canary. False: it has no text for one. */
static bool put_canary(enum endpoint endpoint, struct span body, const char *canary, struct buf *to)
{
	struct json_token text;
	bool chat = endpoint == ENDPOINT_CHAT;
	bool found = chat ? find_last_user_text(body, &text)
	                  : json_find_member(body, "prompt", &text, NULL) &&
	                             text.type == JSON_TOKEN_STRING;
	if (!found) {
		return false;
	}
	/* Insert after the opening quote, or before the closing one. */
	size_t at = (size_t)(text.start - body.data) + (chat ? text.len - 1 : 1);
	buf_append(to, body.data, at);
	buf_printf(to, chat ? "\\n\\n(Not part of it: the name of this message.) %s" : "%s\\n\\n",
	        canary);
	buf_append(to, body.data + at, body.len - at);
	return true;
}

/* Adds a request with changed members, unless they cannot be changed. */
static void add_probe(struct stress_source *s, const struct source_body *b,
        const struct member_edit *members, size_t n, const char *kind, const char *name)
{
	struct edits edits = {0};
	struct buf body = {0};
	if (rewrite_request(buf_span(&b->body), members, n, &edits)) {
		char *item = xasprintf("%s%s", kind, name);
		edits_apply(edits.items, edits.n, buf_span(&b->body), &body);
		source_put_line(&s->probes, item, b->target, STRESS_PROBES, 0, buf_span(&body));
		s->n_lines++;
		free(item);
	}
	edits_finish(&edits);
	buf_finish(&body);
}

/* Each round begins with another probe, so that each probe comes at each distance behind
 * failures. */
static void add_round(
        struct stress_source *s, struct source_body *const *probes, size_t n, size_t first)
{
	static const struct member_edit SHORT[] = {{"max_tokens", PROBE_TOKENS},
	        {"stream", "false"}, {"stream_options", NULL}, {"max_completion_tokens", NULL}};
	for (size_t i = 0; i < n; i++) {
		size_t number = (first + i) % n;
		char name[] = {(char)('0' + number), '\0'};
		add_probe(s, probes[number], SHORT, ARRAY_LEN(SHORT), STRESS_PROBE, name);
	}
}

/* Adds requests that every engine must refuse, each because of a different part. */
static void put_probes(struct stress_source *s, struct source_body *const *probes, size_t n)
{
	static const struct {
		const char *name;
		struct member_edit member;
	} FAILING[] = {
	        {"max_tokens", {"max_tokens", "\"many\""}},
	        {"choices", {"n", "-1"}},
	        {"bias", {"logit_bias", "{\"1\":\"much\"}"}},
	        {"schema", {"response_format",
	                           "{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"x\","
	                           "\"schema\":{\"type\":\"nothing\"}}}"}},
	        {"stop", {"stop", "{\"at\":7}"}},
	};
	for (size_t i = 0; i < BEFORE; i++) {
		add_round(s, probes, n, i);
	}
	for (size_t i = 0; i < ARRAY_LEN(FAILING) * ROUNDS; i++) {
		size_t kind = i % ARRAY_LEN(FAILING);
		add_probe(
		        s, probes[0], &FAILING[kind].member, 1, STRESS_FAILING, FAILING[kind].name);
		add_round(s, probes, n, i);
	}
	s->n_probes = n;
}

int stress_source_add(struct stress_source *s, struct source *from,
        const struct request_choice_rules *rules, uint64_t limit, bool even, uint64_t seed)
{
	struct plan plan = {0};
	struct error_tally unfit = {0};
	struct source_body kept[PROBES] = {0}, *probes[PROBES];
	size_t n_kept = 0;
	struct source_scan scan = {
	        .rules = rules, .limit = limit, .even = even, .plan = &plan, .unfit = &unfit};
	int r = source_scan(from, &scan);
	for (size_t i = 0; r == 0 && i < plan.n_requests; i++) {
		const struct plan_request *request = &plan.requests[i];
		struct source_body b;
		struct buf body = {0};
		char canary[CANARY_SIZE];
		if (request->after != PLAN_NONE || source_load(from, request, &b) != NULL) {
			continue;
		}
		make_canary(seed, s->n_canaries, canary);
		bool good =
		        !b.history_open && put_canary(b.endpoint, buf_span(&b.body), canary, &body);
		if (good) {
			source_put_line(&s->canaries, canary, b.target, STRESS_CANARIES, 0,
			        buf_span(&body));
			s->n_canaries++;
		}
		buf_finish(&body);
		if (good && s->n_probes == 0 && n_kept < PROBES) {
			probes[n_kept] = &kept[n_kept];
			kept[n_kept++] = b;
		} else {
			source_body_finish(&b);
		}
	}
	if (n_kept > 0) {
		put_probes(s, probes, n_kept);
	}
	while (n_kept > 0) {
		source_body_finish(&kept[--n_kept]);
	}
	source_scan_finish(&scan);
	error_tally_finish(&unfit);
	plan_finish(&plan);
	return r;
}

void stress_source_finish(struct stress_source *s)
{
	buf_finish(&s->canaries);
	buf_finish(&s->probes);
	*s = (struct stress_source){0};
}
