#pragma once
/*
 * engine_info - what the proxy knows about one backend's engine: its dialect, its manifest, and its
 * sampling defaults.
 *
 * The engine_watch thread updates it. Loops take a copy (struct engine_view) when a leg begins.
 * Encoders report the fingerprints of answers. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/engine_identity.h"
#include "backends/manifest_collect.h"
#include "base/id.h"
#include "proxy/settings/settings.h"

struct recorder;
struct engine_info;

/* A copy of what is known now. */
struct engine_view {
	const struct dialect *dialect; /* never NULL */
	struct id manifest;            /* zero: none yet */
	struct sampling defaults;      /* as the engine states them; NaN: it does not */
	uint64_t manifests;            /* number of different manifests so far */
};

/* Until the engine was recognised, the dialect is the configured one, or else `generic`. If facts
 * are configured (`stack`), records them as a manifest. b and recorder (may be NULL) must outlive
 * the result. */
struct engine_info *engine_info_create(const struct backend_settings *b, struct recorder *recorder);
void engine_info_destroy(struct engine_info *s); /* NULL is fine */
void engine_info_view(struct engine_info *s, struct engine_view *ret);

/*
 * Applies the engine's answers (i) and the manifest made from them (m, owned by this function from
 * now on). Logs and records a change. An incomplete manifest replaces the old one only if it has
 * more facts, or shows that the engine is another one. False: the engine left questions unanswered,
 * so ask again soon.
 */
bool engine_info_update(struct engine_info *s, const struct engine_identity *i, struct manifest *m);

/* Reports the system_fingerprint of an answer. True: the fingerprint is new and not the first, so
 * the engine may have been replaced. Logs an error if the fingerprint has the form of another
 * engine than the configured one. */
bool engine_info_see_fingerprint(struct engine_info *s, const char *fingerprint);

/* For metrics. The caller frees version. */
struct engine_metrics {
	const char *dialect, *configured; /* configured NULL: auto */
	char *version;                    /* or NULL */
	/* the engine answers like another one than the configured one */
	bool mismatch;
	uint64_t manifests; /* number of recorded manifests: the first, and one for each change */
};
void engine_info_metrics(struct engine_info *s, struct engine_metrics *ret);
