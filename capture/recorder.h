#pragma once
/*
 * recorder - takes what loops and the replayer saw and puts it on the disk, without ever making
 * them wait.
 *
 *	loop threads --items--> encoders (compress, read) --> one writer thread --> segment
 *
 * Items of one owner go through one encoder in order; a leg's row is handed over last and makes its
 * parts valid. The queue is bounded in bytes (queue_limit, and the process-wide budget through the
 * chunks it holds). Over half full, parts are stored raw and unread and the leg is marked. Full,
 * parts are refused: the caller marks its row truncated. Rows are always accepted (they are small),
 * so that every unit ends in the ledger. Disk or map trouble: the batch's tickets are dropped
 * (DISK), the writer tries again with a new segment after 1 s, then every 5 s; recording resumes by
 * itself.
 *
 * create, stop: one thread. The push functions: any thread, and never after stop.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/ledger.h"
#include "capture/priority.h"
#include "capture/record.h"
#include "capture/privacy/redact.h"

struct recorder_settings {
	const char *path;      /* the capture's directory; made (0700) if absent */
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
	/* How much is kept; 0: full. The policy must outlive the recorder; NULL for full content. */
	enum content content;
	const struct redact_policy *redact;
	/* Told of each leg once it has been read; from the encoders' threads. May be NULL. */
	void (*on_read)(void *arg, const struct leg_row *row);
	void *on_read_arg;
};

struct recorder;

/*
 * Opens or makes the capture: a directory with a marker file CAPTURE (JSON: plumbline_capture,
 * created, hash_key; 0600). Refused in a sentence (*ret_error, the caller frees it) if the
 * directory is not empty and has no marker, is of a newer format, or can't be written; nothing is
 * touched then.
 */
struct recorder *recorder_create(const struct recorder_settings *s, char **ret_error);
const uint8_t *recorder_hash_key(const struct recorder *r); /* 32 bytes */
struct id recorder_run(const struct recorder *r); /* the run of this process's live traffic */

/*
 * A piece of a part: takes over the references. n counts the pieces of this owner and type from 0.
 * False: no room; the references are given back and the piece is lost, n is not used up. Once a
 * piece of a leg's response body was refused, all later ones of that leg are, so that what is
 * stored is the body's beginning.
 */
bool recorder_part(struct recorder *r, struct id owner, enum part_type type, uint32_t n,
        struct chunks *pieces) MUST_CHECK;

/* What the recorder needs to make a leg's reading while its parts pass; before its first response
 * part. */
void recorder_leg_begin(
        struct recorder *r, struct id leg, const struct reading_hints *hints, const char *coding);

/*
 * The row, whose strings and edits (each edit's inserted bytes too: malloc'ed) are taken over (the
 * struct is zeroed). The unit's ticket is made pending in book (completed with this call) and
 * settled when the row is committed or lost. read: false leaves the leg unread. book NULL: no
 * accounting (a primary leg: its exchange's row stands for it).
 */
void recorder_leg(struct recorder *r, struct leg_row *row, bool read, struct ledger_book *book);
void recorder_exchange(struct recorder *r, struct exchange_row *row, struct ledger_book *book);

/*
 * What is known of a backend's stack from now on. The capture holds it in the segment of every leg
 * that names it and is handed over after this call, or in an older or newer one. A copy is made.
 */
void recorder_manifest(struct recorder *r, const struct manifest_row *row);

/* From about now on; a new segment begins, which says so. A copy is made. */
void recorder_settings_changed(struct recorder *r, const char *settings_json);

struct buckets;

struct recorder_figures {
	uint64_t rows, parts, bytes_in, bytes_stored, commits, errors, segments, deleted, unread,
	        truncated;
	size_t queued_bytes, queued_items;
	uint64_t capture_bytes;       /* all segments on disk */
	bool failing;                 /* the last attempt to write failed */
	const struct buckets *commit; /* how long commits took; the recorder's */
	enum content content;
	struct redact_counts redacted;
};
void recorder_figures(struct recorder *r, struct recorder_figures *ret);

/* For who is in no hurry, so that nothing need be lost for want of room: waits while more than
 * RECORDER_ROOM bytes wait, unless writing fails. Never a loop. */
#define RECORDER_ROOM ((size_t)16 << 20)
void recorder_wait_for_room(struct recorder *r);
/* The bytes of all of a part, a copy; waits: with recorder_wait_for_room(). Returns the number of its pieces;
 * *ret_whole false: what is stored is a beginning. */
uint32_t recorder_put(struct recorder *r, struct id owner, enum part_type type, struct span data,
        bool waits, bool *ret_whole);

#define RECORDER_STOP_GRACE_NS 2000000000u

/*
 * Writes what is queued (at most timeout_ns; the rest is dropped as STOPPED), seals the segment,
 * frees everything. After timeout_ns the commit under way and the seal get RECORDER_STOP_GRACE_NS
 * more; encoders end with the item they have. If the disk has not answered by then, the commit's
 * tickets are dropped as STOPPED (its rows may be on the disk all the same), the segment stays
 * unsealed, and the writer's thread is left behind with its memory: the process should end. The
 * kernel may hold up that end as long as it holds the thread.
 */
void recorder_stop(struct recorder *r, uint64_t timeout_ns);
