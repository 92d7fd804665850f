#include "analyzer/compare/pair.h"

#include <string.h>

#include "base/check.h"

struct side {
	enum role role;
	const char *name;  /* unless NULL, selects by name instead of role */
	struct id run;     /* zero: any */
	struct id not_run; /* zero: none is left out */
};

static bool is_of_run(const struct leg_row *leg, const struct side *side)
{
	bool left_out = !id_is_zero(side->not_run) && id_compare(leg->run, side->not_run) == 0;
	return !left_out && (id_is_zero(side->run) || id_compare(leg->run, side->run) == 0);
}

static bool belongs(const struct leg_row *leg, const struct side *side)
{
	if ((leg->marks & LEG_SCORED) || !is_of_run(leg, side)) {
		return false; /* scores are no answer to the prompt */
	}
	if (side->name) {
		return leg->backend && strcmp(leg->backend, side->name) == 0;
	}
	return leg->role == side->role;
}

/* Returns the base leg to compare with a test leg; n_legs if there is none. */
static size_t base_of(const struct capture_exchange *e, size_t test, const struct side *base)
{
	const struct leg_row *other = &e->legs[test].row;
	size_t found = e->n_legs;
	int best = -1;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (i == test || !belongs(row, base)) {
			continue;
		}
		/* The same run and repeat fit best, then the same repeat. */
		bool same_run = id_compare(row->run, other->run) == 0;
		bool same_repeat = row->repeat == other->repeat;
		int fit = same_run && same_repeat ? 2 : same_repeat;
		if (fit > best) {
			best = fit;
			found = i;
		}
	}
	return found;
}

/* Compares a backend with itself: each of its legs with the first one. */
static size_t pair_with_itself(
        const struct capture_exchange *e, const struct side *side, struct pair *ret)
{
	size_t first = e->n_legs, n = 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		if (!belongs(&e->legs[i].row, side)) {
			continue;
		}
		if (first == e->n_legs) {
			first = i;
		} else {
			ret[n++] = (struct pair){first, i};
		}
	}
	return n;
}

static size_t pair_sides(const struct capture_exchange *e, const struct side *base,
        const struct side *test, struct pair *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		if (belongs(&e->legs[i].row, test)) {
			size_t other = base_of(e, i, base);
			if (other < e->n_legs) {
				ret[n++] = (struct pair){other, i};
			}
		}
	}
	return n;
}

static bool has_role(const struct capture_exchange *e, enum role role)
{
	const struct side side = {.role = role};
	for (size_t i = 0; i < e->n_legs; i++) {
		if (belongs(&e->legs[i].row, &side)) {
			return true;
		}
	}
	return false;
}

static bool names_a_run(const struct pair_names *w)
{
	return !id_is_zero(w->base.run) || !id_is_zero(w->test.run);
}

static size_t pair_named(
        const struct capture_exchange *e, const struct pair_names *w, struct pair *ret)
{
	struct side base = {.name = w->base.name, .run = w->base.run};
	struct side test = {.name = w->test.name, .run = w->test.run};
	if (strcmp(base.name, test.name) != 0) {
		return pair_sides(e, &base, &test, ret);
	}
	if (!names_a_run(w) || id_compare(base.run, test.run) == 0) {
		return pair_with_itself(e, &base, ret);
	}
	base.not_run = id_is_zero(base.run) ? test.run : (struct id){0};
	test.not_run = id_is_zero(test.run) ? base.run : (struct id){0};
	return pair_sides(e, &base, &test, ret);
}

size_t pair_find(const struct capture_exchange *e, const struct pair_names *names, struct pair *ret)
{
	expect(!names->base.name == !names->test.name);
	if (names->base.name) {
		return pair_named(e, names, ret);
	}
	const struct side primary = {.role = ROLE_PRIMARY}, reference = {.role = ROLE_REFERENCE};
	const struct side candidate = {.role = ROLE_CANDIDATE};
	const struct side before = {
	        .role = has_role(e, ROLE_PRIMARY) ? ROLE_PRIMARY : ROLE_REFERENCE};
	/* With several references, the primary is compared with each of them. */
	size_t n = pair_sides(e, &primary, &reference, ret);
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct pair){.base = ret[i].test, .test = ret[i].base};
	}
	return n + pair_sides(e, &before, &candidate, ret + n);
}

bool pair_is_of_one_engine(
        const struct pair_names *names, const struct leg_row *a, const struct leg_row *b)
{
	bool named = a->backend && b->backend && strcmp(a->backend, b->backend) == 0;
	/* Imported answers carry the names that the importer gave to their engines: the same
	 * address in two files may be two versions of an engine. */
	bool by_name = names->by_name || (a->marks & b->marks & LEG_IMPORTED);
	/* One address can serve several models. The route of scores may give a model another name. */
	bool is_score = (a->marks | b->marks) & LEG_SCORED;
	bool same_model = is_score || !a->model || !b->model || strcmp(a->model, b->model) == 0;
	return named || (!by_name && same_model && a->url && b->url && strcmp(a->url, b->url) == 0);
}

bool pair_is_floor(
        const struct pair_names *names, const struct leg_row *base, const struct leg_row *test)
{
	bool is_separate =
	        names->base.name && names_a_run(names) && id_compare(base->run, test->run) != 0;
	return !is_separate && pair_is_of_one_engine(names, base, test);
}

static bool is_trial(const struct pair *trials, size_t n, size_t a, size_t b)
{
	for (size_t i = 0; i < n; i++) {
		if ((trials[i].base == a && trials[i].test == b) ||
		        (trials[i].base == b && trials[i].test == a)) {
			return true;
		}
	}
	return false;
}

bool pair_is_of_side(const struct leg_row *leg, const struct pair_side *side)
{
	const struct side wanted = {.name = side->name, .run = side->run};
	return side->name && belongs(leg, &wanted);
}

static bool is_wanted(const struct leg_row *leg, const struct pair_names *w)
{
	return !(leg->marks & LEG_SCORED) &&
	       (!w->base.name || pair_is_of_side(leg, &w->base) || pair_is_of_side(leg, &w->test));
}

/* Returns the first leg of leg i's engine in the same run, which may be i itself. */
static size_t first_of_engine(
        const struct capture_exchange *e, const struct pair_names *names, size_t i)
{
	const struct leg_row *leg = &e->legs[i].row;
	for (size_t k = 0; k < i; k++) {
		const struct leg_row *row = &e->legs[k].row;
		if (!(row->marks & LEG_SCORED) && pair_is_of_one_engine(names, row, leg) &&
		        id_compare(row->run, leg->run) == 0) {
			return k;
		}
	}
	return i;
}

/* Legs end in any order, so the name and then the repeat decide which leg is the base. */
static bool comes_first(const struct leg_row *a, const struct leg_row *b)
{
	int order = strcmp(a->backend ? a->backend : "", b->backend ? b->backend : "");
	return order < 0 || (order == 0 && a->repeat < b->repeat);
}

size_t pair_find_floors(const struct capture_exchange *e, const struct pair_names *names,
        const struct pair *trials, size_t n, struct pair *ret)
{
	size_t found = 0;
	for (size_t i = 1; i < e->n_legs; i++) {
		if (!is_wanted(&e->legs[i].row, names)) {
			continue;
		}
		size_t first = first_of_engine(e, names, i);
		if (first < i && !is_trial(trials, n, first, i)) {
			bool turn = comes_first(&e->legs[i].row, &e->legs[first].row);
			ret[found++] =
			        (struct pair){.base = turn ? i : first, .test = turn ? first : i};
		}
	}
	return found;
}
