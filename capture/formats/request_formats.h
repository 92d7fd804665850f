#pragma once
/*
 * request_formats - the table of the kinds of files with requests.
 */
#include "capture/formats/request_format.h"

/* All formats, in the order in which a file is tried. A new one gets a row. */
#define REQUEST_FORMATS(X)                                                                         \
	X(of_infer_check)                                                                          \
	X(of_lm_eval)                                                                              \
	X(of_batch_output)                                                                         \
	X(har)                                                                                     \
	X(otel)                                                                                    \
	X(sharegpt)                                                                                \
	X(gor)                                                                                     \
	X(bailian)                                                                                 \
	X(mooncake)                                                                                \
	X(evalscope)                                                                               \
	X(vllm)                                                                                    \
	X(suite)                                                                                   \
	X(burstgpt)                                                                                \
	X(azure)
#define DECLARE(name) extern const struct request_format request_format_##name;
REQUEST_FORMATS(DECLARE)
#undef DECLARE

const struct request_format *const *request_formats(size_t *ret_n);
/* The format that fits the file; NULL: none. A file with a request's body on each line has no
 * format here. */
const struct request_format *request_format_of(const struct sniff *s);
