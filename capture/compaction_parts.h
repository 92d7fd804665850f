#pragma once
/*
 * compaction_parts - the parts of one owner (an exchange or a leg) from all segments. For the
 * compaction only.
 */
#include "capture/capture_source.h"
#include "capture/salvage.h"

struct part_value {
	enum part_type type;
	size_t order;           /* how many values of the owner were read before */
	struct span key, value; /* point into the segments, which nobody may write to */
};

/* Which owners have parts in one segment. known: the other members are set; any: there are parts,
 * and least and greatest are set. */
struct owner_range {
	bool known, any;
	struct id least, greatest;
};

struct owned_parts { /* zero-initialised is empty */
	struct id owner;
	struct part_value *items;
	size_t n, room;
	struct owner_range *ranges; /* by index of the segment */
	size_t n_ranges;
	struct buf scratch, key, bytes, values;
};

/* Replaces the values in *p by those of this owner in the first n sources, sorted by type, then in
 * the order in which they were read. All calls for one *p must get the same array of sources. The
 * functions below return 0 or a negative errno. */
int owned_parts_read(struct owned_parts *p, struct id owner, const struct capture_source *sources,
        size_t n) MUST_CHECK;
/* Appends the owner's part of this type: the payloads of its values. -ENOENT: there are none. */
int owned_parts_gather(struct owned_parts *p, enum part_type type, struct buf *to) MUST_CHECK;
/* Stores all parts in the new capture, except those of type `without` (0: no exception). Adds to
 * *packed the number of parts that were uncompressed until now. */
int owned_parts_put(struct owned_parts *p, struct salvage *to, enum part_type without,
        uint64_t *packed) MUST_CHECK;
/* Stores bytes as the owner's part of this type, in place of its old parts. */
int owned_parts_put_new(struct owned_parts *p, struct salvage *to, enum part_type type,
        struct span bytes, enum record_packing packing) MUST_CHECK;
void owned_parts_finish(struct owned_parts *p);
