#pragma once
/*
 * probe_report - what a probe found out: capabilities of the engine, and findings about it. Each
 * has its evidence: what was sent, and what came back. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum standing {
	STANDING_UNKNOWN,  /* not tried, or the answer does not show it */
	STANDING_HONOURED, /* an answer showed its effect */
	STANDING_IGNORED,  /* accepted, without effect */
	STANDING_REFUSED,  /* refused */
	STANDING_WRONG,    /* it had a result, and the result is wrong */
	STANDING_ABSENT,   /* the engine neither has it nor claims to */
};
const char *standing_name(enum standing s); /* "honoured", ... */

struct capability {
	const char *name;  /* never changes: "logprobs.chat" */
	const char *title; /* "Logprobs, chat" */
	enum standing standing;
	const char *value;    /* a detail, such as "20", "text", "one choice"; NULL: none */
	const char *evidence; /* what was sent and what came back; NULL: not tried */
};

enum severity {
	SEVERITY_NOTE,    /* good to know */
	SEVERITY_WARNING, /* a field is ignored, or something is unusual */
	SEVERITY_FAULT,   /* answers or figures are wrong or missing, or never arrive */
};
const char *severity_name(enum severity g); /* "note", "warning", "fault" */

struct finding {
	const char *name; /* never changes: "logprobs.chat.silent" */
	enum severity severity;
	const char *title;    /* one sentence */
	const char *evidence; /* what was sent and what came back */
	const char *advice;   /* what the user should do; NULL: nothing */
};

struct probe_report {
	struct arena texts;              /* has the texts of all members */
	struct capability *capabilities; /* all capabilities, in the order of display */
	size_t n_capabilities;
	struct finding *findings; /* most severe first after probe_report_sort() */
	size_t n_findings;
	unsigned requests;
	uint64_t total_ms;
	const char *fingerprint;  /* system_fingerprint of an answer; NULL: none */
	const char *answer_model; /* the model that the answers name; NULL: none */
	bool stopped;             /* call_line_stop() ended it */
	bool no_answers;          /* ended early: several requests got no answer in time */
	bool no_route;            /* ended early: neither chat nor completions gives an answer */
	const char *problem;      /* a sentence: why it ended early; NULL: it did not */
};

/* All capabilities are STANDING_UNKNOWN. */
struct probe_report *probe_report_create(void);
void probe_report_destroy(struct probe_report *r); /* NULL is fine */
/* The capability with this name; NULL: there is none. */
struct capability *probe_capability(const struct probe_report *r, const char *name);
/* Adds a finding. Its texts must live as long as the report. */
void probe_report_add(struct probe_report *r, struct finding finding);
/* Puts the most severe findings first; those of one severity stay in their order. */
void probe_report_sort(struct probe_report *r);
