#pragma once
/*
 * summary - a replay's outcome in words, as JSON, and as the result file of vLLM's benchmark; and how it is
 * doing while it runs.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/figures.h"
#include "replay/runner.h"
#include "replay/source.h"
#include "replay/steps.h"

struct summary {
	const char *source, *capture; /* directory in which the answers are */
	const struct target
	        *target;     /* of several the first: those are in load, with figures each */
	const char *version; /* of the engine, or NULL */
	const char *model;   /* the first that was asked for, or NULL */
	const struct runner_settings *load;
	const struct pace *pace;   /* of LOAD_RATE */
	const struct steps *steps; /* NULL: it had none */
	const struct figures *figures;
	const struct runner_result *result;
	const struct source_scan *scan;
	struct id run;
	bool resumed;
	uint64_t sends;  /* of the whole plan */
	uint64_t before; /* recorded by earlier processes of this run */
	uint64_t again;  /* sent again, since the record of the first time was lost */
	uint64_t lost;   /* answers that could not be written to the capture */
};

void summary_text(const struct summary *r, FILE *to);
/* One line: {"event":"end", ...}. */
void summary_json(const struct summary *r, FILE *to);
/* What `vllm bench serve --save-result` writes: figures from the send, in milliseconds. 0, or -errno. */
int summary_save(const struct summary *r, const char *path) MUST_CHECK;
const char *summary_end_name(enum runner_end e);

/* The live view: a line that moves on a terminal, a line now and then elsewhere, or events. */
struct view {
	bool json;     /* events on standard output */
	bool terminal; /* standard error is one */
	uint64_t shown;
	uint64_t marked, over; /* a moment of late, and the answers by then */
	double rate;           /* since the mark before */
	bool has_rate;
	bool moved;               /* the line stands there */
	const struct figures *of; /* what the marks are of */
};
void view_init(struct view *v, bool json);
void view_begin(struct view *v, const struct summary *r);
/* One repeat of one of several lanes begins; what follows is of it. */
void view_pass(struct view *v, const struct summary *r, uint32_t repeat);
/* A step of an open loop is over; other figures follow. */
void view_step(struct view *v, const struct step *s);
/* As runner_settings.on_tick; arg is the view. */
void view_tick(void *arg, const struct figures *f, uint64_t left, bool last);
