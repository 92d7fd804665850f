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
	/* indices of legs: the side that is assumed to be right, and the side under test */
	size_t base, test;
};

/* A side that the user named. Zero-initialised: by role. */
struct pair_side {
	const char *name; /* name of a backend */
	struct id run;    /* legs of this run only; zero: of any run */
};
struct pair_wish {
	struct pair_side base, test; /* either both have names, or none has */
	/* engines are distinguished by name only: one address may stand for several */
	bool by_label;
};

/*
 * Finds the pairs of an exchange and returns their number. ret must have room for n_legs pairs.
 * Each test leg is paired with the base leg of its own run and repeat; if there is none, with one
 * of another run and the same repeat; else with the first base leg. If both sides name one backend,
 * its legs are paired with its first leg. If runs are named too, the legs of these runs are paired
 * repeat by repeat; a run named on one side only is paired with all other runs.
 */
size_t pair_find(const struct capture_exchange *e, const struct pair_wish *wish, struct pair *ret);
/*
 * Finds the pairs for noise floors and returns their number, which is below n_legs (0 if there are
 * no legs). Such a pair is two legs of one engine (by name, or by URL) within one run; each leg is
 * paired with the engine's first leg. Pairs in trials (n items) are left out. If wish names sides,
 * only their backends and runs have such pairs.
 */
size_t pair_find_floors(const struct capture_exchange *e, const struct pair_wish *wish,
        const struct pair *trials, size_t n, struct pair *ret);
/* True if the leg is of the side's backend and run. */
bool pair_is_of_side(const struct leg_row *leg, const struct pair_side *side);
/* True if one engine gave both answers, judged by names and URLs. */
bool pair_is_of_one_engine(
        const struct pair_wish *wish, const struct leg_row *a, const struct leg_row *b);
/* True if the pair measures the noise of one engine. Legs of runs that the user named are never
 * such a pair. */
bool pair_is_floor(
        const struct pair_wish *wish, const struct leg_row *base, const struct leg_row *test);
