#include "proxy/injection_stop.h"

#include <stdlib.h>

#define LOG_MODULE "injection"
#include "base/clock.h"
#include "base/log.h"
#include "capture/privacy/secret_scan.h"
#include "proxy/shared.h"

static const struct {
	const char *name, *text;
} reasons[N_INJECTION_STOPS] = {
        [INJECTION_STOP_CODING] = {"coding", "it compresses its answers"},
        [INJECTION_STOP_DIGEST] = {"digest", "its answers have a digest of their body"},
        [INJECTION_STOP_LONG] = {"long", "an answer is too long to be cut"},
        [INJECTION_STOP_LINES] = {"lines", "its events have other lines between data lines"},
        [INJECTION_STOP_TEXT] = {"text", "its answers are not JSON"},
        [INJECTION_STOP_PLACE] = {"place", "its answers have logprobs in an unusual place"},
        [INJECTION_STOP_IDS] = {"ids", "it numbers the events of its streams"},
        [INJECTION_STOP_MIXED] = {"mixed",
                "answers to unchanged requests have \"logprobs\" in some places and not in "
                "others, or with a value"},
        [INJECTION_STOP_STRANGE] = {"strange",
                "with logprobs, too many answers have an unknown form or do not come"},
        [INJECTION_STOP_LOST] = {"lost",
                "with logprobs it loses characters that consist of several tokens"},
        [INJECTION_STOP_SLOW] = {"slow",
                "with logprobs it takes longer than logprobs.max_slowdown allows"},
        [INJECTION_STOP_ERRORS] = {"errors", "with logprobs more of its streams have an error"},
};

const char *injection_stop_name(enum injection_stop e)
{
	return reasons[e].name;
}

static bool is_for_an_hour(enum injection_stop e)
{
	return e == INJECTION_STOP_LONG || e == INJECTION_STOP_MIXED ||
	       e == INJECTION_STOP_STRANGE || e == INJECTION_STOP_ERRORS;
}

static void report(struct shared *s, const struct kind_key *key, enum injection_stop e)
{
	atomic_fetch_add_explicit(&s->injection_stops[e], 1, memory_order_relaxed);
	/* key->backend is a name and a URL */
	char *backend = xstrndup(key->backend, strcspn(key->backend, " "));
	log_warn(is_for_an_hour(e)
	                 ? "The proxy requests no logprobs of {backend} for {model} ({endpoint}) "
	                   "for an hour: {reason}."
	                 : "The proxy no longer requests logprobs of {backend} for {model} "
	                   "({endpoint}): {reason}.",
	        log_field("backend", backend), log_field("model", secret_scan_hide(key->model)),
	        log_field("endpoint", endpoint_name(key->endpoint)),
	        log_field("reason", reasons[e].text),
	        log_field("streamed", key->stream ? "yes" : "no"));
	free(backend);
}

void injection_stop_declare(
        struct shared *s, const struct kind_key *key, enum injection_stop e, bool all)
{
	struct kind_key k = *key;
	bool stopped = false;
	for (unsigned i = 0; i < 4; i++) {
		k.tools = i & 1;
		k.codings = i & 2;
		/* A tool call may have another form than a text. */
		bool own = k.tools == key->tools || e != INJECTION_STOP_STRANGE;
		if (own && (all || k.codings == key->codings)) {
			/* An answer's length depends on the client's request, not on the engine
			 * alone. Answers of various forms may come from two engines, one of which
			 * may go. */
			stopped |= is_for_an_hour(e) ? kinds_refused(s->kinds, &k, clock_mono())
			                             : kinds_end(s->kinds, &k);
		}
	}
	if (stopped) {
		report(s, key, e);
	}
}

void injection_stop_report_mixed(struct shared *s, const struct kind_key *key)
{
	report(s, key, INJECTION_STOP_MIXED);
}

void injection_stop_declare_number(struct shared *s, uint64_t number, enum injection_stop e)
{
	struct kind_key key;
	if (kinds_end_number(s->kinds, number, &key)) {
		report(s, &key, e);
		free((char *)key.backend);
	}
}
