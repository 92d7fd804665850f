#pragma once
/*
 * capture_source - one segment as a part of a capture. For capture*.c only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/keyset.h"
#include "capture/row_name.h"

/* The next key of a table that has not been merged yet. */
struct capture_cursor {
	uint8_t key[LEG_KEY_SIZE];
	size_t len;
	struct span
	        value; /* the row's, until the snapshot is renewed; data NULL: to be looked up */
	bool begun;    /* key is the next row's, else where to seek it */
	bool ended;
};

struct capture_source {
	const char *dir; /* the capture's */
	size_t dir_number;
	struct id id;
	bool live;
	struct segment_reader *reader;
	uint64_t end;        /* live: the last commit number when the capture was opened */
	uint64_t logged;     /* the last one that was looked at */
	struct keyset later; /* live: keys committed after the capture was opened */
	struct capture_cursor exchanges, legs;
	struct keyset hit; /* damaged parts: owner and type */
};

/* Which of the manifests stands for one. */
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
	uint64_t renewed_ns;
	struct buf fetched, scratch, key;
	/* Memory of readings that are done with, as many as most exchanges have. */
	struct arena used[2];
	struct manifest_row *manifests; /* by id; of each stack the oldest */
	size_t n_manifests;
	struct capture_stack *stacks; /* by id: of every manifest */
	size_t n_stacks;
	bool has_manifests;
};

void capture_problem(struct capture *c, const char *format, ...) PRINTF(2, 3);
/* A part of the segment is damaged, or the disk cannot give it; key: its owner and type. Counted and told once. */
void capture_note_hit(struct capture *c, struct capture_source *s, struct span key);
/* The segment cannot be read any further. */
void capture_give_up(struct capture *c, struct capture_source *s, int error);
/* Unless they were read before; the snapshots are fresh. */
void capture_read_manifests(struct capture *c);
/* Once they were read. NULL: the capture has no such manifest. */
const struct manifest_row *capture_stack_of(const struct capture *c, struct id manifest);
void capture_finish_manifests(struct capture *c);
/* Fresh snapshots of the live segments, if the present ones are a second old. Ends the use of all
 * values. */
void capture_renew(struct capture *c);
