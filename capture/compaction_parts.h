#pragma once
/*
 * compaction_parts - the parts of one owner, taken from all segments that have any; internal to the compaction.
 */
#include "capture/record.h"
#include "capture/repair/salvage.h"
#include "capture/segment.h"

struct part_value {
	enum part_type type;
	size_t order;
	struct span key, value; /* in the segments' memory */
};

struct owner_range { /* of a segment's parts */
	bool known, any;
	struct id least, greatest;
};

struct owned_parts { /* zero-initialised is empty */
	struct id owner;
	struct part_value *items;
	size_t n, room;
	struct owner_range *ranges; /* by reader */
	size_t n_ranges;
	struct buf scratch, key, bytes, values;
};

/* All values of the owner, by type and then as they are to be read. The readers are the same each time, and nobody
 * writes to their segments. */
int owned_parts_read(struct owned_parts *p, struct id owner, struct segment_reader *const *readers,
        size_t n_readers) MUST_CHECK;
/* The payloads of a type, appended. -ENOENT: there are none. */
int owned_parts_gather(struct owned_parts *p, enum part_type type, struct buf *to) MUST_CHECK;
/* Puts all but those of one type (0: none) into the new capture; *packed counts the parts that were stored raw. */
int owned_parts_put(struct owned_parts *p, struct salvage *to, enum part_type without,
        uint64_t *packed) MUST_CHECK;
/* A part of these bytes, in place of what the owner has of that type. */
int owned_parts_put_new(struct owned_parts *p, struct salvage *to, enum part_type type,
        struct span bytes, enum record_packing packing) MUST_CHECK;
void owned_parts_finish(struct owned_parts *p);
