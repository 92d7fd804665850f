#pragma once
/*
 * identity - decides which engine answers at a URL, from what GETs returned and the signs of the
 * dialects.
 *
 * Create an identity, add one answer after another, then conclude. Pure; one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/transport/call.h"
#include "backends/dialect.h"

/* Path of the list of models, below the base path. */
#define IDENTITY_MODELS "v1/models"

enum sureness {
	SURE_NOT,    /* nothing answered, or nothing fits: generic */
	SURE_WEAK,   /* weak signs only */
	SURE_LIKELY, /* at least 60, and well ahead of the next one */
	SURE_CERTAIN,
};
const char *sureness_name(enum sureness s);

struct evidence {
	const struct dialect *dialect; /* the dialect that the sign belongs to */
	const struct sign *sign;
	char *text; /* "GET /version says version 0.32.0" */
};

/* The result of a GET, kept for the manifest and for reports. */
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
	char *version; /* NULL: not stated */
	char **models; /* ids of /v1/models */
	size_t n_models;
	struct evidence *evidence; /* of the dialect first, then of others */
	size_t n_evidence;
	struct seen *seen;
	size_t n_seen;
	char *gateway;  /* a gateway before the engine, by header fields: "LiteLLM"; or NULL */
	bool reachable; /* something answered in HTTP */
	/* found by engine_detect_gently(), which stopped there; nobody else may ask either */
	bool spared;
	char *problem; /* why nothing answered, or why little is known; NULL: all is well */
};

struct identity *identity_create(void);
/* Takes ownership of what seen points to. */
void identity_add(struct identity *i, struct seen seen);
/* Decides the dialect and its certainty from what was added so far; more may be added later. */
void identity_choose(struct identity *i);
/* Call once, last: sets the dialect, version, models and problems. */
void identity_conclude(struct identity *i);
void identity_destroy(struct identity *i);                                    /* NULL is fine */
const struct seen *identity_seen(const struct identity *i, const char *path); /* or NULL */
/* True if a model of this name is in its list, as the engine compares names. */
bool identity_lists(const struct identity *i, const char *model);

/*
 * True if something answers GETs as engines do: with its models, or an engine's own page, in JSON.
 * A file server, a proxy's error page and a gateway that requires a key do not.
 */
bool identity_answers(const struct identity *i);
/* True if any request got a complete answer. */
bool identity_any_whole(const struct identity *i);
/* 401 or 403 if GET /v1/models requires a key that is missing or wrong; else 0. */
int identity_locked(const struct identity *i);

/* "/v1/models" and "v1/models" are equal. */
bool identity_same_path(const char *a, const char *b);
