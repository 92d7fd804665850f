#pragma once
/*
 * config_snapshot - the settings, and the state of each backend that they name.
 *
 * Immutable and reference-counted. Each worker makes its worker_config from it. An exchange keeps
 * the snapshot under which it began. Any thread.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "proxy/backend_state.h"
#include "proxy/settings/settings.h"

struct ledger;
struct recorder;

struct config_snapshot {
	atomic_uint refs;
	struct settings *settings;
	struct backend_state *primary;
	/* In the order of settings->references. */
	struct backend_state *references[SETTINGS_REFERENCES_LIMIT];
	size_t n_references;
};

/* Takes a reference to conf. A backend that `before` (or NULL) has too, with the same engine
 * (backend_state_matches()), keeps its state; both snapshots share it. NULL: the ledger has no book
 * left for a reference with a new name; *ret_error is then a sentence that the caller frees. */
struct config_snapshot *config_snapshot_create(struct settings *conf,
        const struct config_snapshot *before, struct ledger *ledger, struct recorder *recorder,
        char **ret_error);
struct config_snapshot *config_snapshot_ref(struct config_snapshot *snapshot);
void config_snapshot_unref(struct config_snapshot *snapshot); /* NULL is fine */

/* The state of a backend by number: 0 is the primary, 1 the first reference. NULL: no backend
 * has the number. */
static inline struct backend_state *config_snapshot_backend(
        const struct config_snapshot *c, size_t number)
{
	return number == 0                 ? c->primary
	       : number <= c->n_references ? c->references[number - 1]
	                                   : NULL;
}
