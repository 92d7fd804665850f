#pragma once
/*
 * recorder - stores what event loops and the replayer saw, without ever making them wait.
 *
 *	loop threads --items--> encoders (compress, read) --> one writer thread --> segment
 *
 * Items of one owner go through one encoder in order; a leg's row comes last and makes its parts
 * valid. The queue is limited in bytes (queue_limit, and the process's budget through the chunks
 * that it holds). Over half full, parts are stored raw and unread, and the leg is marked. When it
 * is full, parts are refused and the caller marks its row truncated. Rows are always accepted (they
 * are small), so that every unit ends in the ledger. After an error of the disk or the map, the
 * batch's tickets are dropped (DISK), and the writer tries a new segment after 1 s, then every 5 s;
 * recording resumes by itself.
 *
 * create, stop: one thread. Push functions: any thread, never after stop.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/ledger.h"
#include "capture/priority.h"
#include "capture/record.h"
#include "capture/privacy/redact.h"

struct recorder_settings {
	const char *path;      /* the capture's directory; created (0700) if absent */
	uint64_t segment_size; /* map of a segment, bytes; 1 GiB */
	uint64_t max_size;     /* of the whole capture; 0: no limit */
	bool drop_oldest; /* when max_size is reached: delete oldest segments, else stop recording
	                   */
	uint64_t retain;  /* ns; older segments are deleted; 0: never */
	bool durable;
	size_t queue_limit; /* bytes; 64 MiB */
	unsigned encoders;  /* threads; 1 */
	enum scheduling scheduling;
	struct budget *budget;
	const char *settings_json; /* stored in each segment's meta, without secrets */
	const uint8_t *hash_key;   /* 32 bytes to use for a new capture, or NULL: random */
	/* How much is stored; 0: full. The policy must outlive the recorder; NULL for full
	 * content. */
	enum content content;
	const struct redact_policy *redact;
	/* Called for each leg after its reading, from the encoders' threads. May be NULL. */
	void (*on_read)(void *arg, const struct leg_row *row);
	void *on_read_arg;
};

struct recorder;

/*
 * Opens or creates the capture: a directory with a marker file (marker.h). Returns NULL and a
 * sentence that the caller frees if the directory is not empty and has no marker, is of a newer
 * format, or is not writable; nothing is then changed.
 */
struct recorder *recorder_create(const struct recorder_settings *s, char **ret_error);
const uint8_t *recorder_hash_key(const struct recorder *r); /* 32 bytes */
struct id recorder_run(const struct recorder *r);           /* the run of this process's traffic */

/*
 * Adds a piece of a part and takes over its references. n: number of the piece of this owner and
 * type, from 0. False: no room; the caller keeps the references, the piece is lost, and n is not
 * used. After a refused piece of a response body all later ones are refused too, so that a
 * beginning of the body is stored.
 */
bool recorder_part(struct recorder *r, struct id owner, enum part_type type, uint32_t n,
        struct chunks *pieces) MUST_CHECK;

/* Tells the recorder what it needs to read a leg's answer while the answer's parts pass through.
 * Call before the leg's first response part. */
void recorder_leg_begin(
        struct recorder *r, struct id leg, const struct reading_hints *hints, const char *coding);

/*
 * Adds a row and takes over its strings and edits (with each edit's inserted bytes, from malloc);
 * the struct is zeroed. The unit completes in `book` and is pending until the row is committed or
 * lost. read: false leaves the leg unread. book NULL: no accounting (a primary's leg: its
 * exchange's row is accounted for).
 */
void recorder_leg(struct recorder *r, struct leg_row *row, bool read, struct ledger_book *book);
void recorder_exchange(struct recorder *r, struct exchange_row *row, struct ledger_book *book);

/*
 * Announces a backend's manifest; copies it. It is stored so that every leg after this call that
 * names it finds it: in the leg's segment, or in an older or newer one.
 */
void recorder_manifest(struct recorder *r, const struct manifest_row *row);

/* Announces changed settings; copies them. A new segment begins, which has them. */
void recorder_settings_changed(struct recorder *r, const char *settings_json);

struct buckets;

struct recorder_figures {
	uint64_t rows, parts, bytes_in, bytes_stored, commits, errors, segments, deleted, unread,
	        truncated;
	size_t queued_bytes, queued_items;
	uint64_t capture_bytes;       /* all segments on disk */
	bool failing;                 /* the last attempt to write failed */
	const struct buckets *commit; /* durations of commits; the recorder's */
	enum content content;
	struct redact_counts redacted;
};
void recorder_figures(struct recorder *r, struct recorder_figures *ret);

/* For callers that can wait, so that nothing is lost: waits while more than RECORDER_ROOM bytes are
 * queued, unless writing fails. Never on an event loop. */
#define RECORDER_ROOM ((size_t)16 << 20)
void recorder_wait_for_room(struct recorder *r);
/* Stores a copy of all bytes of a part. waits: call recorder_wait_for_room() before each piece.
 * Returns the number of pieces; *ret_whole false: only a beginning is stored. */
uint32_t recorder_put(struct recorder *r, struct id owner, enum part_type type, struct span data,
        bool waits, bool *ret_whole);

#define RECORDER_STOP_GRACE_NS 2000000000u

/*
 * Writes what is queued (at most timeout_ns; the rest is dropped as STOPPED), seals the segment,
 * frees everything. After timeout_ns, the current commit and the seal get RECORDER_STOP_GRACE_NS
 * more; encoders finish their current item. If the disk still does not answer, the commit's tickets
 * are dropped as STOPPED (its rows may be on disk anyway), the segment stays unsealed, and the
 * writer's thread and its memory are abandoned: the process should end. The kernel may delay that
 * end as long as it blocks the thread.
 */
void recorder_stop(struct recorder *r, uint64_t timeout_ns);
