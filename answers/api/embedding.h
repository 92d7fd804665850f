#pragma once
/*
 * embedding - vectors: OpenAI's data (numbers, or base64 of little-endian floats), Ollama's
 * embeddings and embedding, one element of llama.cpp's list.
 */
#include "answers/draft.h"

/* Reads one document; vectors go to the draft in their order. False: not one JSON object. */
bool embedding_read(struct draft *d, struct span text) MUST_CHECK;
