#pragma once
/*
 * trace_units - the units of a trace, as configured; they override those of the format.
 */
#include <stdint.h>

struct trace_units {          /* 0: the format's own */
	uint64_t time_ns;     /* duration of one unit of its times, ns */
	int64_t block_tokens; /* tokens for each hash id */
};
