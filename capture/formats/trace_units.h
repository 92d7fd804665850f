#pragma once
/*
 * trace_units - how a trace counts, where somebody says it: formats have units of their own, and this goes before them.
 */
#include <stdint.h>

struct trace_units {          /* 0: as the format has it */
	uint64_t time_ns;     /* one unit of its times */
	int64_t block_tokens; /* tokens of one hash id */
};
