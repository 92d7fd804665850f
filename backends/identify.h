#pragma once
/*
 * identify - which engine answers at a URL, told by GETs alone.
 *
 * The paths come from the dialects' signs, each asked once, in the order of wire knowledge (models,
 * version, props, ...), 2 s each at most. Nothing that generates, nothing that changes state. A
 * server that answers nothing at all ends it after the first two timeouts.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/call.h"
#include "backends/dialect.h"

enum sureness {
	SURE_NOT,    /* nothing answered, or nothing fits: generic */
	SURE_WEAK,   /* weak signs only */
	SURE_LIKELY, /* 60 and more, and well before the next */
	SURE_CERTAIN,
};
const char *sureness_name(enum sureness s);

struct evidence {
	const struct dialect *dialect; /* whose sign it is */
	const struct sign *sign;
	char *text; /* "GET /version says version 0.32.0" */
};

/* What a GET gave, kept for the manifest and for reports. */
struct seen {
	char *path;
	enum call_end end;
	int status;
	char *body; /* NUL-terminated, up to 256 KiB; NULL when none */
	char *head; /* "Name: value" lines */
};

struct identity {
	const struct dialect *dialect; /* generic if none fits; never NULL */
	enum sureness sure;
	int score;     /* of 100 */
	char *version; /* NULL: not told */
	char **models; /* ids of /v1/models */
	size_t n_models;
	struct evidence *evidence; /* of the dialect first, then of the others */
	size_t n_evidence;
	struct seen *seen;
	size_t n_seen;
	char *gateway;  /* what stands before the engine, by header fields: "LiteLLM"; or NULL */
	bool reachable; /* something answered in HTTP */
	bool spared;    /* named by identify_gently(), which asked no further; nor may others */
	char *problem;  /* why nothing answered, or why little was told; NULL: all is well */
};

/* timeout_ms: of each GET; 0: 2000. */
struct identity *identify(struct call_line *c, uint64_t timeout_ms);
/*
 * For who may not disturb what runs there. An engine that bears one request at a time
 * (ABILITY_ONE_AT_A_TIME) breaks off the answer that it is giving when it is asked for its models:
 * so /openapi.json comes first, and if that names such an engine, nothing else is asked and no
 * models are known. Else as identify().
 */
struct identity *identify_gently(struct call_line *c, uint64_t timeout_ms);
void identity_destroy(struct identity *i);                                    /* NULL is fine */
const struct seen *identity_seen(const struct identity *i, const char *path); /* or NULL */
/* Is a model of that name among its own, as the engine understands names? */
bool identity_lists(const struct identity *i, const char *model);

/*
 * Does something there answer GETs as engines do: its models, or an engine's own page, in JSON? A server of files, a proxy's
 * page of errors and a gateway that asks for a key first do not.
 */
bool identity_answers(const struct identity *i);
/* The status of GET /v1/models, if it asks for a key that is missing or wrong: 401 or 403; else 0. */
int identity_locked(const struct identity *i);

/* For who has the answers already: an identity of nothing, which identity_add() tells of one answer
 * after another (it takes what seen points to) and identity_conclude() then judges. Pure. */
struct identity *identity_create(void);
void identity_add(struct identity *i, struct seen seen);
void identity_conclude(struct identity *i);
