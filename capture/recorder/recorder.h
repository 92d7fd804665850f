#pragma once
/*
 * recorder - stores what event loops and the replayer saw, without ever making them wait.
 *
 *	loop threads --items--> encoders (compress, read) --> one writer thread --> segment
 *
 * All items of one owner (an exchange or a leg, whose id is not zero) go through one encoder, in
 * order. A leg's row comes last and makes its parts valid. The queue is limited in bytes: by
 * queue_limit, and by the budget, which counts the chunks in it. If it is over half full, parts are
 * stored uncompressed, and answers are marked LEG_UNREAD. If it is full, parts are refused, and the
 * caller marks its row truncated. A row may exceed the limit by a quarter; if there is no room even
 * so, its unit is dropped (DROP_MEMORY). After an error of the disk or the map, the batch's units
 * are dropped (DROP_DISK), and the writer tries a new segment after 1 s, then every 5 s; recording
 * resumes by itself.
 *
 * recorder_create() and recorder_stop(): one thread. All other functions: any thread, never after
 * recorder_stop().
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/recorder/ledger.h"
#include "capture/recorder/priority.h"
#include "capture/record.h"
#include "capture/privacy/redact.h"

/* Copied, with the texts; budget and redact must outlive the recorder. */
struct recorder_settings {
	const char *path;      /* the capture's directory; created (0700) if absent */
	uint64_t segment_size; /* bytes of a segment's map; 0: SEGMENT_SIZE (segment.h) */
	uint64_t max_size;     /* bytes of the whole capture; 0: no limit */
	bool drop_oldest; /* at max_size: true deletes the oldest segments, false stops recording */
	uint64_t retain;  /* ns; segments last written longer ago are deleted; 0: never */
	bool durable;     /* as for segment_create() */
	size_t queue_limit; /* bytes; 0: 128 MiB */
	unsigned encoders;  /* number of threads; 0: 1 */
	enum scheduling scheduling;
	struct budget *budget;     /* counts what waits; NULL: no limit */
	const char *settings_json; /* stored in each segment's meta row; must not have secrets */
	bool drops_empty; /* recorder_stop() removes a capture that it created and that is empty */
	const uint8_t *hash_key; /* 32 bytes, the key of a new capture; NULL: a random key */
	/* How much is stored; 0: full. redact: what is private; NULL for full content. */
	enum content content;
	const struct redact_policy *redact;
	/* The encoders' threads call it with each leg's row, also unread. May be NULL. */
	void (*on_read)(void *arg, const struct leg_row *row);
	void *on_read_arg;
};

struct recorder;

/*
 * Opens or creates the capture, a directory with a marker file (marker.h). Returns NULL, and in
 * *ret_error a sentence that the caller frees, if the directory is not empty and has no marker, has
 * a newer format, or is not writable; nothing is then changed.
 */
struct recorder *recorder_create(const struct recorder_settings *s, char **ret_error);
const uint8_t *recorder_hash_key(const struct recorder *r); /* 32 bytes */
struct id recorder_run(const struct recorder *r);           /* the run of this process's traffic */

/*
 * Adds a piece of a part, takes over its references and empties *pieces, even if it returns false.
 * n: the piece's number for this owner and type, from 0. False: there is no room or the piece is
 * too large, so it is lost, and the next piece gets the same n. After a refused piece of a response
 * body all later ones are refused, too, so that what is stored is a beginning of the body.
 */
bool recorder_part(struct recorder *r, struct id owner, enum part_type type, uint32_t n,
        struct chunks *pieces) MUST_CHECK;

/* Gives the recorder what it needs to read a leg's answer while the answer's parts pass. Copies
 * hints and coding. Call it before the leg's first response part. coding: the content coding, or
 * NULL. */
void recorder_leg_begin(
        struct recorder *r, struct id leg, const struct reading_hints *hints, const char *coding);

/*
 * Adds a row, takes over its strings and edits (the inserted bytes must come from malloc), and
 * zeroes *row. The unit completes in `book` and is pending until the row is committed or lost. book
 * NULL: the ledger does not count this row (a primary's leg: the exchange's row counts). read
 * false: makes no reading (LEG_UNREAD).
 */
void recorder_leg(struct recorder *r, struct leg_row *row, bool read, struct ledger_book *book);
void recorder_exchange(struct recorder *r, struct exchange_row *row, struct ledger_book *book);

/*
 * Stores a copy of a backend's manifest. Call it before the legs that name it.
 */
void recorder_manifest(struct recorder *r, const struct manifest_row *row);

/* Stores a copy of changed settings: a new segment begins, whose meta row has them. */
void recorder_settings_changed(struct recorder *r, const char *settings_json);

struct buckets;

/* Sums since recorder_create(), except queued_* and capture_bytes. errors: failed writes; deleted:
 * segments; unread: legs; truncated: rows. */
struct recorder_figures {
	uint64_t rows, parts, bytes_in, bytes_stored, commits, errors, segments, deleted, unread,
	        truncated;
	size_t queued_bytes, queued_items;
	uint64_t capture_bytes;       /* bytes of all segments on disk */
	bool failing;                 /* the last attempt to write failed */
	const struct buckets *commit; /* durations of commits, µs; the recorder owns it */
	enum content content;
	struct redact_counts redacted;
};
void recorder_figures(struct recorder *r, struct recorder_figures *ret);

/* For callers that can wait, so that nothing is lost: waits while more than RECORDER_ROOM bytes
 * are queued, unless writing fails. Never call it on an event loop. */
#define RECORDER_ROOM ((size_t)16 << 20)
void recorder_wait_for_room(struct recorder *r);
/* Stores a copy of all bytes of a part. waits: calls recorder_wait_for_room() before each piece,
 * and the budget counts none. Returns the number of pieces; *ret_whole false: only a beginning is
 * stored. */
uint32_t recorder_put(struct recorder *r, struct id owner, enum part_type type, struct span data,
        bool waits, bool *ret_whole);

#define RECORDER_STOP_GRACE_NS 2000000000u

/*
 * Writes what is queued for at most timeout_ns and drops the rest as DROP_STOPPED. Seals the
 * segment, or removes it if nothing was written to it. Then frees everything. After timeout_ns the
 * current commit and the seal get RECORDER_STOP_GRACE_NS more, and each encoder finishes its
 * current item.
 *
 * If the disk still does not answer, the commit's tickets are dropped as DROP_STOPPED (its rows may
 * be on disk), the segment stays unsealed, and the writer's thread and its memory are abandoned:
 * the process should end. The kernel may delay that end as long as it blocks the thread.
 */
void recorder_stop(struct recorder *r, uint64_t timeout_ns);
