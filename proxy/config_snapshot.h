#pragma once
/*
 * config_snapshot - the settings, and the state of each backend that they name.
 *
 * Immutable and counted. Each worker derives its worker_config from it. An exchange keeps the
 * snapshot under which it began. Any thread.
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
	/* Same order as settings->references. */
	struct backend_state *references[SETTINGS_REFERENCES_LIMIT];
	size_t n_references;
};

/*
 * Takes a reference to conf. Backends of `before` (or NULL) that conf describes as the same engine
 * keep their state, which both snapshots share. NULL: the ledger has no book left for a reference
 * with a new name; *ret_error says so, and the caller frees it.
 */
struct config_snapshot *config_snapshot_create(struct settings *conf,
        const struct config_snapshot *before, struct ledger *l, struct recorder *recorder,
        char **ret_error);
struct config_snapshot *config_snapshot_ref(struct config_snapshot *l);
void config_snapshot_unref(struct config_snapshot *l); /* NULL is fine */

/* The primary is number 0, references follow; NULL: there are no more. */
static inline struct backend_state *config_snapshot_backend(
        const struct config_snapshot *c, size_t number)
{
	return number == 0                 ? c->primary
	       : number <= c->n_references ? c->references[number - 1]
	                                   : NULL;
}
