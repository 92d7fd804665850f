#pragma once
/*
 * engine_identity - decides which engine answers at a URL, by comparing its answers with the
 * dialects' signs.
 *
 * Create an identity, add one answer after another, then conclude. Pure; one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/transport/call.h"
#include "backends/dialects/dialect.h"

/* Path of the list of models, below the base path. */
#define ENGINE_IDENTITY_MODELS "v1/models"

enum sureness {
	SURE_NOT,     /* generic: no answer, no dialect fits, or two fit equally */
	SURE_WEAK,    /* a lower score, or one near the next dialect's */
	SURE_LIKELY,  /* a score of at least 60, and 20 above the next dialect's */
	SURE_CERTAIN, /* a score of 100, and 20 above the next dialect's */
};
const char *sureness_name(enum sureness s);

struct evidence {
	const struct dialect *dialect; /* the dialect that the sign belongs to */
	const struct sign *sign;
	char *text; /* what was seen, such as "GET /version says version 0.32.0" */
};

/* The result of a GET, kept for the manifest and for reports. */
struct engine_response {
	char *path;
	enum call_end end;
	int status;
	char *body; /* NUL-terminated, at most 256 KiB; NULL: none */
	char *head; /* "Name: value" lines; NULL: none */
};

struct engine_identity {
	const struct dialect *dialect; /* generic if none fits; never NULL */
	enum sureness sure;
	int score;     /* the dialect's score, of 100 */
	char *version; /* NULL: not stated */
	char **models; /* ids of /v1/models */
	size_t n_models;
	struct evidence *evidence; /* that of the chosen dialect first, then that of others */
	size_t n_evidence;
	struct engine_response *responses;
	size_t n_responses;
	/* a gateway in front of the engine, known by header fields, such as "LiteLLM"; or NULL */
	char *gateway;
	bool reachable; /* an HTTP answer has arrived */
	/* a gentle engine_detect() found an engine to which nobody may send another request */
	bool spared;
	/* a sentence: why there was no answer, or why little is known; NULL: no problem */
	char *problem;
};

struct engine_identity *engine_identity_create(void);
/* Adds an answer and takes ownership of its strings. */
void engine_identity_add(struct engine_identity *i, struct engine_response response);
/* Decides the dialect and its certainty from what was added so far; more may be added later. */
void engine_identity_choose(struct engine_identity *i);
/* Call it once, last: chooses again, and sets version, models and problem. */
void engine_identity_conclude(struct engine_identity *i);
void engine_identity_destroy(struct engine_identity *i); /* NULL is fine */
const struct engine_response *engine_identity_response(
        const struct engine_identity *i, const char *path); /* or NULL */
/* True if the engine's list has a model with this name, compared as the engine compares names. */
bool engine_identity_lists(const struct engine_identity *i, const char *model);

/*
 * True if the server answers GETs as engines do: its dialect is at least SURE_LIKELY, or a GET got
 * status 200 with a JSON object or array. A file server, a proxy's error page and a gateway that
 * requires a key do not.
 */
bool engine_identity_answers(const struct engine_identity *i);
bool engine_identity_any_complete(const struct engine_identity *i); /* a GET got a whole answer */
/* The status 401 or 403 if GET /v1/models requires a key that is missing or wrong; else 0. */
int engine_identity_locked(const struct engine_identity *i);

/* True if the paths are equal, with or without a leading slash. */
bool engine_identity_same_path(const char *a, const char *b);
