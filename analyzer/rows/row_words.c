#include "analyzer/rows/row_words.h"

#include "analyzer/compare/meaning/placement.h"
#include "analyzer/rows/rows.h"
#include "backends/parameter.h"

#define WORD_OF(name, type, function)                                                              \
	const char *name(unsigned value)                                                           \
	{                                                                                          \
		return function((type)value);                                                      \
	}
WORD_OF(endpoint_word, enum endpoint, endpoint_name)
WORD_OF(outcome_word, enum outcome, outcome_name)
WORD_OF(role_word, enum role, role_name)
WORD_OF(decoding_word, enum decoding, decoding_name)
WORD_OF(parameter_word, enum parameter, parameter_name)
WORD_OF(rung_word, enum rung, rung_name)
WORD_OF(class_word, enum meaning_class, meaning_class_name)
WORD_OF(severity_word, enum meaning_severity, meaning_severity_name)
WORD_OF(basis_word, enum meaning_basis, meaning_basis_name)
WORD_OF(mark_word, size_t, meaning_mark_name)
WORD_OF(gold_word, enum meaning_gold, meaning_gold_name)
WORD_OF(score_word, enum score_result, score_result_name)
WORD_OF(opinion_word, enum opinion_end, opinion_end_name)
WORD_OF(leg_end_word, enum leg_end, leg_end_name)
WORD_OF(place_word, enum reasoning_place, placement_name)

const char *slice_word(unsigned value)
{
	static const char *const NAMES[] = {"none", "stack", "replica"};
	return NAMES[value];
}

const char *difference_word(unsigned value)
{
	static const char *const NAMES[] = {"none", "parameter", "choices", "length", "dropped"};
	return NAMES[value];
}

const char *reason_word(unsigned value)
{
	static const char *const NAMES[N_LEFT_OUT_REASONS] = {"none", "cut", "unfinished", "error",
	        "unreadable", "unread", "unrecorded", "metadata"};
	return NAMES[value];
}

const char *floor_word(unsigned value)
{
	static const char *const NAMES[N_FLOORS] = {"pair", "base", "test"};
	return NAMES[value];
}
