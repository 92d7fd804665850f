#pragma once
/*
 * offered - the functions that a request offers to the model. Text in an answer that looks like a
 * call is a call only if the request offered that function. Only hashes of the names are stored, so
 * that the struct is a plain value of fixed size. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define OFFERED_LIMIT 128

struct json;
struct json_token;

struct offered {
	uint16_t n; /* 0: the names are unknown, or there are too many */
	bool too_many;
	uint32_t names[OFFERED_LIMIT];
};

/* Beyond OFFERED_LIMIT names, all are dropped (too_many). */
void offered_add(struct offered *o, struct span name);
bool offered_has(const struct offered *o, struct span name); /* the hashes are equal */
/* Adds the names in a list of tools or functions, in the forms of chat, Responses, Ollama and
 * Anthropic. first: the first token of the list. Moves j past the list. Returns the number of its
 * elements; 0 also if it is no list. */
uint32_t offered_read(struct offered *o, struct json *j, const struct json_token *first);
