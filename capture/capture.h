#pragma once
/*
 * capture - reading a capture: all segments of one or several directories as one, while writers may still be at work.
 *
 * An orphaned segment (unsealed, writer gone) and a sealed one whose checksum fails are checked by a bounds-checked
 * scan of their pages before LMDB may open them; one that fails is left out and said in capture_problems().
 * Exchanges come in order of id (time), each with all its legs from all segments. Snapshots are renewed at least every
 * second; each segment is read up to the commit number it had when the capture was opened. One thread a capture.
 */
#include <stdbool.h>
#include <stddef.h>

#include "capture/record.h"
#include "capture/segment.h"

struct capture;

/* NULL and a sentence (the caller frees it) when a directory is no capture or is of a newer format. */
struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error);
void capture_close(struct capture *c);

struct capture_leg {
	struct leg_row row;
	size_t segment;                  /* internal */
};

struct capture_exchange {
	struct exchange_row row;
	bool absent;                     /* only legs are here; row holds nothing but the id */
	struct capture_leg *legs;
	size_t n_legs;
	size_t segment;                  /* internal */
};

/* 1: *ret is filled, finish it; 0: the end. Damaged rows are skipped and counted. */
int capture_next(struct capture *c, struct capture_exchange *ret);
void capture_rewind(struct capture *c);
int capture_find(struct capture *c, struct id id, struct capture_exchange *ret) MUST_CHECK;    /* 0, -ENOENT */
void capture_exchange_finish(struct capture_exchange *e);

/* The exchange's body; a part that is missing gives -ENOENT, a damaged one -EBADMSG. */
int capture_request_body(struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
int capture_request_head(struct capture *c, const struct capture_exchange *e, struct buf *to) MUST_CHECK;
/* The request as this leg sent it: the body with the leg's edits applied. */
int capture_sent_body(struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_response_head(struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_response_body(struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
int capture_arrivals(struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to) MUST_CHECK;
/* As stored, or made now from the raw bytes if the leg was left unread or an older reader made it. */
int capture_reading(struct capture *c, const struct capture_exchange *e, size_t leg, struct reading **ret) MUST_CHECK;

struct capture_figures {
	size_t segments, refused, orphaned, live;
	uint64_t exchanges, damaged_rows;
};
void capture_figures(const struct capture *c, struct capture_figures *ret);
size_t capture_problems(const struct capture *c, const char *const **ret_sentences);
