#pragma once
/*
 * edits - replacements in the bytes of a JSON text; every other byte stays. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "capture/record.h"

/* Edits in the order of the text, which do not overlap. Owns the inserted texts.
 * Zero-initialised is empty. */
struct edits {
	struct edit *items;
	size_t n, cap;
};
void edits_finish(struct edits *e);
/* Adds an edit, with a copy of `inserted`; calls may be in any order. */
void edits_add(struct edits *e, size_t at, size_t removed, struct span inserted);
void edits_sort(struct edits *e); /* call it once, after the last edits_add() */

/* Appends the body with the edits applied. False: at least one edit overlaps the one before, is out
 * of order or exceeds the body; such edits are ignored. Check the result if the edits come from a
 * record, which may be damaged; edits that were made for this body are right. */
bool edits_apply(const struct edit *items, size_t n, struct span body, struct buf *to);

/*
 * Finds the bytes to delete so that some members of an object disappear, each with one comma. Call
 * members_open() with the opening brace; then, for each member in order, members_take() to remove
 * the member or members_keep(); then members_close() with the closing brace. They call drop for
 * each range to delete, in order. key: the opening quote of the member's name. value_end: the byte
 * after the value. `to`: the byte after the range.
 */
typedef void (*members_drop_fn)(void *arg, const char *from, const char *to);

struct members {
	const char *end;     /* end of the previous member, or the byte after the opening brace */
	const char *pending; /* start of the removed members at the beginning of the object */
	bool kept;           /* a member has been kept */
	members_drop_fn drop;
	void *arg;
};
void members_open(struct members *m, const char *brace, members_drop_fn drop, void *arg);
void members_keep(struct members *m, const char *key, const char *value_end);
void members_take(struct members *m, const char *key, const char *value_end);
void members_close(struct members *m, const char *brace);

/* A member of an object to be set (json is the value's text) or removed (json NULL). */
struct member_edit {
	const char *name;
	const char *json;
};
