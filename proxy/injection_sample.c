#include "proxy/injection_parts.h"

#include "base/clock.h"
#include "proxy/exchange.h"
#include "proxy/injection_stop.h"
#include "proxy/shared.h"

#define SAMPLE_LIMIT ((size_t)1 << 20)

/* Keeps only the beginning of a long stream. The beginning of a document shows nothing. */
void injection_sample_add(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	s->sample_is_beginning |= len > SAMPLE_LIMIT - s->sample.len;
	if (s->sample_is_beginning) {
		if (!s->learning_stream) {
			injection_sample_drop(e);
		}
	} else if (budget_take(&e->shared->budget, len)) {
		buf_append(&s->sample, data, len);
	} else {
		injection_sample_drop(e);
	}
}

void injection_sample_drop(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->learning = false;
	budget_give(&e->shared->budget, s->sample.len);
	buf_finish(&s->sample);
}

void injection_sample_learn(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	struct span body = buf_span(&s->sample);
	struct kind_key key = injection_key(e);
	struct signature sig;
	if (!signature_of_answer(s->answerer, body, s->learning_stream, &sig)) {
		return;
	}
	struct kind kind = kind_of_answer(body, s->learning_stream, &e->facts, NULL);
	if (s->sample_is_beginning) {
		/* How usage has to be cut depends on the stream's end, too. */
		kind.usage = KIND_UNKNOWN;
		kind.tail[0] = '\0';
	}
	if (kinds_learn(e->shared->kinds, &key, sig.form, kind, clock_mono())) {
		injection_stop_report_mixed(e->shared, &key);
	}
	if (s->attempt == RETRY_UNKNOWN && s->signature.form == sig.form) {
		kinds_accept(e->shared->kinds, &key, s->signature);
	}
}
