#pragma once
/*
 * kind - the form of an engine's answers without injection, which a cut has to restore. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "answers/request.h"

struct json_token;

struct injection {
	bool logprobs;  /* logprobs and top_logprobs */
	bool usage;     /* stream_options.include_usage */
	int top;        /* alternatives per token */
	bool token_ids; /* the dialect's members for token ids, with logprobs */
};

/* How a member appears in an engine's answers if the request does not ask for it. */
enum kind_member {
	KIND_UNKNOWN, /* no answer has shown it so far */
	KIND_NULL,    /* present as null: a cut replaces the value by null */
	KIND_ABSENT,  /* absent: a cut removes it with one comma */
	KIND_MIXED,   /* varies, or has a value: cannot be cut, so it must not be injected */
};

#define KIND_TAIL_SIZE 32

struct kind {
	enum kind_member logprobs; /* in each choice */
	enum kind_member usage;    /* in each event of a stream; unary answers do not show it */
	/*
	 * The member that only the last event with choices has. If there is a usage event, that
	 * event has it instead, and a cut moves it back (vLLM: system_fingerprint, llama.cpp:
	 * timings). Empty: none.
	 */
	char tail[KIND_TAIL_SIZE];
	/* Without injection, too, streams have events whose choices say nothing and have no
	 * text, not even an empty one: a cut keeps them. */
	bool silent;
	/* Without injection, too, streams have events, apart from [DONE], after all choices have
	 * their finish reason: a cut keeps them. */
	bool late;
	/* A hash of the logprobs and token ids that answers without injection have in places that
	 * are not cut, such as parameters that the engine repeats (cut_elsewhere()); 0: none. */
	uint64_t elsewhere;
	/* token_ids and prompt_token_ids, wherever they are (vLLM: as null, some of them only in
	 * the first event of a stream). */
	enum kind_member token_ids;
	bool error; /* the stream has an error; not learned */
};

/* True if a member of this kind can be cut, and so may be injected. */
bool kind_can_cut(enum kind_member m);
/* Adds what an answer shows to what earlier ones showed; KIND_UNKNOWN adds nothing. */
void kind_observe(enum kind_member *known, enum kind_member seen);

/*
 * What a JSON value says: the most that it contains. A choice says what its members other than its
 * index and logprobs say.
 */
enum kind_said {
	KIND_SAYS_NOTHING, /* nulls and empty texts */
	KIND_SAYS_ROLE,    /* a member "role": once the choice has begun, that says nothing */
	KIND_SAYS_FIGURE,  /* a number or a boolean */
	KIND_SAYS_WORDS,   /* a text that is not empty */
};
enum kind_said kind_says(struct span value);
/* True for the key of a member that every event has, whatever its content, such as "id". */
bool kind_is_label(const struct json_token *key);
/* True for the key of the member of a choice that has the text for the client: "text", "delta". */
bool kind_is_text(const struct json_token *key);
/* True if kind_is_text(), and the value has a string, perhaps an empty one, beside the role. */
bool kind_has_text(const struct json_token *key, struct span value);

/*
 * The kind that a complete plain answer shows. body: decoded and without chunk frames. stream: the
 * body is events, else one JSON text. Members that the client (facts) or the proxy (injected; may
 * be NULL) requested stay KIND_UNKNOWN.
 */
struct kind kind_of_answer(struct span body, bool stream, const struct request_facts *facts,
        const struct injection *injected);
