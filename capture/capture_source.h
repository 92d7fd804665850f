#pragma once
/*
 * capture_source - one segment as a part of a capture. For capture*.c and compaction.c only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/keyset.h"
#include "capture/row_name.h"

/* The position in one table: the next row that capture_next() has not returned. */
struct capture_cursor {
	uint8_t key[LEG_KEY_SIZE];
	size_t len;
	/* the row's value, until the snapshot is renewed; data NULL: not looked up yet */
	struct span value;
	bool begun; /* true: `key` is the next row's key; false: the next row has a key >= `key` */
	bool ended;
};

struct capture_source {
	const char *dir; /* the capture's directory */
	size_t dir_number;
	struct id id;
	bool live;
	struct segment_reader *reader; /* NULL: an error ended the reading */
	uint64_t end;    /* live segment: its last commit number when the capture was opened */
	uint64_t logged; /* the last commit number that was read from the log */
	/* live segment: rows committed after the capture was opened; the capture ignores them */
	struct keyset later;
	struct capture_cursor exchanges, legs;
	struct keyset damaged; /* keys (owner and type) of damaged parts */
};

/* For one manifest, the index of the oldest manifest that states the same facts. */
struct capture_stack {
	struct id manifest;
	size_t row;
};

struct capture {
	char **dirs;
	size_t n_dirs;
	struct capture_source *sources; /* by directory, then by age */
	size_t n_sources;
	char **problems;
	size_t n_problems;
	struct capture_figures figures;
	uint64_t renewed_ns; /* clock_mono() of the last capture_renew() */
	struct buf fetched, scratch, key;
	/* Memory of finished readings, kept for reuse. Two are enough for most exchanges. */
	struct arena spare[2];
	/* by id; of manifests with the same facts only the oldest */
	struct manifest_row *manifests;
	size_t n_manifests;
	struct capture_stack *stacks; /* by id; one for each manifest */
	size_t n_stacks;
};

/* Counts and reports a damaged or unreadable part once. key: its owner and type. */
void capture_report_damage(struct capture *c, struct capture_source *s, struct span key);
/* Stops reading the segment because of an error (a negative errno), and adds a problem. */
void capture_abandon_segment(struct capture *c, struct capture_source *s, int error);
/* Reads the manifests of all segments, which must be open. Call it once. */
void capture_read_manifests(struct capture *c);
void capture_finish_manifests(struct capture *c);
/* Renews the snapshots of live segments after a second. Spans into them are then invalid. */
void capture_renew(struct capture *c);
