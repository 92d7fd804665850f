#pragma once
/*
 * node - members of a document that anybody may have written: what is absent or of another type is empty. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* "" when it is no text. Lives as long as the document. */
const char *node_text(const json_t *o, const char *name);
/* NaN when it is no number. */
double node_number(const json_t *o, const char *name);
/* At a path of names with dots between, each under 96 bytes; NULL where it leads nowhere. */
const json_t *node_at(const json_t *o, const char *path);

/* New ones. null for NaN and infinity, for which JSON has no word. */
json_t *node_real(double value);
/* [low, high]; null unless both are finite. */
json_t *node_interval(double low, double high);
/* null for NULL, and for what is not UTF-8: names and texts come from engines. */
json_t *node_string(const char *text);

/* Sets a member of o, the value as above. */
void node_set_count(json_t *o, const char *name, uint64_t n); /* up to INT64_MAX */
void node_set_number(json_t *o, const char *name, double value);
void node_set_text(json_t *o, const char *name, const char *text);
void node_set_flag(json_t *o, const char *name, bool flag);
