#pragma once
/*
 * identity - which engine answers at a URL, judged by what GETs gave and by the signs of the dialects.
 *
 * An identity of nothing is told of one answer after another and then judged. Pure; one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/transport/call.h"
#include "backends/dialect.h"

/* Where an engine names its models; from the base path on. */
#define IDENTITY_MODELS "v1/models"

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

struct identity *identity_create(void);
/* Takes what seen points to. */
void identity_add(struct identity *i, struct seen seen);
/* Which dialect it is by what was told so far, and how surely; more may be told after it. */
void identity_choose(struct identity *i);
/* Once, after the last: the dialect, and what the answers say of version, models and problems. */
void identity_conclude(struct identity *i);
void identity_destroy(struct identity *i);                                    /* NULL is fine */
const struct seen *identity_seen(const struct identity *i, const char *path); /* or NULL */
/* Is a model of that name among its own, as the engine understands names? */
bool identity_lists(const struct identity *i, const char *model);

/*
 * Does something there answer GETs as engines do: its models, or an engine's own page, in JSON? A server of files, a proxy's
 * page of errors and a gateway that asks for a key first do not.
 */
bool identity_answers(const struct identity *i);
/* Did any of what was asked come to its end? */
bool identity_any_whole(const struct identity *i);
/* The status of GET /v1/models, if it asks for a key that is missing or wrong: 401 or 403; else 0. */
int identity_locked(const struct identity *i);

/* "/v1/models" and "v1/models" are one. */
bool identity_same_path(const char *a, const char *b);
