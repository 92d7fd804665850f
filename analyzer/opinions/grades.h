#pragma once
/*
 * grades - what became of programs that were run against the tests of their tasks (`plumbline grade`),
 * put in the place of what no text can tell.
 */
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/opinions/opinions.h"

/* Whether the right answer to an exchange is one that only grades can tell. */
bool grades_are_wanted(const struct exchange_labels *labels);
/* The newest grade of a leg's choice; GOLD_UNDECIDED: there is none. */
enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice);
