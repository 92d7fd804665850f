#pragma once
/*
 * chat_template - converts a chat's messages to the tokens that the simulated model reads. A chat
 * with one user message becomes:
 *
 *	<|begin|> <|user|> text <|turn_end|> <|assistant|>
 */
#include "backends/engine/engine_problem.h"
#include "backends/engine/vocabulary.h"

/* Appends the tokens of a JSON array of messages. reasoner: the answer begins with reasoning.
 * False: *ret_problem says what is wrong with the messages; *to is then undefined. */
bool chat_template_apply(struct span messages, bool reasoner, struct tokens *to,
        struct engine_problem *ret_problem) MUST_CHECK;
