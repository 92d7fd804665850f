#pragma once
/*
 * native - reads one JSON document in an engine's own form into a draft.
 *
 * is_error: the event is named "error", or the status is an error. All functions return false if
 * the text is not one JSON object; they have then read what comes before the fault.
 */
#include "answers/draft.h"

/* Ollama's /api/chat and /api/generate: one document, or one line of a stream. */
bool ollama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* llama.cpp's /completion: one document, or one event of a stream; with the old or the new form
 * of logprobs. */
bool llama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* /generate of SGLang and LMDeploy. An event has all text so far, or only the new text. */
bool sglang_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* TGI's /generate and /generate_stream. */
bool tgi_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
