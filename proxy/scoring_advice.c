#include "proxy/scoring_advice.h"

#include "base/mem.h"

char *scoring_advice(const char *name, enum mirror_mode mode, const struct dialect *d)
{
	if (mode == MIRROR_GENERATE || !d || d == &dialect_generic) {
		return NULL;
	}
	if (d->scoring == SCORING_NONE) {
		return xasprintf("The reference %s scores no answers: %s can't score a given text. "
		                 "mode: generate sends it copies instead",
		        name, d->title);
	}
	if (d->logprobs_harm) {
		return xasprintf("The reference %s takes longer to score an answer than to give "
		                 "one: if %s is asked for logprobs, %s. A smaller sample helps",
		        name, d->title, d->logprobs_harm);
	}
	return NULL;
}
