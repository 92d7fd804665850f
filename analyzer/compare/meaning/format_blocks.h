#pragma once
/*
 * format_blocks - the code and JSON that stand apart from the prose of two answers, compared one by one.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/format_code.h"
#include "analyzer/compare/meaning/format_markup.h"

size_t block_count(const struct buf *pieces);
const struct piece *block_at(const struct buf *pieces, size_t index);
bool block_is_json(const struct piece *p); /* one JSON value and nothing else */
/* JSON by format_json.h, anything else as code of the language that a fence names. */
enum agreement block_agreement(const struct piece *a, const struct piece *b);
/* All of them, one by one. Undecided: not equally many, or too many. */
enum agreement block_agreement_all(const struct buf *a, const struct buf *b);
