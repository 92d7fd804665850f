#pragma once
/*
 * replay_forced - `plumbline replay --force-tokens`: sends each prompt with its recorded answer to
 * the target, which returns the probability of every token of the answer, as in `plumbline score`.
 */
#include "cli/replay/replay_options.h"

int replay_forced_run(const struct replay_options *o) MUST_CHECK;
