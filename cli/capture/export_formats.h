#pragma once
/*
 * export_formats - the table of the formats in which a capture can be written.
 */
#include "capture/formats/export_format.h"

/* All formats, in the order in which --help lists them. A new one gets a row. */
#define EXPORT_FORMATS(X)                                                                          \
	X(jsonl)                                                                                   \
	X(batch)                                                                                   \
	X(batch_output)                                                                            \
	X(raw)                                                                                     \
	X(evalscope)                                                                               \
	X(vllm)                                                                                    \
	X(mooncake)                                                                                \
	X(burstgpt)                                                                                \
	X(azure)                                                                                   \
	X(aiperf)                                                                                  \
	X(sharegpt)                                                                                \
	X(har)                                                                                     \
	X(gor)                                                                                     \
	X(otel)                                                                                    \
	X(infer_check)                                                                             \
	X(infer_check_suite)
#define DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(DECLARE)
#undef DECLARE

const struct export_format *const *export_formats(size_t *ret_n);
/* The format with this name; NULL: there is none. */
const struct export_format *export_format_find(const char *name);
