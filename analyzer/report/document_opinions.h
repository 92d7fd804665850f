#pragma once
/*
 * document_opinions - what judge models said, for people and for machines: always beside what the
 * ladder says, never in its place.
 */
#include <jansson.h>

#include "analyzer/opinions/opinions.h"

json_t *report_opinions_json(const struct opinions *o); /* an array with an object for each judge */
/* The caller frees it. */
char *report_opinions_sentence(const struct judge_opinions *j);
