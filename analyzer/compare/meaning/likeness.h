#pragma once
/*
 * likeness - how like two texts are, as Python's difflib reckons it: SequenceMatcher(None, a, b).ratio().
 *
 * infer-check's similarity, for its files alone: it collapses on long texts, in which difflib passes over all
 * characters that are common, so that no figure of ours rests on it. Pure.
 */
#include "base/buf.h"

#define LIKENESS_LIMIT 100000 /* characters of a text: the time goes with the square */

/* 0 to 1; 1 for two empty texts. NaN: one is longer than the limit, or it would take more than some seconds. Bytes that are
 * no UTF-8 count as U+FFFD. */
double likeness_ratio(struct span a, struct span b);
