#pragma once
/*
 * probe_sightings - what answers at temperature 0 show about their tokens. Only the probe's files
 * include it. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/probe/probe_reply.h"

/* What answers at temperature 0 showed about their tokens. */
struct sightings {
	/* answers with logprobs; misspelt: those whose tokens do not spell the text */
	uint32_t answers, misspelt;
	/* tokens with logprobs; misnamed: stated wrongly (TOKEN_MISNAMED); not_top: other tokens
	 * for which the list has a more probable one */
	uint32_t tokens, misnamed, not_top;
	/* part of not_top: the more probable token had occurred before */
	uint32_t passed_before;
	uint32_t unlike; /* tokens with another logprob in their own list */
	/* How the JSON of an answer writes its tokens. pieces: with a vocabulary's mark for a
	 * space; keyless: as "token_id:N"; ids: it gives the id of a token; bytes: it lists their
	 * bytes; bytes_null: it has "bytes": null. */
	bool pieces, keyless, ids, bytes, bytes_null;
	/* The first case of each kind; NULL: none. misspelt_example: the request;
	 * passed_example: a token of passed_before; other_example: another token of not_top. */
	const char *misspelt_example, *misnamed_example, *passed_example, *other_example;
	/* the largest difference in nats between the more probable and the chosen token */
	double passed_most;
};

/* Adds what an answer shows. prompt: the text of its request. Examples live in t->texts. */
void sightings_add(struct sightings *s, struct span prompt, const struct reply *t);
