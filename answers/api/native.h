#pragma once
/*
 * native - one JSON document of an answer in an engine's own dialect, into a draft.
 *
 * As openai_read(): is_error, if the event is named "error", or the status says so. False: the text
 * is not one JSON object; what came before the fault was read.
 */
#include "answers/draft.h"

/* /api/chat and /api/generate: one document, or a line of many. */
bool ollama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* llama.cpp's /completion: one document, or an event of many; logprobs old and new. */
bool llama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* /generate of SGLang and LMDeploy. An event holds all that was said so far, or only what is new. */
bool sglang_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* TGI's /generate and /generate_stream. */
bool tgi_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
