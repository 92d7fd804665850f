#pragma once
/*
 * stress_source - makes the requests of `plumbline stress` from a suite, as lines for a replay:
 * requests that each contain a canary, and probes (analyzer/stress.h). The same suite and seed give
 * the same requests, so that an interrupted run can resume.
 *
 * A canary is a word of random letters that no other request contains. In a chat it is the last
 * word of the user's last message, for two reasons: what leaks from another request is mostly its
 * newest part; and the beginning of the request, which engines cache, stays unchanged. In a
 * completion the canary is before the prompt, because the model would continue a canary at the end.
 */
#include <stddef.h>
#include <stdint.h>

#include "replay/source.h"

struct stress_source {               /* zero-initialised: empty */
	struct buf canaries, probes; /* one request a line */
	/* number of requests with canaries; number of different probes */
	size_t n_canaries, n_probes;
	size_t n_lines; /* number of lines in `probes` */
};

/* Adds the requests of a source that the rules select; the first call also makes the probes. limit,
 * even: as in struct source_scan. Leaves out turns after the first, and requests without a text for
 * a canary. Returns 0 or -errno. */
int stress_source_add(struct stress_source *s, struct source *from,
        const struct request_choice_rules *rules, uint64_t limit, bool even,
        uint64_t seed) MUST_CHECK;
void stress_source_finish(struct stress_source *s);
