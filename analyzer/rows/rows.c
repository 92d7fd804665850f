#include "analyzer/rows/rows.h"

#include <string.h>

#include "base/enum_names.h"

ENUM_NAMES(score_result_name, enum score_result, "counts", "unreadable", "without_logprobs",
        "unmatched", "orphan");

ENUM_NAMES(score_basis_name, enum score_basis, "as_drawn", "greedy", "temperature", "filtered",
        "penalised", "mixed", "processed");

ENUM_NAMES(leg_end_name, enum leg_end, "complete", "cut", "failed");

ENUM_NAMES(leg_lists_name, enum leg_lists, "other", "none", "ordinary", "audit");

ENUM_NAMES(floor_of_name, enum floor_of, "pair", "base", "test");

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
