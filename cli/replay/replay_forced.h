#pragma once
/*
 * replay_forced - `replay --force-tokens`: the target gets each prompt with the recorded answer and
 * states the probability of every token, as `plumbline score` does.
 */
#include "cli/replay/replay_options.h"

int replay_forced_run(const struct replay_options *o) MUST_CHECK;
