#pragma once
/*
 * kind - the form of an engine's answers without injection: what a cut has to restore.
 *
 * Pure.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "answers/request.h"

struct json_token;

struct injection {
	bool logprobs; /* logprobs and top_logprobs were added */
	bool usage;    /* stream_options.include_usage was added */
	int top;
	bool token_ids; /* the dialect's words for token ids were added, with logprobs */
};

/* How a member appears in answers of an engine that was not asked for it. */
enum kind_member {
	KIND_UNKNOWN, /* no answer has shown it */
	KIND_NULL,    /* present as null: a cut replaces the value by null */
	KIND_ABSENT,  /* absent: a cut removes it with one comma */
	KIND_MIXED,   /* varies, or has a value: cannot be cut, so it must not be injected */
};

#define KIND_TAIL_SIZE 32

struct kind {
	enum kind_member logprobs; /* of each choice */
	enum kind_member usage;    /* of each event of a stream; unary answers do not show it */
	/*
	 * The member that only the last event with choices has, and that goes over to the usage
	 * event where there is one (vLLM: system_fingerprint, llama.cpp: timings): a cut puts it
	 * back. Empty: none.
	 */
	char tail[KIND_TAIL_SIZE];
	/* Streams have events whose choices say nothing and have no text, not even an empty one,
	 * unasked: a cut keeps them. */
	bool silent;
	/* token_ids and prompt_token_ids, wherever they stand (vLLM: as null, some of them in the
	 * first event of a stream alone). */
	enum kind_member token_ids;
};

/* True if a member of this kind can be cut, and so may be injected. */
bool kind_can_cut(enum kind_member m);

/*
 * True if a JSON value says something: it contains a number, a boolean or a text that is not empty.
 * A choice says something if a member other than its index and logprobs does.
 */
bool kind_says(struct span value);
/* The key of a member in which engines give token ids if asked. */
bool kind_is_token_ids(const struct json_token *key);
/* A choice's member has a text for the client, though it may be empty: in a delta, or as it is. */
bool kind_has_text(const struct json_token *key, struct span value);

/*
 * The kind of a complete plain answer (decoded, de-chunked). stream: it is events, else one JSON
 * text. What the client (facts) or the proxy (injected; may be NULL) requested stays UNKNOWN.
 */
struct kind kind_of_answer(struct span body, bool stream, const struct request_facts *facts,
        const struct injection *injected);
