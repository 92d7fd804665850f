#pragma once
/*
 * capture - reading a capture: all segments of one or several directories as one, while writers may
 * still be at work.
 *
 * LMDB opens no segment that is not sound (see soundness.h): one that fails its seal or the scan of
 * its pages is left out and said in capture_problems(). Exchanges come in order of id (time), each
 * with all its legs from all segments. Snapshots are renewed at least every second; each segment is
 * read up to the commit number it had when the capture was opened. One thread a capture.
 */
#include <stdbool.h>
#include <stddef.h>

#include "capture/record.h"
#include "capture/segment.h"

struct capture;

/* NULL and a sentence (the caller frees it): a directory is no capture, or of a newer format. */
struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error);
/* The same; before each segment is checked, which for a large sealed one takes a second, on_segment
 * is told how many of the directory's were. It may be NULL. */
typedef void (*capture_segment_fn)(void *arg, size_t n_checked, size_t n_segments);
struct capture *capture_open_watched(const char *const *dirs, size_t n_dirs,
        capture_segment_fn on_segment, void *arg, char **ret_error);
/* The same segments up to the same end, for another thread: nothing is checked again. NULL: one of them
 * cannot be read any more. */
struct capture *capture_open_again(const struct capture *other);
/* Counts and tells of the damaged parts that one which was opened so came upon. */
void capture_take_hits(struct capture *c, const struct capture *other);
void capture_close(struct capture *c);

struct capture_leg {
	struct leg_row row;
	size_t segment; /* internal */
};

struct capture_exchange {
	struct exchange_row row;
	bool absent; /* only legs are here; row holds nothing but the id */
	struct capture_leg *legs;
	size_t n_legs;
	size_t segment; /* internal */
};

/* 1: *ret is filled, finish it; 0: the end. Damaged rows are skipped and counted. */
int capture_next(struct capture *c, struct capture_exchange *ret);
void capture_rewind(struct capture *c);
/* capture_next() goes on with the first id >= from. */
void capture_seek(struct capture *c, struct id from);
/* 0, or -ENOENT. */
int capture_find(struct capture *c, struct id id, struct capture_exchange *ret) MUST_CHECK;
void capture_exchange_finish(struct capture_exchange *e);

/* The exchange's body, without its content coding; a part that is missing gives -ENOENT, a damaged
 * one -EBADMSG, a content coding that can't be undone -ENOTSUP. */
int capture_request_body(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* How many bytes that body has; of one whose content coding can't be undone, as it is stored. */
uint64_t capture_request_bytes(struct capture *c, const struct capture_exchange *e);
int capture_request_head(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The request as this leg sent it: the body with the leg's edits applied. */
int capture_sent_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_response_head(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* What a reader of the leg's answer is to be told. */
struct reading_hints capture_leg_hints(
        struct capture *c, const struct capture_exchange *e, size_t leg);
int capture_response_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_arrivals(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* As stored, or made now from the raw bytes if the leg was left unread or an older reader made it.
 * -ENOENT also when no answer came. */
int capture_reading(struct capture *c, const struct capture_exchange *e, size_t leg,
        struct reading **ret) MUST_CHECK;
/* Ends a reading, or NULL, as reading_destroy() does as well. For who reads one after another: the next ones are made where
 * it was. */
void capture_reading_done(struct capture *c, struct reading *r);

/*
 * What was known of the backends' stacks, by age (id): the manifests of all segments, each once. Of
 * those that say the same of a backend, as every process that records learns it anew, the oldest
 * stands for all: legs name that one, whichever they were stored with. They are read once, at the
 * latest with the first exchange, and live as long as the capture.
 */
size_t capture_manifests(struct capture *c, const struct manifest_row **ret);
/* The one that stands for it, or NULL. */
const struct manifest_row *capture_manifest(struct capture *c, struct id id);

struct capture_figures {
	size_t segments, refused, orphaned, live;
	uint64_t exchanges, damaged_rows; /* parts that were asked for among them */
};
void capture_figures(const struct capture *c, struct capture_figures *ret);
/* The directories, as they were given. */
size_t capture_dirs(const struct capture *c, const char *const **ret);
/* The command that copies what a damaged capture still holds into a directory beside it; the caller's. */
char *capture_salvage_command(const char *dir) MUST_CHECK;
size_t capture_problems(const struct capture *c, const char *const **ret_sentences);
