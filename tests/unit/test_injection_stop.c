#include "proxy/injection_stop.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "proxy/shared.h"

static const struct kind_key chat = {"prod", "m", ENDPOINT_CHAT, false, false, false};

static bool refused(struct shared *s, uint64_t now_ns)
{
	bool ret;
	kinds_get(s->kinds, &chat, now_ns, &ret);
	return ret;
}

/* A long answer of one client says little about other clients, and one of two engines may go. */
Test(injection_stop, long_and_odd_answers_end_injection_for_an_hour_and_others_for_good)
{
	for (enum injection_stop e = 0; e < N_INJECTION_STOPS; e++) {
		if (e == INJECTION_STOP_MIXED) {
			continue; /* kinds.h itself keeps logprobs off */
		}
		struct shared *s = xcalloc(1, sizeof(*s));
		s->kinds = kinds_create();
		injection_stop_declare(s, &chat, e, true);
		uint64_t now = clock_mono();
		cr_expect(refused(s, now), "%s", injection_stop_name(e));
		injection_stop_declare(s, &chat, e, true);
		cr_expect_eq(atomic_load(&s->injection_stops[e]), 1, "%s is told once",
		        injection_stop_name(e));
		bool hour = e == INJECTION_STOP_LONG || e == INJECTION_STOP_STRANGE ||
		            e == INJECTION_STOP_ERRORS;
		cr_expect_eq(
		        refused(s, now + 2 * KINDS_MEMORY), !hour, "%s", injection_stop_name(e));
		kinds_destroy(s->kinds);
		free(s);
	}
}
