#pragma once
/*
 * offered - the functions that a request offers, by a hash of each name. What looks like a call in
 * an answer's text is one only if the request offered that function. Hashes make it a plain value
 * of fixed size. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define OFFERED_LIMIT 128

struct json;
struct json_token;

struct offered {
	uint16_t n; /* 0: the names are not known, or there are more than the limit */
	bool too_many;
	uint32_t names[OFFERED_LIMIT];
};

void offered_add(struct offered *o, struct span name);
bool offered_has(const struct offered *o, struct span name);
/*
 * Adds the names in a list of tools or of functions, as chat, Responses, Ollama and Anthropic write
 * them; j is after the value then. Returns how many elements the list has; 0 for what is no list.
 */
uint32_t offered_read(struct offered *o, struct json *j, const struct json_token *first);
