#pragma once
/*
 * manifest - what plumbline knows about a backend's stack: a list of facts, each with its source.
 *
 * Facts have fixed names (manifest_names()), in the order of the checklist in docs/manifest.md. If
 * a name has no fact, it is unknown. All values are texts, for people and for comparing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct fact {
	/* one of manifest_names(), or "flag.NAME", "note.NAME", "state.NAME" (changes by itself) */
	char *name;
	char *value;
	char *source; /* such as "GET /props", "answers" or "configuration" */
};

struct manifest {
	char *backend;    /* the backend's name in the configuration; NULL for a probe */
	char *url;        /* without credentials */
	char *dialect;    /* the dialect's name (backends/dialects/dialect.h) */
	uint64_t wall_ns; /* when it was observed */
	struct fact *facts;
	size_t n_facts;
	size_t json_bytes; /* bytes that the facts take in manifest_json() */
	/* a request to the engine got no answer in time; not in manifest_json(), digest or diff */
	bool partial;
};

struct manifest_name {
	const char *name;  /* "engine", "engine.version", "model", "model.precision", ... */
	const char *title; /* "Engine version" */
	/* section of the checklist: "Engine", "Model", "Decoding", "Serving", "Hardware" */
	const char *section;
	const char *hint; /* how to find out the fact if the engine does not state it */
	bool must;        /* a publication must state it */
};
const struct manifest_name *manifest_names(size_t *ret_n);
const struct manifest_name *manifest_name_find(const char *name); /* or NULL */

#define MANIFEST_VALUE_LIMIT 200 /* bytes of a value; of a longer one the collector stores a hash */
#define MANIFEST_FACTS_LIMIT 1024  /* the most facts; further ones are dropped */
#define MANIFEST_JSON_LIMIT 524288 /* bytes that manifest_parse() accepts */

/* Copies the texts. The time of observation is now. dialect NULL: "generic". */
struct manifest *manifest_create(const char *backend, const char *url, const char *dialect);
/* Adds or replaces a fact, with copies of the texts in which control characters became spaces.
 * Facts stay in the checklist's order. A value that is empty or NULL is ignored. Facts beyond the
 * limits are dropped. */
void manifest_set(struct manifest *m, const char *name, const char *value, const char *source);
const char *manifest_get(const struct manifest *m, const char *name); /* or NULL */
void manifest_destroy(struct manifest *m);                            /* NULL is fine */

/* A hash of dialect and facts, to detect changes. It ignores time, sources and "state." facts. */
void manifest_digest(const struct manifest *m, uint8_t digest[16]);
/* The facts in which a and b differ, except "state." facts, in the checklist's order. The strings
 * belong to a and b; the caller frees the array. */
struct manifest_change {
	const char *name;
	const char *was, *is; /* the values in a and in b; NULL: unknown */
};
struct manifest_change *manifest_diff(
        const struct manifest *a, const struct manifest *b, size_t *ret_n);
/* The manifest as one JSON object; the caller frees it. */
char *manifest_json(const struct manifest *m);
/* Reads a text of manifest_json(). NULL: the text has another form. */
struct manifest *manifest_parse(const char *json);
