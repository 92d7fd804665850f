#pragma once
/*
 * json_write - jansson's documents as text, as jansson writes them with JSON_REAL_PRECISION(15), but for
 * the digits of \u001d, which are small: its own way there takes as long as an analysis, nearly all of it for printf()
 * and for single bytes.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* The text comes in pieces of some kilobytes, cut anywhere. */
typedef void (*json_piece_fn)(void *arg, const char *bytes, size_t n);

/* indent: spaces a level; 0: everything on one line and nothing between its members. */
void json_write(const json_t *value, unsigned indent, json_piece_fn fn, void *arg);
void json_write_file(const json_t *value, unsigned indent, FILE *to);
