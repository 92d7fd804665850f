#include "proxy/answer_scoring.h"

#include "backends/scoring/score_request.h"
#include "proxy/copy.h"
#include "proxy/exchange.h"
#include "proxy/mirror.h"
#include "proxy/score_job.h"
#include "proxy/score_pool.h"
#include "proxy/shared.h"
#include "proxy/worker_config.h"

static const char LEFT[] = "the client left before the answer was complete";
static const char BROKEN[] = "the answer broke off";
static const char NOT_KEPT[] = "with content: metadata no scores are kept";
static const char TOO_LARGE[] = "it is larger than answer_limit";

size_t answer_scoring_keep(const struct exchange *e)
{
	size_t keep = 0;
	if (!e->shared->recorder || !endpoint_is_openai(e->endpoint) ||
	        e->settings->privacy.content == CONTENT_METADATA || !mirror_may_copy(e) ||
	        (e->copies != COPIES_UNDECIDED && !e->scoring.wanted)) {
		return 0;
	}
	for (size_t i = 0; i < e->settings->n_references; i++) {
		const struct backend_settings *b = &e->settings->references[i];
		keep = b->mode == MIRROR_GENERATE ? keep : MAX(keep, b->answer_limit);
	}
	return keep;
}

bool answer_scoring_select(struct exchange *e, size_t reference)
{
	struct backend_state *p = e->config->mirrors[reference]->backend;
	if (!e->shared->recorder) {
		ledger_excluded(p->book, EXCLUDED_NOT_MIRRORED);
	} else if (!endpoint_is_openai(e->endpoint)) {
		backend_state_count_unscorable(p, SCORE_NOT_OPENAI);
	} else if (e->settings->privacy.content == CONTENT_METADATA) {
		backend_state_count_unscorable(p, NOT_KEPT);
	} else {
		e->scoring.wanted |= 1u << reference;
		return true;
	}
	return false;
}

void answer_scoring_decided(struct exchange *e)
{
	if (e->scoring.wanted) {
		e->scoring.request = exchange_body_for_copy(e);
	} else {
		leg_drop_answer(&e->primary.leg);
	}
}

static bool is_success(const struct leg *l)
{
	return l->row.status >= 200 && l->row.status < 300;
}

/* NULL: it may be scored. */
static const char *unscorable_reason(const struct exchange *e, enum outcome outcome)
{
	if (outcome != OUTCOME_COMPLETE) {
		return e->interrupted == INTERRUPTED_CLIENT_LEFT ? LEFT : BROKEN;
	}
	return is_success(&e->primary.leg) ? NULL : SCORE_NO_ANSWER;
}

/* The reference that is the primary; NULL: there is none. */
static struct backend_state *self_of(const struct exchange *e)
{
	size_t n = e->settings->n_references;
	return n && e->settings->references[n - 1].of_primary ? e->config->mirrors[n - 1]->backend
	                                                      : NULL;
}

void answer_scoring_begin(struct exchange *e)
{
	const struct backend_state *self = self_of(e);
	e->scoring.while_scoring = self && atomic_load(&self->running) > 0;
}

static void compare_latency(const struct exchange *e, enum outcome outcome)
{
	struct backend_state *self = self_of(e);
	uint64_t us = e->primary.leg.row.first_body_us;
	if (self && outcome == OUTCOME_COMPLETE && is_success(&e->primary.leg) &&
	        us != UINT64_MAX && endpoint_is_openai(e->endpoint)) {
		backend_state_compare_latency(self, e->scoring.while_scoring, (double)us / 1e6);
	}
}

/* from->answer NULL: the leg did not keep it, because it is too large or memory is short. */
static void submit(struct exchange *e, const struct score_source *from)
{
	enum ledger_drop cause = DROP_MEMORY;
	if (from->leg->row.body_bytes > from->settings->answer_limit) {
		backend_state_count_unscorable(from->backend, TOO_LARGE);
		return;
	}
	struct score_job *job =
	        from->answer ? score_job_create(from, &e->shared->budget, &cause) : NULL;
	if (job) {
		score_pool_submit(e->shared->scoring, job);
	} else {
		ledger_dropped(from->backend->book, cause);
	}
}

static struct score_source source_of(const struct exchange *e, const struct chunks *answer)
{
	return (struct score_source){
	        .snapshot = e->config->snapshot,
	        .exchange = e->id,
	        .leg = &e->primary.leg,
	        .model = e->facts.model,
	        .body_bytes = e->decoded ? e->decoded->len : e->upload.received,
	        .request = &e->scoring.request,
	        .answer = answer,
	};
}

void answer_scoring_submit(struct exchange *e, enum outcome outcome)
{
	compare_latency(e, outcome);
	const char *why = e->scoring.wanted ? unscorable_reason(e, outcome) : NULL;
	struct chunks answer = {0};
	bool kept = e->scoring.wanted && !why && leg_answer(&e->primary.leg, &answer);
	struct score_source from = source_of(e, kept ? &answer : NULL);
	for (size_t i = 0; i < e->settings->n_references; i++) {
		if (!(e->scoring.wanted & 1u << i)) {
			continue;
		}
		from.backend = e->config->mirrors[i]->backend;
		from.settings = &e->settings->references[i];
		if (why) {
			backend_state_count_unscorable(from.backend, why);
		} else {
			submit(e, &from);
		}
	}
	e->scoring.wanted = 0;
	chunks_finish(&e->scoring.request);
	chunks_finish(&answer);
}

size_t answer_scoring_keep_own(const struct copy *c)
{
	const struct exchange *e = c->exchange;
	bool wanted = c->settings->mode == MIRROR_BOTH && c->settings->score.self;
	bool possible = e->shared->recorder && endpoint_is_openai(c->endpoint) &&
	                c->endpoint == e->endpoint &&
	                e->settings->privacy.content != CONTENT_METADATA;
	return wanted && possible ? c->settings->answer_limit : 0;
}

void answer_scoring_submit_own(struct copy *c, enum outcome outcome)
{
	struct exchange *e = c->exchange;
	struct chunks answer = {0};
	if (!answer_scoring_keep_own(c) || outcome != OUTCOME_COMPLETE || !is_success(&c->leg)) {
		return;
	}
	bool kept = leg_answer(&c->leg, &answer);
	struct score_source from = source_of(e, kept ? &answer : NULL);
	from.backend = c->mirror->backend;
	from.settings = c->settings;
	from.leg = &c->leg;
	from.request = &c->body;
	submit(e, &from);
	chunks_finish(&answer);
}
