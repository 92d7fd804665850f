#pragma once
/*
 * input_formats - the table of the kinds of files that `import` or `replay` reads.
 */
#include "capture/formats/input_format.h"

/* All formats, in the order in which a file is tried. A new one gets a row. */
#define INPUT_FORMATS(X)                                                                           \
	X(infer_check)                                                                             \
	X(lm_eval)                                                                                 \
	X(har)                                                                                     \
	X(sharegpt)                                                                                \
	X(batch)                                                                                   \
	X(gor)                                                                                     \
	X(otel)                                                                                    \
	X(bailian)                                                                                 \
	X(mooncake)                                                                                \
	X(evalscope)                                                                               \
	X(vllm)                                                                                    \
	X(suite)                                                                                   \
	X(burstgpt)                                                                                \
	X(azure)
#define DECLARE(name) extern const struct input_format input_format_##name;
INPUT_FORMATS(DECLARE)
#undef DECLARE

const struct input_format *const *input_formats(size_t *ret_n);
/* The format of answers with this name; NULL: there is none. */
const struct input_format *input_format_find(const char *name);
/* The format that fits the file, which it rewinds; NULL: none. A file with a request's body on each
 * line has no format here. */
const struct input_format *input_format_of(FILE *file);
