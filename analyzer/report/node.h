#pragma once
/*
 * node - reads members of an untrusted document: what is missing or has another type is empty. Also
 * creates values. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* "" if it is not a string. Lives as long as the document. */
const char *node_text(const json_t *o, const char *name);
/* NaN if it is not a number. */
double node_number(const json_t *o, const char *name);
/* At a path of names separated by dots, each under 96 bytes; NULL if there is none. */
const json_t *node_at(const json_t *o, const char *path);

/* New values. null for NaN and infinity, which JSON can't express. */
json_t *node_real(double value);
/* [low, high]; null unless both are finite. */
json_t *node_interval(double low, double high);
/* null for NULL, and for texts that are not UTF-8, since they come from engines. */
json_t *node_string(const char *text);

/* Set a member of o to a value as above. */
void node_set_count(json_t *o, const char *name, uint64_t n); /* up to INT64_MAX */
void node_set_number(json_t *o, const char *name, double value);
void node_set_text(json_t *o, const char *name, const char *text);
void node_set_flag(json_t *o, const char *name, bool flag);
