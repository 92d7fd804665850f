#pragma once
/*
 * replay_backend - the backend of a replay, found by URL or name, identified, and described as a
 * target.
 */
#include "backends/base_url.h"
#include "base/options.h"
#include "capture/capture.h"
#include "capture/recorder.h"
#include "cli/opinions/score_backend.h"
#include "replay/source.h"
#include "replay/target.h"

struct identity;
struct manifest;
struct settings;

struct replay_wish {
	const char *command;                                       /* that says what is wrong */
	const char *to;                                            /* URL or name */
	const char *config, *name, *model, *dialect, *api_key_env; /* each may be NULL */
	bool of_several; /* one of a recipe's targets, each of which names its own model */
	bool any_model;
	bool any_server; /* also a server that does not answer GETs like an engine */
	bool has_align;
	enum align align;
	enum thinking thinking; /* THINKING_AS_ASKED: as the configuration has it */
	/* The template for sending chats as completions; NULL: the configuration's. */
	const struct chat_template *completions_template;
	/* Members to set in each request, before those of the configuration; values are JSON. */
	const struct member_setting *members;
	size_t n_members;
};

/* Rows for struct replay_wish: --config, --model, --any-model, --any-server and --align; and what
 * an engine alone has: --dialect and --api-key-env. */
extern const struct option_row REPLAY_WISH_OPTIONS[], REPLAY_ENGINE_OPTIONS[];

struct replay_backend {
	struct target target;
	struct identity *engine;
	struct manifest *manifest;
	/* What the target's strings and lists are of. */
	struct settings *settings;
	struct score_backend found;
	char *name;
	struct base_url url; /* unless a configuration has it */
	struct model_map *models;
	struct member_setting *members;
	size_t n_own; /* of these, at the beginning: whose strings are ours */
};

/* c: the source's capture, or NULL. Returns an exit code; errors were printed. */
int replay_backend_find(
        struct replay_backend *b, struct capture *c, const struct replay_wish *w) MUST_CHECK;
/* Sets a member of each later request, before those of the configuration; json: its value. */
void replay_backend_set(struct replay_backend *b, const char *name, const char *json);
/* One model for all requests. */
void replay_backend_ask_for(struct replay_backend *b, const char *model);
/* Identifies it by GETs only. Prints an error for a server that refuses access or does not answer
 * like an engine. */
int replay_backend_identify(struct replay_backend *b, const struct replay_wish *w) MUST_CHECK;
/* Checks that the engine has the requested models. */
int replay_backend_check_models(const struct replay_backend *b, const struct replay_wish *w,
        const struct source_scan *scan) MUST_CHECK;
/* For a suite, which names no model: chooses the engine's model, unless one was requested. */
int replay_backend_choose_model(struct replay_backend *b, const struct replay_wish *w) MUST_CHECK;
/* The name to request a model by, by the backend's rules; empty: none. The caller frees it. */
char *replay_backend_names(const struct replay_backend *b, const char *model) MUST_CHECK;
/* The engine's version as stated; NULL: unknown, or it is another engine than expected. */
const char *replay_backend_version(const struct replay_backend *b);
/* The model of all requests, as JSON; NULL: as each says. */
const char *replay_backend_model(const struct replay_backend *b);
/* Appends the members of a JSON object by which the backend can be found by its name again. */
void replay_backend_describe(const struct replay_backend *b, struct buf *to);
/* Records its manifest, which legs then name. */
void replay_backend_record(struct replay_backend *b, struct recorder *r);
void replay_backend_finish(struct replay_backend *b);
