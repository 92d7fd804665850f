#pragma once
/*
 * probe - what an engine really honours, seen in its answers to a few tiny requests.
 *
 * A field that is accepted is not a field that is honoured: whatever is said here was seen, and each
 * statement says what was sent and what came. At most PROBE_REQUESTS_LIMIT requests, each with a
 * limit and a timeout; no more than PROBE_TIME_LIMIT_MS in all; a server that lets three of them
 * time out is left alone. Requests known to hang or to run away in some engine are sent only when
 * settings.risky says so, one at a time, each on a connection of its own and followed by a look
 * whether the engine is still there.
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
	STANDING_UNKNOWN,  /* not tried, or what came does not tell */
	STANDING_HONOURED, /* seen in an answer */
	STANDING_IGNORED,  /* accepted, and nothing came of it */
	STANDING_REFUSED,  /* said no */
	STANDING_WRONG,    /* something came, and it is not right */
	STANDING_ABSENT,   /* not there, and nobody was promised it */
};
const char *standing_name(enum standing s); /* "honoured", ... */

struct capability {
	const char *name;  /* stable: "logprobs.chat" */
	const char *title; /* "Logprobs, chat" */
	enum standing standing;
	char *value;    /* "20", "text", "one choice"; NULL: standing says it all */
	char *evidence; /* what was sent and what came; NULL: not tried */
};

enum gravity {
	GRAVITY_NOTE,    /* good to know */
	GRAVITY_WARNING, /* a field is ignored, or something is unusual */
	GRAVITY_FAULT,   /* answers or figures are wrong, missing, or never come */
};
const char *gravity_name(enum gravity g); /* "note", "warning", "fault" */

struct finding {
	const char *name; /* stable: "logprobs.chat.silent" */
	enum gravity gravity;
	char *title;    /* one sentence */
	char *evidence; /* what was sent and what came */
	char *advice;   /* what to do about it; NULL: nothing */
};

struct probe_settings {
	struct call_line *line;
	const struct identity *identity;
	const char *model;   /* NULL: requests go without one */
	uint64_t timeout_ms; /* of a generation; 0: PROBE_TIMEOUT_MS */
	bool risky;
	/* Before each step; may be NULL. */
	void (*on_step)(void *arg, const char *what, unsigned requests);
	void *arg;
};

struct probe_report {
	struct capability *capabilities; /* all that there are, in the order to be shown */
	size_t n_capabilities;
	struct finding *findings; /* the gravest first */
	size_t n_findings;
	unsigned requests;
	uint64_t total_ms;
	char *fingerprint;  /* system_fingerprint of an answer; NULL: none */
	char *answer_model; /* as the answers name it; NULL: not at all */
	bool stopped;       /* by call_line_stop() */
	bool mute;          /* ended early: several questions found no answer in time */
	bool no_route;      /* ended early: neither chat nor completions gives an answer */
	char *problem;      /* why it ended early; NULL: it went through */
};

struct probe_report *probe_run(const struct probe_settings *s);
void probe_report_destroy(struct probe_report *r); /* NULL is fine */
const struct capability *probe_capability(const struct probe_report *r, const char *name);
