#pragma once
/*
 * trace_units - the units of a trace that the user set; they override those of the format.
 */
#include <stdint.h>

struct trace_units {          /* 0: the unit of the format */
	uint64_t time_ns;     /* duration of one unit of its times, ns */
	int64_t block_tokens; /* tokens for each hash id */
};
