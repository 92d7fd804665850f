#pragma once
/*
 * shelf - the manifests of one process, so that every segment in which a leg may name one holds it:
 * whoever learns one puts it here, and the store writes into each segment what it has not yet.
 *
 * The newest SHELF_LIMIT are kept; what fell off is in older segments alone. Any thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"

#define SHELF_LIMIT 32

struct shelf;

struct shelf *shelf_create(void);
void shelf_destroy(struct shelf *s); /* NULL is fine */
/* Also for one that is in force again: it moves to the front, and is not written twice. */
void shelf_put(struct shelf *s, const struct manifest_row *row);
/*
 * What came after number *since, oldest first: fn gets the key and the value as they are stored; less
 * than 0 ends it and is returned. *since moves on.
 */
typedef int (*shelf_fn)(void *arg, struct span key, struct span value);
int shelf_after(struct shelf *s, uint64_t *since, shelf_fn fn, void *arg) MUST_CHECK;
size_t shelf_bytes(struct shelf *s, uint64_t since); /* of what came after it */
