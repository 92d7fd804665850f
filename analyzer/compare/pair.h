#pragma once
/*
 * pair - decides which legs of an exchange are compared, and which of the two is under test.
 *
 * By role: the primary is tested against a reference, a candidate against the primary; without a
 * primary, the candidate is tested against the reference. By name: the legs of the named backends
 * are paired, whatever their roles.
 */
#include "capture/capture.h"

struct pair {
	size_t base, test; /* legs of the exchange */
};

/* A side that the user named. Zero-initialised: by role. */
struct pair_side {
	const char *name; /* of a backend */
	struct id run;    /* only of this run; zero: of any */
};
struct pair_wish {
	struct pair_side base, test; /* name both or neither */
	/* engines are distinguished by name only: one address may stand for several */
	bool by_label;
};

/*
 * Returns the number of pairs. ret must have room for n_legs pairs. Each test leg is paired with
 * the base leg of its own run and repeat; else, from another run, with the one of the same repeat;
 * else with the first one. If both sides name one backend, its legs are paired with its first leg.
 * If runs are named too, the legs of these runs are paired repeat by repeat; a run named on one
 * side only is paired with all others.
 */
size_t pair_find(const struct capture_exchange *e, const struct pair_wish *wish, struct pair *ret);
/*
 * Pairs for the noise floors: two legs of one engine (by name, or by URL) within one run, each
 * paired with the engine's first leg, except the pairs in trials[n]. With names given, only for
 * these backends and runs. Returns the number of pairs, which is below n_legs (0 if there are no
 * legs).
 */
size_t pair_find_floors(const struct capture_exchange *e, const struct pair_wish *wish,
        const struct pair *trials, size_t n, struct pair *ret);
/* Whether the leg is of the side's backend and run. */
bool pair_is_of_side(const struct leg_row *leg, const struct pair_side *side);
/* Whether one engine gave both answers, judging by names and URLs. */
bool pair_is_of_one_engine(
        const struct pair_wish *wish, const struct leg_row *a, const struct leg_row *b);
/* Whether the pair measures the noise of one engine. Legs of runs that the user named are never
 * such a pair. */
bool pair_is_floor(
        const struct pair_wish *wish, const struct leg_row *base, const struct leg_row *test);
