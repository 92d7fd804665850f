#pragma once
/*
 * config_snapshot - who serves and who gets copies: one snapshot of the settings with the backends they name.
 *
 * Immutable and counted. Each worker makes its config of it (config.h); an exchange keeps the one that it
 * began with. Any thread.
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
	/* By the number of settings->references. */
	struct backend_state *references[SETTINGS_REFERENCES_LIMIT];
	size_t n_references;
};

/*
 * conf is kept. backends of the one before (or NULL) that conf names again, by name and as the same
 * engine, are taken over. NULL and a sentence (the caller frees it) when there is no further book for
 * a reference of a new name.
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
