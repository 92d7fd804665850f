#pragma once
/*
 * replay_forced - a replay of the recorded tokens and not of the requests alone: the target is given each prompt with the recorded answer,
 * and says how probable it holds every token. What `plumbline score` does, by a replay's words.
 */
#include "cli/replay/replay_options.h"

int replay_forced_run(const struct replay_options *o) MUST_CHECK;
