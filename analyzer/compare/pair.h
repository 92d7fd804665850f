#pragma once
/*
 * pair - decides which legs of an exchange are compared, and which of the two is under test.
 *
 *	roles in the exchange      base        test
 *	primary and reference      reference   primary
 *	primary and candidate      primary     candidate
 *	reference and candidate    reference   candidate    (only without a primary)
 *
 * If the user names two backends (struct pair_names), their legs are paired, whatever their roles.
 * Legs with scores are in no pair.
 */
#include "capture/capture.h"

struct pair {
	size_t base, test; /* indexes in capture_exchange.legs */
};

/* A side that the user named. Zero-initialised: no name, so that roles decide. */
struct pair_side {
	const char *name; /* name of a backend */
	struct id run;    /* legs of this run only; zero: of any run */
};
/* Zero-initialised: roles decide. No function accepts NULL. */
struct pair_names {
	struct pair_side base, test; /* either both have names, or neither has */
	/* only the name identifies an engine, not the URL: engines may have used one URL in turn */
	bool by_name;
};

/*
 * Finds the pairs of an exchange and returns their number. ret must have room for n_legs pairs.
 *
 * Each leg of a reference or candidate gets one partner; if the user named backends, each leg of
 * the test does. The partner is the first leg of the other side that fits best: same run and
 * repeat, else another run and the same repeat, else any.
 *
 * If both sides name one backend, the runs that they name decide:
 *
 *	no run, or twice the same   the first leg is the base of all others
 *	two runs                    legs of these runs are paired as above
 *	one run                     legs of this run are paired with legs of other runs, as above
 */
size_t pair_find(
        const struct capture_exchange *e, const struct pair_names *names, struct pair *ret);
/*
 * Finds the pairs for noise floors and returns their number, which is below n_legs (0 if there are
 * no legs). ret must have room for n_legs - 1 pairs. In each run, an engine's first leg is paired
 * with each of its other legs (pair_is_of_one_engine()). The base is the leg whose backend's name
 * sorts first; if the names are equal, the leg with the lower repeat. trials: the n pairs that
 * pair_find() found; they are left out. If `names` names sides, at least one leg of a pair is of a
 * named backend and run.
 */
size_t pair_find_floors(const struct capture_exchange *e, const struct pair_names *names,
        const struct pair *trials, size_t n, struct pair *ret);
/* True if the leg is of the backend that the side names, and of its run. False for scores, and
 * for a side without a name. */
bool pair_is_of_side(const struct leg_row *leg, const struct pair_side *side);
/* True if one engine gave both answers: the backends have equal names; or they have equal URLs, and
 * the answers do not state different models. URLs do not count if names->by_name is set or both
 * legs are imported. */
bool pair_is_of_one_engine(
        const struct pair_names *names, const struct leg_row *a, const struct leg_row *b);
/* True if the pair measures the noise of one engine (pair_is_of_one_engine()). If the user named
 * a run, legs of two different runs are never such a pair. */
bool pair_is_floor(
        const struct pair_names *names, const struct leg_row *base, const struct leg_row *test);
