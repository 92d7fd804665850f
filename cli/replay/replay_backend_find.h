#pragma once
/*
 * replay_backend_find - finds the backends of a replay: by URL, by their name in a proxy's
 * configuration, or by their name in the settings of a capture.
 *
 * Functions return an exit code, and have printed the error.
 */
#include "replay/campaign/campaign.h"

/* Finds the backend that w describes, without sending anything. c: the source's capture, or
 * NULL. Call replay_backend_finish() in all cases. */
int replay_backend_find(struct replay_backend *b, struct capture *c,
        const struct replay_backend_options *w) MUST_CHECK;
/* Calls campaign_open(), finds all targets, and calls campaign_prepare(). */
int replay_targets_find(struct campaign *c) MUST_CHECK;
