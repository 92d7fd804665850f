#pragma once
/*
 * sheet - the checklist of one backend for a publication: what is known about each item, what
 * changed during a capture, and how many answers each stack gave.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "capture/capture.h"

struct manifest;
struct manifest_name;

/* One stack of the backend, and its legs. */
struct sheet_state {
	struct id id;              /* id of the manifest; zero: these legs have none */
	struct manifest *manifest; /* NULL: there is none, or it is unreadable */
	uint64_t legs;
	uint64_t first_ns, last_ns; /* wall clock; start of the first and last leg; 0: no leg */
};

struct sheet_replica {
	char *name;
	uint64_t legs;
};

/* The values of one sampling parameter in requests. */
struct sheet_parameter {
	const char *name;
	uint64_t set;
	double low, high;
};

#define SHEET_PARAMETERS 9

struct sheet {
	char *backend; /* NULL: the sheet is of a running engine */
	char *url;
	enum role role;
	struct sheet_state *states; /* ordered by first leg, else by time of observation */
	size_t n_states;
	const struct manifest *now; /* the latest known one, or NULL */
	struct sheet_replica *replicas;
	size_t n_replicas;
	/* all legs; legs of replicas that did not fit into `replicas` */
	uint64_t legs, other_replicas;
	struct sheet_parameter parameters[SHEET_PARAMETERS];
	char *reference; /* names of the capture's references, or NULL */
};

struct sheets {
	struct sheet *items;
	size_t n;
	uint64_t exchanges;
};

/* Makes a sheet of a backend, or of each backend if backend is NULL. Reads the whole capture. */
void sheets_read(struct capture *c, const char *backend, struct sheets *ret);
/* Makes a sheet of one manifest, and takes ownership of it. */
void sheets_of_manifest(struct manifest *m, struct sheets *ret);
void sheets_finish(struct sheets *s);

enum item_status {
	ITEM_TOLD,       /* stated by the engine */
	ITEM_CONFIGURED, /* stated by a person */
	ITEM_ASSUMED,    /* the dialect's default, not stated by the engine */
	ITEM_UNKNOWN,
};
const char *item_status_name(enum item_status s);

/* One line of the checklist. */
struct sheet_item {
	const struct manifest_name *name;
	enum item_status status;
	char *value, *source; /* owned; NULL when unknown */
};
/* Looks up one line; the caller finishes *ret. */
void sheet_item(const struct sheet *s, const struct manifest_name *name, struct sheet_item *ret);
void sheet_item_finish(struct sheet_item *i);

/* The sheets in the form of docs/manifest.md; a new reference. */
json_t *sheets_json(const struct sheets *s);
