#pragma once
/*
 * document_sentence - the verdict on two backends in one sentence.
 */
#include "analyzer/fold/verdict.h"

/* Of a settled group; the caller frees it. */
char *document_sentence(const struct analysis_group *g, const struct verdict *v);
/* Why no greedy answers of the group could be compared; the caller frees it. */
char *document_uncompared(const struct analysis_group *g);
/* The cause that explains most of the greedy answers that differ; or NULL. */
const struct cause *document_main_cause(const struct analysis_group *g);
