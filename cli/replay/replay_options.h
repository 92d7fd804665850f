#pragma once
/*
 * replay_options - the command line of `plumbline replay`.
 */
#include "base/options.h"
#include "cli/replay/replay_backend.h"
#include "capture/formats/trace_units.h"
#include "replay/cancel.h"
#include "replay/choice.h"
#include "replay/figures.h"
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
	struct choice_rules rules;
	struct trace_units units;
	struct figures_goals goals;
	enum load load;
	unsigned concurrency; /* 0: not given; of several levels, the first */
	unsigned levels[REPLAY_LEVELS];
	size_t n_levels; /* from --concurrency */
	const char *to[REPLAY_TARGETS];
	size_t n_to; /* wish.to is the first */
	enum spread_wish spread;
	struct pace pace; /* of LOAD_RATE */
	enum arrivals arrivals;
	double burstiness, speed;
	enum plan_order order;
	uint64_t seed, limit, duration, warm_up, timeout;
	uint32_t repeats; /* 0: as many as the steps of an open loop need */
	double error_limit;
	struct cancel cancel;
	struct think_wish think;
	unsigned retries; /* retries of refused requests */
	int history;      /* 0: not given; else enum history_wish */
	int top;
	bool no_logprobs, no_usage, no_compare, again, redacted, json;
	bool fresh;        /* a connection for each request */
	bool force_tokens; /* score the recorded answers, generate none */
	bool even;         /* limit counts sessions, taken in turn from all categories */
	bool extends;      /* more repeats continue the same run */
	struct operands line;
};

/* Rows for struct replay_options that recipes have too: which requests, and how they are sent. */
extern const struct option_row REPLAY_CHOICE_OPTIONS[], REPLAY_SEND_OPTIONS[];

/* Reads the command line; prints --help or an error. False: return *ret_code. */
bool replay_options_read(
        int argc, char **argv, struct replay_options *ret, int *ret_code) MUST_CHECK;
/* The text that identifies a run: equal for equal commands. */
void replay_options_put(const struct replay_options *o, struct buf *to);
/* The first given option that has no effect with --force-tokens, without dashes; NULL: none. */
const char *replay_options_beside_forced(const struct replay_options *o);
