#pragma once
/*
 * replay_options - the command line of `plumbline replay`.
 */
#include "base/options.h"
#include "cli/replay/replay_backend.h"
#include "capture/formats/trace_units.h"
#include "replay/cancel.h"
#include "replay/request_choice.h"
#include "replay/load_figures.h"
#include "replay/pace.h"
#include "replay/plan.h"
#include "replay/runner.h"

#define REPLAY_LEVELS 16
#define REPLAY_TARGETS 16

enum spread_wish { SPREAD_ALL, SPREAD_ROUND_ROBIN };
enum history_wish { HISTORY_RECORDED = 1, HISTORY_ANSWERED };

struct replay_options {
	const char *source, *capture, *save;
	struct replay_wish wish;
	struct request_choice_rules rules;
	struct trace_units units;
	struct load_figures_goals goals;
	enum load load;
	unsigned concurrency; /* 0: not given; if there are several levels, the first */
	unsigned levels[REPLAY_LEVELS];
	size_t n_levels; /* number of levels given with --concurrency */
	const char *to[REPLAY_TARGETS];
	size_t n_to; /* wish.to is the first target */
	enum spread_wish spread;
	struct pace pace; /* for LOAD_RATE */
	enum arrivals arrivals;
	double burstiness, speed;
	enum plan_order order;
	uint64_t seed, limit, duration, warm_up, timeout;
	uint32_t repeats; /* 0: as many as the steps of an open loop need */
	double error_limit;
	struct cancel cancel;
	struct think_time_wish think;
	unsigned retries; /* the most retries of a refused request */
	int history;      /* 0: not given; else enum history_wish */
	int top;
	bool no_logprobs, no_usage, no_compare, again, redacted, json;
	bool fresh;        /* a new connection for each request */
	bool force_tokens; /* score the recorded answers; do not generate */
	bool even;         /* `limit` counts sessions, one of each category in turn */
	bool extends;      /* more repeats continue the same run */
	struct operands line;
};

/* Option rows that fill struct replay_options, for replay and recipes: which requests to send,
 * and how. */
extern const struct option_row REPLAY_CHOICE_OPTIONS[], REPLAY_SEND_OPTIONS[];

/* Reads the command line. False: --help or an error was printed; the command must return
 * *ret_code. */
bool replay_options_read(
        int argc, char **argv, struct replay_options *ret, int *ret_code) MUST_CHECK;
/* Appends a text that identifies the run: equal for commands that send the same. */
void replay_options_put(const struct replay_options *o, struct buf *to);
/* The first given option that has no effect together with --force-tokens, without its dashes;
 * NULL: none. */
const char *replay_options_beside_forced(const struct replay_options *o);
