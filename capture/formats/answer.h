#pragma once
/*
 * answer - one answer of one backend to one prompt, from a file of results, and how it is stored:
 * as the request and answer of an OpenAI-like API, so that every reader of captures can read it.
 *
 * Texts are JSON strings as in the file, with their quotes, so that nothing changes on the way.
 * Everything is borrowed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"

#define ANSWER_FACTS_LIMIT 8

struct answer_fact { /* of the backend's manifest */
	const char *name;
	struct span value;
};

struct answer {
	/* What identifies the exchange: answers that are equal in these belong to one. */
	struct span prompt; /* a JSON string, or an array of messages */
	bool is_messages;   /* an array */
	bool is_completion; /* the string is a text to continue; else it is a user's message */
	struct span suite, item, category, gold; /* plain text; empty: none */

	/* Who answered, and what the request had. */
	struct span backend; /* plain text */
	enum role role;
	struct span model;      /* a JSON string; empty: unknown */
	struct span parameters; /* further members of the request: "\"temperature\":0"; or empty */
	uint32_t concurrency;   /* 0: unknown */
	struct answer_fact facts[ANSWER_FACTS_LIMIT];
	size_t n_facts;

	/* The answer. */
	struct span text;      /* a JSON string; null if the answer is only calls */
	struct span reasoning; /* of a chat: a JSON string; empty: none */
	struct span calls;     /* tool calls of a chat: a JSON array as in a message; empty: none */
	struct span logprobs;  /* a JSON object as in a choice; empty: none */
	struct span finish;    /* finish reason: a JSON string; empty: unknown */
	struct span usage;     /* a JSON object as in an answer; empty: none */
	/* the model that the answer names: a JSON string; empty: the requested one */
	struct span named;
	enum outcome outcome; /* as the file says; 0: it does not say, see answer_outcome() */
	uint64_t start_ns;    /* wall clock; 0: unknown */
	uint64_t head_us;     /* time to its start; 0: unknown */
	uint64_t took_us;     /* UINT64_MAX: unknown */
	/* distinguishes it from other answers of this backend to this prompt */
	struct span identity;

	/* The raw request and answer, where the file has them. They are then stored as they are,
	 * instead of being made from prompt and text. */
	struct span sent;     /* the request's body, JSON; empty: unknown */
	struct span target;   /* path and query, from address_target() */
	struct span url;      /* "http://host:8000", from address_origin(); empty: unknown */
	struct span received; /* the answer's body */
	struct span content_type,
	        content_encoding; /* of the answer; ignored if they contain control characters */
	int status;

	/* Where it comes from. */
	const char *format;
	struct span file; /* plain text */
	uint64_t line;
	struct span origin; /* the JSON value that it was read from, kept in the answer's body */
};

enum endpoint answer_endpoint(const struct answer *a);
/*
 * How it ended. If the file does not say: OUTCOME_BROKEN for a raw stream without an end mark or
 * finish reason, or a document that is cut; else complete.
 */
enum outcome answer_outcome(const struct answer *a);
/* Appends the request's body. *ret_head: bytes before the prompt. What follows is the same for all
 * answers of an exchange. */
void answer_put_request(const struct answer *a, struct buf *to, size_t *ret_head);
/* Appends the answer's body, a chat's or a completion's, with a member "imported" that names the
 * source. */
void answer_put_body(const struct answer *a, struct buf *to);
