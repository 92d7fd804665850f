#include "analyzer/rows/examine_leg.h"

#include <string.h>

#include <xxhash.h>

#include "capture/leg_flaw.h"

static bool has_copy(const struct capture_exchange *e, const struct leg_row *of)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (leg->role != ROLE_PRIMARY && !(leg->marks & LEG_SCORED) &&
		        id_compare(leg->run, of->run) == 0) {
			return true;
		}
	}
	return false;
}

static uint64_t pass_of(const struct capture_exchange *e, const struct leg_row *leg)
{
	const char *suite = e->row.labels.suite ? e->row.labels.suite : "";
	return XXH3_64bits_withSeed(suite, strlen(suite), leg->repeat);
}

static void describe_end(const struct leg_row *leg, struct leg_summary *ret)
{
	enum flaw flaw = leg_flaw(leg, NULL);
	if (leg->outcome == OUTCOME_CLIENT_GONE || leg->outcome == OUTCOME_STOPPED) {
		ret->end = LEG_END_CUT;
	} else if (flaw != FLAW_NONE) {
		ret->end = LEG_END_FAILED;
		leg_flaw_print(leg, NULL, flaw, ret->failure);
	}
}

bool examine_leg(const struct capture_exchange *e, size_t number, struct leg_summary *ret)
{
	const struct leg_row *leg = &e->legs[number].row;
	bool primary = leg->role == ROLE_PRIMARY;
	if (leg->marks & LEG_SCORED) {
		return false;
	}
	*ret = (struct leg_summary){
	        .exchange = e->row.id,
	        .leg = leg->id,
	        .run = leg->run,
	        .pass = pass_of(e, leg),
	        .backend = names_of_backend(leg),
	        .role = leg->role,
	        .streamed = framing_of_type(span_of(leg->content_type)) == FRAMING_SSE,
	        .of_client = primary && !e->absent && endpoint_is_openai(e->row.endpoint),
	        .injected = leg->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE),
	        .mirrored = primary && has_copy(e, leg),
	        .start_ns = leg->start_ns,
	        .queued_us = leg->queued_us,
	        .first_content_us = leg->first_content_us,
	        .end_us = leg->end_us,
	        .body_bytes = leg->body_bytes,
	        .prompt_tokens = leg->usage.prompt_tokens,
	        .completion_tokens = leg->usage.completion_tokens,
	        .cached_tokens = leg->usage.cached_tokens,
	};
	describe_end(leg, ret);
	return true;
}
