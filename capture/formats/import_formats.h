#pragma once
/*
 * import_formats - the table of the kinds of result files that can be imported.
 */
#include "capture/formats/import_format.h"

/* All formats, in the order in which a file is tried. A new one gets a row. */
#define IMPORT_FORMATS(X)                                                                          \
	X(infer_check)                                                                             \
	X(lm_eval)                                                                                 \
	X(har)                                                                                     \
	X(sharegpt)                                                                                \
	X(batch)                                                                                   \
	X(gor)                                                                                     \
	X(otel)
#define DECLARE(name) extern const struct import_format import_format_##name;
IMPORT_FORMATS(DECLARE)
#undef DECLARE

const struct import_format *const *import_formats(size_t *ret_n);
/* The format with this name; NULL: there is none. */
const struct import_format *import_format_find(const char *name);
/* The format that fits the file; NULL: none. */
const struct import_format *import_format_of(const struct sniff *s);
