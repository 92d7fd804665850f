#pragma once
/*
 * replay_options - what to send, where to, and how: the options of `plumbline replay` and of the
 * commands that replay.
 */
#include "base/options.h"
#include "capture/formats/trace_units.h"
#include "replay/campaign/replay_backend.h"
#include "replay/cancel.h"
#include "replay/request_choice.h"
#include "replay/load_figures.h"
#include "replay/pace.h"
#include "replay/plan.h"
#include "replay/runner.h"

#define REPLAY_LEVELS 16
#define REPLAY_TARGETS 16
/* The default of --concurrency, for recipes too; replay_job.c lowers it for some engines. The help
 * texts of replay and of the recipes state it as a number. */
#define REPLAY_CONCURRENCY 4

enum spread { SPREAD_ALL, SPREAD_ROUND_ROBIN }; /* each request to all targets; to one in turn */
/* the history of later turns: as recorded; with this run's answers */
enum history_wish { HISTORY_RECORDED = 1, HISTORY_ANSWERED };

struct replay_options {
	const char *source;  /* a file, or the directory of a capture */
	const char *capture; /* directory of the answers */
	const char *save;    /* file for replay_summary_save(); NULL: none */
	struct replay_backend_options backend;
	struct request_choice_rules rules;
	struct trace_units units;
	struct load_figures_goals goals;
	enum load load;
	/* the first level; 0: not given (LOAD_CLOSED: REPLAY_CONCURRENCY; open loops: no limit but
	 * runner_in_flight_limit()) */
	unsigned concurrency;
	unsigned levels[REPLAY_LEVELS];
	size_t n_levels; /* how many numbers --concurrency has */
	const char *to[REPLAY_TARGETS];
	size_t n_to; /* number of targets; backend.to is to[0] */
	enum spread spread;
	struct pace pace; /* LOAD_RATE: its rates */
	enum arrivals arrivals;
	/* burstiness, speed, seed, duration, error_limit, cancel: as in struct runner_settings;
	 * timeout: as in struct target */
	double burstiness, speed;
	enum plan_order order;
	uint64_t seed, duration, timeout; /* times: ns */
	uint64_t limit;   /* the most requests, or sessions if `even`; UINT64_MAX: no limit */
	uint64_t warm_up; /* number of first sends that are the warm-up */
	uint32_t repeats; /* 0: not given; as many as the steps of an open loop need, else one */
	double error_limit;
	struct cancel cancel;
	struct think_time_setting think;
	unsigned retries;  /* the most retries of a request that was refused or got no answer */
	int history;       /* 0: not given; else enum history_wish */
	int top;           /* as in struct target */
	bool no_logprobs;  /* request no logprobs beyond those that the client requested */
	bool no_usage;     /* the same for token counts */
	bool no_compare;   /* do not compare answers with the recorded ones */
	bool again;        /* send everything again, in a new run */
	bool redacted;     /* also send requests whose private texts are placeholders */
	bool json;         /* print JSON */
	bool fresh;        /* a new connection for each request */
	bool force_tokens; /* do not generate; score the recorded answers */
	bool even;         /* `limit` counts sessions, as in struct source_scan */
	bool extends;      /* more repeats extend the run; false: they make another run */
	struct operands line;
};

/* Appends a text that identifies the run: two commands have the same run if this text is equal. */
void replay_options_put(const struct replay_options *o, struct buf *to);
