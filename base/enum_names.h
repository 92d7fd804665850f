#pragma once
/*
 * enum_names - the names of an enum's values.
 *
 *	ENUM_NAMES(rung_name, enum rung, "bytes", "unicode");
 *
 * defines const char *rung_name(enum rung), with the names in the order of the values. A value
 * without a name is a programming error.
 */
#include "base/check.h"

#define ENUM_NAMES(function, type, ...)                                                            \
	const char *function(type value)                                                           \
	{                                                                                          \
		static const char *const NAMES_[] = {__VA_ARGS__};                                 \
		expect((size_t)value < ARRAY_LEN(NAMES_));                                         \
		return NAMES_[value];                                                              \
	}                                                                                          \
	_Static_assert((type)-1 > 0, "the values are unsigned")
