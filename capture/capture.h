#pragma once
/*
 * capture - reads a capture: all segments of one or several directories as if they were one, also
 * while writers add to them.
 *
 * A segment that does not match its seal (seal.h), or whose pages are damaged, is left out, and
 * capture_problems() names it; LMDB never opens it (soundness.h). Exchanges come in order of id
 * (time), each with its legs from all segments. Of a live segment, capture reads the commits up to
 * the time when the capture was opened. One thread a capture.
 */
#include <stdbool.h>
#include <stddef.h>

#include "capture/record.h"
#include "capture/segment.h"

struct capture;

/* Returns NULL, and in *ret_error a sentence that the caller frees, if a directory cannot be read,
 * is no capture, or has a newer format. */
struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error);
/* Called before each segment is checked, when n_checked of its directory's n_segments are done. The
 * check of a large sealed segment takes a second. */
typedef void (*capture_segment_fn)(void *arg, size_t n_checked, size_t n_segments);
/* As capture_open(). on_segment: may be NULL */
struct capture *capture_open_watched(const char *const *dirs, size_t n_dirs,
        capture_segment_fn on_segment, void *arg, char **ret_error);
/* Opens the same segments up to the same commits, for another thread, without checking them
 * again. NULL: a segment cannot be read any more. */
struct capture *capture_open_again(const struct capture *other);
/* Adds what `other` found damaged to c's counts and problems. `other` must come from
 * capture_open_again(c). */
void capture_add_damage(struct capture *c, const struct capture *other);
void capture_close(struct capture *c);

struct capture_leg {
	struct leg_row row;
	size_t segment; /* internal */
};

struct capture_exchange {
	struct exchange_row row;
	bool absent;              /* the exchange's row is missing; `row` has only the id */
	struct capture_leg *legs; /* by id, which is the order of start */
	size_t n_legs;
	size_t segment; /* internal */
};

/* Returns 1 and fills *ret, which the caller finishes; 0: no more. Skips and counts damaged rows;
 * an exchange of which nothing is intact is left out. */
int capture_next(struct capture *c, struct capture_exchange *ret);
void capture_rewind(struct capture *c);
/* capture_next() continues with the first id >= from. */
void capture_seek(struct capture *c, struct id from);
/* Returns 0 and fills *ret, which the caller finishes; or -ENOENT. */
int capture_find(struct capture *c, struct id id, struct capture_exchange *ret) MUST_CHECK;
void capture_exchange_finish(struct capture_exchange *e);
/* True if an import stored the exchange. Its target is then the path at the server of that time. */
bool capture_is_imported(const struct capture_exchange *e);
/* The index of the first leg of the primary, which answered the client. If there is none (for
 * example, if a suite was sent to several engines): of the earliest leg. Ignores legs with
 * LEG_SCORED. n_legs: there are no others. */
size_t capture_first_answer(const struct capture_exchange *e);
/* The index of the leg with this id; n_legs: there is none. */
size_t capture_leg_index(const struct capture_exchange *e, struct id leg);
/* The name of the leg's backend; "?": it is not known, or there is no such leg. */
const char *capture_leg_backend(const struct capture_exchange *e, struct id leg);

/* The functions below that return int return 0; -ENOENT: not stored, or not completely; -EBADMSG:
 * damaged; or another negative errno. They append to *to; after an error, *to may have a part. If
 * the row marks the body as cut or truncated, they append what is stored and return 0.
 *
 * The client's body without its content coding. -ENOTSUP: plumbline cannot decode it. */
int capture_request_body(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The number of bytes that capture_request_body() appends; if the content coding cannot be
 * decoded, the size of the stored body. */
uint64_t capture_request_bytes(struct capture *c, const struct capture_exchange *e);
/* record.h (enum part_type) describes the bytes of heads and arrivals. */
int capture_request_head(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The body that this leg sent: the client's body with the leg's edits applied. */
int capture_sent_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_response_head(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* The hints for reading the leg's answer again; reads the request's body if it has tools. */
struct reading_hints capture_leg_hints(
        struct capture *c, const struct capture_exchange *e, size_t leg);
/* The body of the answer as received, with its content coding. */
int capture_response_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_arrivals(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* The stored reading. If it is missing or damaged, this function makes one from the raw bytes; also
 * if an older version of the reader made it, except for scores and truncated answers. -ENOENT also
 * if no answer arrived. Free *ret with capture_reading_done() or reading_destroy(). */
int capture_reading(struct capture *c, const struct capture_exchange *e, size_t leg,
        struct reading **ret) MUST_CHECK;
/* As reading_destroy(), but keeps the memory for the next reading. NULL is fine. */
void capture_reading_done(struct capture *c, struct reading *r);

/*
 * The manifests of all segments when the capture was opened, oldest first; the list lives as long
 * as the capture. Every recording process observes a stack anew, so several manifests of a backend
 * may have the same facts. The list has only the oldest of them, and the legs that capture_next()
 * returns name that one.
 */
size_t capture_manifests(const struct capture *c, const struct manifest_row **ret);
/* The manifest in the list of capture_manifests() that has the same facts as manifest `id`. NULL:
 * the capture has no manifest `id`. */
const struct manifest_row *capture_manifest(const struct capture *c, struct id id);

struct capture_figures {
	/* segments: all. Of these, refused: left out; orphaned: no seal, and the writer is gone;
	 * live: the writer runs. */
	size_t segments, refused, orphaned, live;
	/* exchanges: those that capture_next() returned. damaged_rows also counts damaged parts
	 * that the caller asked for. */
	uint64_t exchanges, damaged_rows;
};
void capture_figures(const struct capture *c, struct capture_figures *ret);
/* The directories that were passed to capture_open(); they live as long as the capture. */
size_t capture_dirs(const struct capture *c, const char *const **ret);
/* A text for users: the command that copies the intact rows of a damaged capture into another
 * directory; the caller frees it. */
char *capture_salvage_command(const char *dir) MUST_CHECK;
/* Sentences for users: what was left out or damaged. Valid until the next call that reads. */
size_t capture_problems(const struct capture *c, const char *const **ret_sentences);
