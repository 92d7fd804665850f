#include "replay/repro/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

struct shrink {
	uint32_t *members, *candidate; /* candidate: space for the members of one test */
	size_t n;
	struct rng rng;
	shrink_test_fn test;
	void *arg;
	uint32_t *order; /* the order in which the parts are tried */
};

/* Part number i of `parts` begins at this member. */
static size_t part_begin(const struct shrink *s, size_t i, size_t parts)
{
	return i * s->n / parts;
}

static void shuffle_order(struct shrink *s, size_t parts)
{
	for (size_t i = 0; i < parts; i++) {
		s->order[i] = (uint32_t)i;
	}
	RNG_SHUFFLE(&s->rng, parts, s->order[i]);
}

/* Tries one part alone, or all but that part. 1: this set shows the symptom, and becomes the
 * current set. */
static int try_part(struct shrink *s, size_t part, size_t parts, bool without)
{
	size_t from = part_begin(s, part, parts), to = part_begin(s, part + 1, parts), n = 0;
	if (without) {
		memcpy(s->candidate, s->members, from * sizeof(*s->candidate));
		memcpy(s->candidate + from, s->members + to, (s->n - to) * sizeof(*s->candidate));
		n = s->n - (to - from);
	} else {
		n = to - from;
		memcpy(s->candidate, s->members + from, n * sizeof(*s->candidate));
	}
	int shows = s->test(s->arg, s->candidate, n);
	if (shows == 1) {
		memcpy(s->members, s->candidate, n * sizeof(*s->candidate));
		s->n = n;
	}
	return shows;
}

/* Tries all parts, or all their complements. */
static int try_all(struct shrink *s, size_t parts, bool without)
{
	shuffle_order(s, parts);
	for (size_t i = 0; i < parts; i++) {
		int shows = try_part(s, s->order[i], parts, without);
		if (shows != 0) {
			return shows;
		}
	}
	return 0;
}

size_t shrink_set(uint32_t *members, size_t n, uint64_t seed, shrink_test_fn test, void *arg,
        bool *ret_minimal)
{
	struct shrink s = {.members = members, .n = n, .rng = {seed}, .test = test, .arg = arg};
	s.candidate = xcalloc(n + 1, sizeof(*s.candidate));
	s.order = xcalloc(n + 1, sizeof(*s.order));
	size_t parts = 2;
	int shows = 0;
	while (s.n >= 2 && shows >= 0) {
		shows = try_all(&s, parts, false);
		if (shows == 1) {
			parts = 2;
			continue;
		}
		/* With two parts, each is the complement of the other, so complements need no
		 * test. */
		shows = shows == 0 && parts > 2 ? try_all(&s, parts, true) : shows;
		if (shows == 1) {
			parts = parts - 1 > 2 ? parts - 1 : 2;
		} else if (shows == 0 && parts >= s.n) {
			break;
		} else {
			parts = parts * 2 < s.n ? parts * 2 : s.n;
		}
	}
	*ret_minimal = shows >= 0;
	free(s.candidate);
	free(s.order);
	return s.n;
}
