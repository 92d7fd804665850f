#pragma once
/*
 * pair - which legs of an exchange are held against each other, and which of the two is on trial.
 *
 * Against a reference the primary is on trial, against the primary a candidate. With names given,
 * the legs of those backends are paired, whatever their roles.
 */
#include "capture/capture.h"

#define PAIRS_LIMIT 64

struct pair {
	size_t base, test; /* legs of the exchange */
};

/*
 * Writes at most PAIRS_LIMIT pairs and returns their number. base_name and test_name are both NULL
 * or both given. Each test leg meets the base leg of its own run and repeat, or else the first that
 * there is.
 */
size_t pair_find(const struct capture_exchange *e, const char *base_name, const char *test_name,
        struct pair *ret);
/*
 * The noise floors: pairs of legs of one engine (by name, or by URL) within one run, each held
 * against the engine's first; those among trials[n] left out. With names given, of these backends
 * only. At most PAIRS_LIMIT.
 */
size_t pair_find_floors(const struct capture_exchange *e, const char *base_name,
        const char *test_name, const struct pair *trials, size_t n, struct pair *ret);
/* Did one engine give both, as far as names and URLs tell? */
bool pair_is_of_one_engine(const struct leg_row *a, const struct leg_row *b);
