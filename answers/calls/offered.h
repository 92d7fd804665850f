#pragma once
/*
 * offered - the functions that a request offers. Only hashes of their names are stored, so that the
 * struct is a plain value of fixed size. What looks like a call in an answer's text is one only if
 * the request offered that function. Pure.
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

void offered_add(struct offered *o, struct span name);
bool offered_has(const struct offered *o, struct span name);
/*
 * Adds the names in a list of tools or functions as chat, Responses, Ollama and Anthropic write it;
 * j is then after the value. Returns the number of elements; 0 for what is not a list.
 */
uint32_t offered_read(struct offered *o, struct json *j, const struct json_token *first);
