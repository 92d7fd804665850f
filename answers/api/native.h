#pragma once
/*
 * native - reads one JSON document in an engine's own form into a draft.
 *
 * is_error: the event is named "error", or the status is an error. All functions return false if
 * the text is not one JSON object; the draft then has what comes before the fault.
 */
#include "answers/draft.h"

/* Ollama's /api/chat and /api/generate: one document, or one line of a stream. */
bool ollama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* llama.cpp's /completion: one document, or one event of a stream; with the old or the new form
 * of logprobs. */
bool llama_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* /generate of SGLang and LMDeploy, whose events have all text so far, or only the new text. */
bool sglang_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;
/* TGI's /generate and /generate_stream. */
bool tgi_read(struct draft *d, struct span text, bool is_error) MUST_CHECK;

/* How documents of one form are read. form: the caller's struct for one document. */
struct native_form {
	/* Reads a member and moves j past its value. False: the form has no such member; j is
	 * unchanged. value: the value's first token. */
	bool (*read_member)(struct draft *d, void *form, struct json *j,
	        const struct json_token *key, const struct json_token *value);
	/* Completes the draft after the last member. False: the document has another form. */
	bool (*finish_document)(struct draft *d, void *form);
};
/* Reads a document in this form, and an error that it reports. Returns as above. */
bool native_read(struct draft *d, struct span text, bool is_error, const struct native_form *reader,
        void *form) MUST_CHECK;
