#pragma once
/*
 * engine_info - what is known about one backend's engine: the dialect in force, its manifest, its
 * sampling defaults.
 *
 * The engine_watch thread learns, loops take a view when a leg begins, encoders report the
 * fingerprints of answers. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/identity.h"
#include "backends/manifest_collect.h"
#include "base/id.h"
#include "proxy/settings/settings.h"

struct recorder;
struct engine_info;

/* A copy of what is in force. */
struct engine_view {
	const struct dialect *dialect; /* never NULL */
	struct id manifest;            /* zero: none yet */
	struct sampling defaults;      /* as the engine reports them; NaN: it does not */
	uint64_t manifests;            /* number of different ones so far */
};

/* Starts with the configured dialect, else generic. Records the configured facts (`stack`), if
 * there are any, as a manifest. recorder may be NULL. */
struct engine_info *engine_info_create(const struct backend_settings *b, struct recorder *recorder);
void engine_info_destroy(struct engine_info *s); /* NULL is fine */
void engine_info_view(struct engine_info *s, struct engine_view *ret);

/*
 * i: what the engine answered; m: its manifest, taken over. A change is logged, recorded, and in
 * force on return. False: some questions went unanswered, ask again soon. Then the old facts stay
 * in force, unless they were incomplete too and these are more.
 */
bool engine_info_learn(struct engine_info *s, const struct identity *i, struct manifest *m);

/* An answer has this system_fingerprint. True: it is new, and others were seen before: the engine
 * may have been replaced. Logs an error if it belongs to another engine than the configured one. */
bool engine_info_see_fingerprint(struct engine_info *s, const char *fingerprint);

/* For metrics. The caller frees version. */
struct engine_metrics {
	const char *dialect, *configured; /* configured NULL: auto */
	char *version;                    /* or NULL */
	bool mismatch;                    /* answers like another engine than configured */
	uint64_t manifests;               /* recorded: the first, and each change */
	uint64_t asked;                   /* times that it answered who it is */
};
void engine_info_metrics(struct engine_info *s, struct engine_metrics *ret);
