#pragma once
/*
 * probe_observations - what answers at temperature 0 show about their tokens. For the probe's files
 * only. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/probe/probe_reply.h"

/* Zero-initialised is empty. */
struct observations {
	/* answers with logprobs; misspelt: those whose tokens do not spell the text */
	uint32_t answers, misspelt;
	/* tokens with logprobs; misnamed: stated wrongly (TOKEN_MISNAMED); not_top: other tokens
	 * for which the list has a more probable one */
	uint32_t tokens, misnamed, not_top;
	/* part of not_top: the more probable token had occurred before */
	uint32_t skipped_before;
	uint32_t inconsistent; /* tokens with another logprob in their own list */
	/* How the JSON of an answer writes its tokens. pieces: with a vocabulary's mark for a
	 * space; by_id: as "token_id:N"; ids: with the id of each token; bytes: with a list of
	 * their bytes; bytes_null: with "bytes": null. */
	bool pieces, by_id, ids, bytes, bytes_null;
	/* The first case of each kind; NULL: none. misspelt_example: the request; skipped_example:
	 * a token of skipped_before; other_example: another token of not_top. */
	const char *misspelt_example, *misnamed_example, *skipped_example, *other_example;
	/* the largest difference in nats between the more probable and the chosen token */
	double skipped_most;
};

/* Adds what an answer with logprobs shows. prompt: its request's text. Examples live in
 * t->texts. */
void observations_add(struct observations *s, struct span prompt, const struct reply *t);
