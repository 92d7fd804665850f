#pragma once
/*
 * probe - what an engine really supports, from its answers to a few tiny requests.
 *
 * An accepted parameter is not always used: every statement here was observed, and says what was
 * sent and what was answered. At most PROBE_REQUESTS_LIMIT requests, each with a limit and a
 * timeout, and at most PROBE_TIME_LIMIT_MS in total. The probe ends after three timeouts. Requests
 * that hang or never end on some engines are sent only with settings.risky, one at a time, each on
 * its own connection and followed by a check that the engine still answers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/identity.h"

#define PROBE_REQUESTS_LIMIT 120
#define PROBE_TIME_LIMIT_MS 1500000
#define PROBE_TIMEOUT_MS 60000
#define PROBE_RISKY_TIMEOUT_MS 20000

enum standing {
	STANDING_UNKNOWN,  /* not tried, or the answer does not show it */
	STANDING_HONOURED, /* its effect was seen in an answer */
	STANDING_IGNORED,  /* accepted, without effect */
	STANDING_REFUSED,  /* refused */
	STANDING_WRONG,    /* there was a result, and it is wrong */
	STANDING_ABSENT,   /* not there, and not promised */
};
const char *standing_name(enum standing s); /* "honoured", ... */

struct capability {
	const char *name;  /* stable: "logprobs.chat" */
	const char *title; /* "Logprobs, chat" */
	enum standing standing;
	char *value;    /* "20", "text", "one choice"; NULL: the standing says it all */
	char *evidence; /* what was sent and answered; NULL: not tried */
};

enum severity {
	SEVERITY_NOTE,    /* good to know */
	SEVERITY_WARNING, /* a field is ignored, or something is unusual */
	SEVERITY_FAULT,   /* answers or figures are wrong, missing, or never arrive */
};
const char *severity_name(enum severity g); /* "note", "warning", "fault" */

struct finding {
	const char *name; /* stable: "logprobs.chat.silent" */
	enum severity severity;
	char *title;    /* one sentence */
	char *evidence; /* what was sent and answered */
	char *advice;   /* what to do; NULL: nothing */
};

struct probe_settings {
	struct call_line *line;
	const struct identity *identity;
	const char *model;   /* NULL: requests go without one */
	uint64_t timeout_ms; /* for one generation; 0: PROBE_TIMEOUT_MS */
	bool risky;
	/* Before each step; may be NULL. */
	void (*on_step)(void *arg, const char *what, unsigned requests);
	void *arg;
};

struct probe_report {
	struct capability *capabilities; /* all of them, in the order of display */
	size_t n_capabilities;
	struct finding *findings; /* most severe first */
	size_t n_findings;
	unsigned requests;
	uint64_t total_ms;
	char *fingerprint;  /* system_fingerprint of an answer; NULL: none */
	char *answer_model; /* as the answers name it; NULL: they do not */
	bool stopped;       /* by call_line_stop() */
	bool mute;          /* ended early: several requests got no answer in time */
	bool no_route;      /* ended early: neither chat nor completions gives an answer */
	char *problem;      /* why it ended early; NULL: it did not */
};

struct probe_report *probe_run(const struct probe_settings *s);
void probe_report_destroy(struct probe_report *r); /* NULL is fine */
const struct capability *probe_capability(const struct probe_report *r, const char *name);
