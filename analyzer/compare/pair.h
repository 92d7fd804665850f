#pragma once
/*
 * pair - which legs of an exchange are held against each other, and which of the two is on trial.
 *
 * Against a reference the primary is on trial, against the primary a candidate; where an exchange has
 * no primary, the candidate stands before the reference. With names given, the legs of those backends
 * are paired, whatever their roles.
 */
#include "capture/capture.h"

struct pair {
	size_t base, test; /* legs of the exchange */
};

/* Whom somebody asked for. Zero-initialised: by role. */
struct pair_side {
	const char *name; /* of a backend */
	struct id run;    /* of this run alone; zero: of any */
};
struct pair_wish {
	struct pair_side base, test; /* names: both or none */
	bool by_label; /* engines are told apart by their names alone: one address may stand for several */
};

/*
 * Returns the number of pairs, which ret has room for: at most n_legs, one for each leg that is not held against others' first. Each test leg meets the base leg of its own
 * run and repeat; else, of another run, the one with the same number of repeat; else the first that there
 * is. Where one backend is asked for twice, its legs meet the first one, unless runs are named: these are
 * then held against each other, repeat by repeat; a run that is named on one side only is held against all
 * others.
 */
size_t pair_find(const struct capture_exchange *e, const struct pair_wish *wish, struct pair *ret);
/*
 * The noise floors: pairs of legs of one engine (by name, or by URL) within one run, each held
 * against the engine's first; those among trials[n] left out. With names given, of these backends and
 * runs only. Fewer than there are legs, unless there is none.
 */
size_t pair_find_floors(const struct capture_exchange *e, const struct pair_wish *wish,
        const struct pair *trials, size_t n, struct pair *ret);
/* Is the leg one of those that the side asks for by name and run? */
bool pair_is_of_side(const struct leg_row *leg, const struct pair_side *side);
/* Did one engine give both, as far as names and URLs tell? */
bool pair_is_of_one_engine(
        const struct pair_wish *wish, const struct leg_row *a, const struct leg_row *b);
/* Does the pair tell what an engine differs from itself? Runs that were asked for are held apart. */
bool pair_is_floor(
        const struct pair_wish *wish, const struct leg_row *base, const struct leg_row *test);
