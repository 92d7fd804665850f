#pragma once
/*
 * replay_option_rows - reads the command line of `plumbline replay`; recipes share its option rows.
 */
#include "replay/campaign/replay_options.h"

/* Option rows that fill struct replay_backend_options:
 *
 *	REPLAY_BACKEND_OPTIONS  --config, --model, --any-model, --any-server, --align
 *	REPLAY_ENGINE_OPTIONS   --dialect and --api-key-env, for one engine */
extern const struct option_row REPLAY_BACKEND_OPTIONS[], REPLAY_ENGINE_OPTIONS[];

/* Option rows that fill struct replay_options, for replay and recipes. REPLAY_CHOICE_OPTIONS:
 * which requests to send; REPLAY_SEND_OPTIONS: how. docs/recipes.md describes them, too. */
extern const struct option_row REPLAY_CHOICE_OPTIONS[], REPLAY_SEND_OPTIONS[];

/* Reads the command line. False: --help or an error was printed, and the command must return
 * *ret_code. */
bool replay_option_rows_read(
        int argc, char **argv, struct replay_options *ret, int *ret_code) MUST_CHECK;
/* The name, without dashes, of the first given option that has no effect together with
 * --force-tokens; NULL: none. */
const char *replay_option_rows_beside_forced(const struct replay_options *o);
