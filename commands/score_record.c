#include "commands/score_record.h"

#include "commands/aside.h"

bool score_record(const struct score_job_settings *s, struct id exchange, struct id of,
        uint64_t body_bytes, const struct scorer_result *r)
{
	const struct aside a = {
	        .backend = s->backend,
	        .dialect = s->scorer.dialect,
	        .endpoint = ENDPOINT_COMPLETION,
	        .in_flight = s->concurrency,
	        .exchange = exchange,
	        .body_bytes = body_bytes,
	        .request = buf_span(&r->request),
	        .answer = &r->answer,
	        .start_ns = r->start_ns,
	        .marks = LEG_SCORED,
	        .of = of,
	        .at = r->at,
	};
	return aside_record(&a, s->recorder, s->book);
}
