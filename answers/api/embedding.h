#pragma once
/*
 * embedding - vectors: OpenAI's data (numbers, or base64 of little-endian floats), Ollama's
 * embeddings and embedding, one element of llama.cpp's list.
 */
#include "answers/draft.h"

/* One document. False: not one JSON object. Vectors go to the draft in the order they came. */
bool embedding_read(struct draft *d, struct span text) MUST_CHECK;
