#pragma once
/*
 * manifest - what is known of a backend's stack: a list of facts, each with where it was learned.
 *
 * Facts have stable names (manifest_names()); the paper's reporting checklist is those names in
 * order, and what has no fact is unknown. Texts only: a manifest is for people and for comparing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct fact {
	char *name; /* of manifest_names(), or "flag.NAME", "note.NAME", "state.NAME" (moves by itself) */
	char *value;
	char *source; /* "GET /props", "POST /api/show", "answers", "configuration" */
};

struct manifest {
	char *backend;    /* name in the configuration; NULL for a probe */
	char *url;        /* without credentials */
	char *dialect;    /* its name (backends/dialect.h) */
	uint64_t wall_ns; /* when it was learned */
	struct fact *facts;
	size_t n_facts;
	size_t json_bytes; /* what the facts take in manifest_json() */
	bool partial;      /* a question was not answered in time; not part of the facts */
};

struct manifest_name {
	const char *name;  /* "engine", "engine.version", "model", "model.precision", ... */
	const char *title; /* "Engine version" */
	const char *
	        section; /* of the checklist: "Engine", "Model", "Decoding", "Serving", "Hardware" */
	const char *hint; /* how to find it out where the engine does not tell */
	bool must;        /* a publication must name it */
};
const struct manifest_name *manifest_names(size_t *ret_n);
const struct manifest_name *manifest_name_find(const char *name); /* or NULL */

#define MANIFEST_VALUE_LIMIT 200   /* bytes of a value that is kept as it is */
#define MANIFEST_FACTS_LIMIT 1024  /* further ones are left out */
#define MANIFEST_JSON_LIMIT 524288 /* bytes that manifest_parse() takes */

/* Texts are copied. Without a dialect it is "generic". */
struct manifest *manifest_create(const char *backend, const char *url, const char *dialect);
/* Keeps facts in the checklist's order; the same name again replaces. An empty value is none. A fact
 * beyond the limits of number and of MANIFEST_JSON_LIMIT is left out. */
void manifest_set(struct manifest *m, const char *name, const char *value, const char *source);
const char *manifest_get(const struct manifest *m, const char *name); /* or NULL */
struct manifest *manifest_copy(const struct manifest *m);
void manifest_destroy(struct manifest *m); /* NULL is fine */

/* The same facts have the same digest: by it a change is seen. Time and sources don't count, nor do
 * facts that move by themselves (load). */
void manifest_digest(const struct manifest *m, uint8_t digest[16]);
/* What changed from a to b, by name; the strings are theirs, the caller frees the array. */
struct manifest_change {
	const char *name;
	const char *was, *is; /* NULL: not known then, not known any more */
};
struct manifest_change *manifest_diff(
        const struct manifest *a, const struct manifest *b, size_t *ret_n);
/* One JSON object; the caller frees it. */
char *manifest_json(const struct manifest *m);
/* NULL: not one that manifest_json() made. */
struct manifest *manifest_parse(const char *json);
