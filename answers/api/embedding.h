#pragma once
/*
 * embedding - reads vectors: OpenAI's "data" (numbers, or base64 of little-endian floats), Ollama's
 * "embeddings" and "embedding", and one element of llama.cpp's list.
 */
#include "answers/draft.h"

/* Reads one document and adds its vectors to the draft in their order. False: the text is not
 * one JSON object. */
bool embedding_read(struct draft *d, struct span text) MUST_CHECK;
