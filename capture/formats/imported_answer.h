#pragma once
/*
 * imported_answer - one answer of one backend to one prompt, from a file of results. It is stored
 * as the request and answer of an OpenAI-like API, so that every reader of captures can read it.
 *
 * JSON strings are as in the file, with their quotes, so that nothing changes on the way. The
 * struct owns nothing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"

#define IMPORTED_ANSWER_FACTS_LIMIT 8

struct imported_answer_fact { /* a fact of the backend's manifest */
	const char *name;
	struct span value;
};

struct imported_answer {
	/* These members identify the exchange: answers with equal values belong to one exchange. */
	struct span prompt; /* a JSON string, or an array of messages */
	bool is_messages;   /* prompt is an array */
	bool is_completion; /* prompt is a text to continue; false: a string is a user's message */
	struct span suite, item, category, gold; /* plain text; empty: none */

	/* The backend that answered, and the rest of the request. */
	struct span backend; /* plain text */
	enum role role;
	struct span model; /* a JSON string; empty: unknown */
	/* further members of the request, such as "\"temperature\":0"; or empty */
	struct span parameters;
	uint32_t concurrency; /* 0: unknown */
	struct imported_answer_fact facts[IMPORTED_ANSWER_FACTS_LIMIT];
	size_t n_facts;

	/* The answer. */
	struct span text;      /* a JSON string, or "null": the answer has only calls */
	struct span reasoning; /* for a chat: a JSON string; empty: none */
	struct span calls;     /* tool calls of a chat: a JSON array as in a message; empty: none */
	struct span logprobs;  /* a JSON object as in a choice; empty: none */
	struct span finish;    /* finish reason: a JSON string; empty: unknown */
	struct span usage;     /* a JSON object as in an answer; empty: none */
	/* the model that the answer names: a JSON string; empty: the requested one */
	struct span named;
	enum outcome
	        outcome;   /* as the file states; 0: it does not (see imported_answer_outcome()) */
	uint64_t start_ns; /* ns since 1970; 0: unknown */
	uint64_t head_us;  /* microseconds to the start of the answer; 0: unknown */
	uint64_t took_us;  /* microseconds to its end; UINT64_MAX: unknown */
	/* any text that distinguishes it from other answers of this backend to this prompt */
	struct span identity;

	/* The raw request and answer. They are stored unchanged, instead of being made from prompt
	 * and text. If `sent` is empty, the file has none, and the other members are ignored. */
	struct span sent;     /* the request's body, JSON */
	struct span target;   /* path and query, from address_target() */
	struct span url;      /* "http://host:8000", from address_origin(); empty: unknown */
	struct span received; /* the answer's body */
	/* of the answer; a value with control characters is ignored */
	struct span content_type, content_encoding;
	int status; /* HTTP status of the answer */

	/* The source. */
	const char *format;
	struct span file; /* plain text */
	uint64_t line;    /* from 1 */
	/* the JSON value from which the answer was read; the stored answer's body includes it,
	 * unless it is a raw one */
	struct span origin;
};

enum endpoint imported_answer_endpoint(const struct imported_answer *a);
/*
 * How the answer ended. If the file does not state it: OUTCOME_BROKEN for a raw stream without an
 * end mark or finish reason, and for a document that is cut off; otherwise OUTCOME_COMPLETE.
 */
enum outcome imported_answer_outcome(const struct imported_answer *a);
/* Appends the request's body. *ret_head: the number of bytes before the prompt; 0 for a raw
 * request. The bytes after them are the same for all answers of an exchange. */
void imported_answer_put_request(const struct imported_answer *a, struct buf *to, size_t *ret_head);
/* Appends the answer's body: a raw one as it is, else that of a chat or a completion, with a
 * member "imported" that names the source. */
void imported_answer_put_body(const struct imported_answer *a, struct buf *to);
