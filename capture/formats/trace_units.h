#pragma once
/*
 * trace_units - units that the user states for a trace: a file of another tool with the times and
 * lengths of requests. They override the format's.
 */
#include <stdint.h>

struct trace_units {          /* 0: the unit of the format */
	uint64_t time_ns;     /* duration of one unit of its times, ns */
	int64_t block_tokens; /* tokens of a block of the prompt, which has one hash id */
};
