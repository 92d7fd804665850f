#pragma once
/*
 * answer - one answer of one backend to one prompt, as a file of results tells it, and how it is
 * written down: as the request and the answer of an OpenAI-like API, so that whatever reads a
 * capture reads it.
 *
 * Texts are JSON strings as they stand in the file, with their quotes, so that nothing is changed on
 * the way. Everything is borrowed.
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
	/* What makes the exchange: answers in which these are equal belong to one. */
	struct span prompt; /* a JSON string, or an array of messages */
	bool is_messages;   /* an array */
	bool is_completion; /* the string is a text to go on with; else what a user said */
	struct span suite, item, category, gold; /* plain text; empty: none */

	/* Who answered, and how it was asked. */
	struct span backend; /* plain text */
	enum role role;
	struct span model;      /* a JSON string; empty: not known */
	struct span parameters; /* further members of the request: "\"temperature\":0"; or empty */
	uint32_t concurrency;   /* 0: not known */
	struct answer_fact facts[ANSWER_FACTS_LIMIT];
	size_t n_facts;

	/* The answer. */
	struct span text;      /* a JSON string; null where only calls were the answer */
	struct span reasoning; /* of a chat, before it: a JSON string; empty: none */
	struct span calls; /* of tools, by a chat: a JSON array as a message has it; empty: none */
	struct span logprobs; /* a JSON object as a choice has it; empty: none */
	struct span finish;   /* why it ended: a JSON string; empty: not known */
	struct span usage;    /* a JSON object as an answer has it; empty: none */
	struct span named;    /* the model that it names: a JSON string; empty: the one asked for */
	enum outcome outcome; /* as the file says; 0: it does not, answer_outcome() */
	uint64_t start_ns;    /* wall clock; 0: not known */
	uint64_t head_us;     /* until it began; 0: not known */
	uint64_t took_us;     /* UINT64_MAX: not known */
	struct span identity; /* tells it from other answers of this backend to this prompt */

	/* As both went over the wire, where the file has them: then neither is made of the prompt and the text, and
	 * nothing is written beside them. */
	struct span sent;   /* the request's body, JSON; empty: it is not known */
	struct span target; /* path and query, as address_target() makes it */
	struct span url;    /* "http://host:8000", as address_origin() makes it; empty: not known */
	struct span received; /* the answer's body */
	struct span content_type,
	        content_encoding; /* of the answer; not taken with control characters in them */
	int status;

	/* Where it is from. */
	const char *format;
	struct span file; /* plain text */
	uint64_t line;
	struct span origin; /* the JSON value that told it, kept in the answer's body */
};

enum endpoint answer_endpoint(const struct answer *a);
/*
 * How it ended. Where the file does not say so: OUTCOME_BROKEN if what went over the wire is a stream that neither a mark
 * nor a reason ends, or a document that breaks off; else it is taken as whole.
 */
enum outcome answer_outcome(const struct answer *a);
/* The request's body; *ret_head: how many bytes come before the prompt. What follows is the same for all
 * answers of an exchange. */
void answer_put_request(const struct answer *a, struct buf *to, size_t *ret_head);
/* The answer's body: a chat's or a completion's, with a member "imported" that says where it is from. */
void answer_put_body(const struct answer *a, struct buf *to);
