#pragma once
/*
 * lineup - who serves and who gets copies: one snapshot of the settings with the parties they name.
 *
 * Immutable and counted. Each worker makes its stage of it (stage.h); an exchange keeps the one that it
 * began with. Any thread.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "proxy/party.h"
#include "proxy/settings.h"

struct ledger;
struct recorder;

struct lineup {
	atomic_uint refs;
	struct settings *settings;
	struct party *primary;
	/* By the number of settings->references. */
	struct party *references[SETTINGS_REFERENCES_LIMIT];
	size_t n_references;
};

/*
 * conf is kept. Parties of the one before (or NULL) that conf names again, by name and as the same
 * engine, are taken over. NULL and a sentence (the caller frees it) when there is no further book for
 * a reference of a new name.
 */
struct lineup *lineup_create(struct settings *conf, const struct lineup *before, struct ledger *l,
        struct recorder *recorder, char **ret_error);
struct lineup *lineup_ref(struct lineup *l);
void lineup_unref(struct lineup *l); /* NULL is fine */
