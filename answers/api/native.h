#pragma once
/*
 * native - reads one JSON document in an engine's own form into a draft.
 *
 * is_error: the event is named "error", or the status is an error. False: the text is not one JSON
 * object; what came before the fault was read.
 */
#include "answers/draft.h"

/* /api/chat and /api/generate: one document, or one line of many. */
bool ollama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* llama.cpp's /completion: one document, or one event of many; old and new logprobs. */
bool llama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* /generate of SGLang and LMDeploy. An event holds all text so far, or only the new text. */
bool sglang_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* TGI's /generate and /generate_stream. */
bool tgi_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
