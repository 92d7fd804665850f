#include "analyzer/rows/rows.h"

#include <string.h>

const char *score_result_name(enum score_result r)
{
	static const char *const names[N_SCORE_RESULTS] = {
	        "counts", "unreadable", "without_logprobs", "unmatched", "orphan"};
	return names[r];
}

const char *score_basis_name(enum score_basis b)
{
	static const char *const names[N_SCORE_BASES] = {
	        "as_drawn", "greedy", "temperature", "filtered", "penalised", "mixed", "processed"};
	return names[b];
}

const char *leg_end_name(enum leg_end e)
{
	static const char *const names[N_LEG_ENDS] = {"complete", "cut", "failed"};
	return names[e];
}

const char *leg_lists_name(enum leg_lists l)
{
	static const char *const names[N_LEG_LISTS] = {"other", "none", "ordinary", "audit"};
	return names[l];
}

const char *floor_of_name(enum floor_of f)
{
	static const char *const names[N_FLOORS] = {"pair", "base", "test"};
	return names[f];
}

static bool is_printable(const char *s)
{
	for (; *s; s++) {
		if (*s < ' ' || *s > '~') {
			return false;
		}
	}
	return true;
}

const char *names_of_backend(const struct leg_row *leg)
{
	return leg->backend && is_printable(leg->backend) ? leg->backend : "(unnamed)";
}

const char *names_of_dialect(const char *name)
{
	return name && strcmp(name, dialect_generic.name) != 0 ? name : NULL;
}
