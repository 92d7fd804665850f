#pragma once
/*
 * manifest - what is known of a backend's stack: a list of facts, each with its source.
 *
 * Facts have stable names (manifest_names()), in the order of the paper's reporting checklist; a
 * name without a fact is unknown. All values are texts, for people and for comparing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct fact {
	/* of manifest_names(), or "flag.NAME", "note.NAME", "state.NAME" (changes by itself) */
	char *name;
	char *value;
	char *source; /* "GET /props", "POST /api/show", "answers", "configuration" */
};

struct manifest {
	char *backend;    /* name in the configuration; NULL for a probe */
	char *url;        /* without credentials */
	char *dialect;    /* its name (backends/dialect.h) */
	uint64_t wall_ns; /* when it was observed */
	struct fact *facts;
	size_t n_facts;
	size_t json_bytes; /* size of the facts in manifest_json() */
	bool partial;      /* a question got no answer in time; not part of the facts */
};

struct manifest_name {
	const char *name;  /* "engine", "engine.version", "model", "model.precision", ... */
	const char *title; /* "Engine version" */
	const char *
	        /* section of the checklist: "Engine", "Model", "Decoding", "Serving", "Hardware" */
	        section;
	const char *hint; /* how to find it out if the engine does not state it */
	bool must;        /* a publication must state it */
};
const struct manifest_name *manifest_names(size_t *ret_n);
const struct manifest_name *manifest_name_find(const char *name); /* or NULL */

#define MANIFEST_VALUE_LIMIT 200   /* bytes of a value that is kept unchanged */
#define MANIFEST_FACTS_LIMIT 1024  /* the most facts; further ones are dropped */
#define MANIFEST_JSON_LIMIT 524288 /* bytes that manifest_parse() accepts */

/* Texts are copied. Without a dialect it is "generic". */
struct manifest *manifest_create(const char *backend, const char *url, const char *dialect);
/* Adds or replaces a fact; facts stay in the checklist's order. An empty value is ignored. Facts
 * beyond the limits are dropped. */
void manifest_set(struct manifest *m, const char *name, const char *value, const char *source);
const char *manifest_get(const struct manifest *m, const char *name); /* or NULL */
void manifest_destroy(struct manifest *m);                            /* NULL is fine */

/* A hash of the facts, to detect changes. Time, sources and "state." facts do not count. */
void manifest_digest(const struct manifest *m, uint8_t digest[16]);
/* The differences from a to b, by name. Strings belong to a and b; the caller frees the array. */
struct manifest_change {
	const char *name;
	const char *was, *is; /* NULL: unknown then; unknown now */
};
struct manifest_change *manifest_diff(
        const struct manifest *a, const struct manifest *b, size_t *ret_n);
/* One JSON object; the caller frees it. */
char *manifest_json(const struct manifest *m);
/* Returns NULL unless manifest_json() made it. */
struct manifest *manifest_parse(const char *json);
