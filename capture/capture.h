#pragma once
/*
 * capture - reads a capture: all segments of one or several directories as one, also while writers
 * add to them.
 *
 * LMDB opens only sound segments (soundness.h). A segment that fails its seal or the check of its
 * pages is left out and named in capture_problems(). Exchanges come in order of id (time), each
 * with its legs from all segments. Snapshots are renewed at least every second; a live segment is
 * read up to its last commit when the capture was opened. One thread a capture.
 */
#include <stdbool.h>
#include <stddef.h>

#include "capture/record.h"
#include "capture/segment.h"

struct capture;

/* Returns NULL and a sentence that the caller frees if a directory is not a capture or has a
 * newer format. */
struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error);
/* As capture_open(). Calls on_segment (may be NULL) before each segment is checked, with the number
 * of checked segments: a large sealed one takes a second. */
typedef void (*capture_segment_fn)(void *arg, size_t n_checked, size_t n_segments);
struct capture *capture_open_watched(const char *const *dirs, size_t n_dirs,
        capture_segment_fn on_segment, void *arg, char **ret_error);
/* Opens the same segments up to the same commits for another thread, without checking again. NULL:
 * one cannot be read any more. */
struct capture *capture_open_again(const struct capture *other);
/* Adds the damaged parts that `other`, opened with capture_open_again(), found to c's counts and
 * problems. */
void capture_take_hits(struct capture *c, const struct capture *other);
void capture_close(struct capture *c);

struct capture_leg {
	struct leg_row row;
	size_t segment; /* internal */
};

struct capture_exchange {
	struct exchange_row row;
	bool absent; /* the capture has only legs of it; row has only the id */
	struct capture_leg *legs;
	size_t n_legs;
	size_t segment; /* internal */
};

/* Returns 1 and fills *ret, which the caller finishes; 0 at the end. Damaged rows are skipped and
 * counted. */
int capture_next(struct capture *c, struct capture_exchange *ret);
void capture_rewind(struct capture *c);
/* capture_next() continues with the first id >= from. */
void capture_seek(struct capture *c, struct id from);
/* Returns 0, or -ENOENT. */
int capture_find(struct capture *c, struct id id, struct capture_exchange *ret) MUST_CHECK;
void capture_exchange_finish(struct capture_exchange *e);
/* The leg that answered first: the primary's, which answered the client, or else the earliest one,
 * as where a suite was sent to several engines. n_legs: there is none. */
size_t capture_first_answer(const struct capture_exchange *e);

/* The exchange's body without its content coding. -ENOENT: not stored; -EBADMSG: damaged; -ENOTSUP:
 * the content coding cannot be decoded. */
int capture_request_body(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The size of that body; as stored if its content coding cannot be decoded. */
uint64_t capture_request_bytes(struct capture *c, const struct capture_exchange *e);
int capture_request_head(
        struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The request as this leg sent it: the body with the leg's edits applied. */
int capture_sent_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_response_head(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* The hints for a reader of the leg's answer. */
struct reading_hints capture_leg_hints(
        struct capture *c, const struct capture_exchange *e, size_t leg);
int capture_response_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_arrivals(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* The stored reading, or one made now from the raw bytes if there is none or an older reader made
 * it. -ENOENT also if no answer arrived. */
int capture_reading(struct capture *c, const struct capture_exchange *e, size_t leg,
        struct reading **ret) MUST_CHECK;
/* Destroys a reading (or NULL), as reading_destroy() does, and reuses its memory for the next
 * one. */
void capture_reading_done(struct capture *c, struct reading *r);

/*
 * The manifests of all segments, each once, by age (id). Every recording process observes a stack
 * anew; of equal manifests of a backend the oldest represents all, and legs name that one. They are
 * read once, at the latest with the first exchange, and live as long as the capture.
 */
size_t capture_manifests(struct capture *c, const struct manifest_row **ret);
/* The manifest that represents the one with this id, or NULL. */
const struct manifest_row *capture_manifest(struct capture *c, struct id id);

struct capture_figures {
	size_t segments, refused, orphaned, live;
	/* damaged_rows also counts damaged parts that were requested */
	uint64_t exchanges, damaged_rows;
};
void capture_figures(const struct capture *c, struct capture_figures *ret);
/* The directories as given. */
size_t capture_dirs(const struct capture *c, const char *const **ret);
/* The command that copies the intact rows of a damaged capture into another directory; the caller
 * frees it. */
char *capture_salvage_command(const char *dir) MUST_CHECK;
size_t capture_problems(const struct capture *c, const char *const **ret_sentences);
