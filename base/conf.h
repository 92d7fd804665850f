#pragma once
/*
 * conf - a YAML configuration file as a tree that knows the line of each node, and checked access
 * to it.
 *
 * The document keeps only the first problem, as text: FILE:LINE: KEY.PATH: sentence. A getter that
 * reports a problem returns its fallback. So read all keys first, then call conf_check_keys() for
 * each map, and conf_error() last. Duplicate keys, anchors, aliases, tags, a second document in the
 * file and more than 32 levels are problems. For start-up only. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum conf_kind { CONF_SCALAR, CONF_LIST, CONF_MAP };

struct conf;      /* a document */
struct conf_node; /* owned by its document */

/* NULL: the file cannot be read, is not YAML or has more than 1 MiB; *ret_error is then a sentence,
 * which the caller frees. name: the text's name in messages. */
struct conf *conf_load(const char *path, char **ret_error);
struct conf *conf_parse(const char *name, struct span text, char **ret_error);
void conf_destroy(struct conf *y);
const struct conf_node *conf_root(const struct conf *y);
const char *conf_error(const struct conf *y); /* the first problem, or NULL */
/* Records a problem, unless the document has one. at: the node that is wrong, of this document. */
void conf_fail(struct conf *y, const struct conf_node *at, const char *format, ...) PRINTF(3, 4);

enum conf_kind conf_kind(const struct conf_node *n);
int conf_line(const struct conf_node *n); /* from 1 */
/* The value of a key; NULL: the map does not have it, or map is NULL. From now on conf_check_keys()
 * knows the key, which must live as long as the document. A node that is not a map is a problem. */
const struct conf_node *conf_get(struct conf *y, const struct conf_node *map, const char *key);
/* The number of items of a list or of pairs of a map; 0 for a scalar and for NULL. */
size_t conf_size(const struct conf_node *n);
/* i: from 0, below conf_size(). */
const struct conf_node *conf_item(const struct conf_node *list, size_t i);
/* The value of the i-th pair of a map in file order; *ret_key lives as long as the document. */
const struct conf_node *conf_pair(const struct conf_node *map, size_t i, const char **ret_key);
/* A key of this map for which conf_get() was not called is a problem; the text names the nearest
 * known key. */
void conf_check_keys(struct conf *y, const struct conf_node *map);

/* Getters. They return fallback if n is NULL (the key is absent), and for a value of another form
 * or out of range, which is a problem. Strings live as long as the document. */
const char *conf_string(struct conf *y, const struct conf_node *n, const char *fallback);
bool conf_bool(struct conf *y, const struct conf_node *n, bool fallback);
int64_t conf_int(
        struct conf *y, const struct conf_node *n, int64_t min, int64_t max, int64_t fallback);
/* Bytes. Forms: 20GiB, 64KiB, 10MB, 512. */
uint64_t conf_bytes(struct conf *y, const struct conf_node *n, uint64_t fallback);
/* Nanoseconds. Forms: 0, 40ms, 1.5s, 5m, 2h, 7d. */
uint64_t conf_duration(struct conf *y, const struct conf_node *n, uint64_t fallback);
/* From 0 to 1. Forms: 0.2, 20%. */
double conf_share(struct conf *y, const struct conf_node *n, double fallback);
/* Forms: 0.5, -3, 20% (gives 0.2). */
double conf_number(struct conf *y, const struct conf_node *n, double fallback);
/* Per second. Forms: 5/s, 300/m, 1000/h. */
double conf_rate(struct conf *y, const struct conf_node *n, double fallback);
/* The index of the value in a NULL-terminated list of words. */
int conf_choice(struct conf *y, const struct conf_node *n, const char *const *words, int fallback);

/* Appends any node as JSON text. An unquoted scalar that is a JSON number, true, false or null is
 * written as such, an unquoted "~" or empty one as null, every other scalar as a string. */
void conf_put_json(const struct conf_node *n, struct buf *to);

/* Read the same forms from command-line flags. False: another form, or the value is too large. */
bool conf_parse_bytes(const char *s, uint64_t *ret) MUST_CHECK;
bool conf_parse_duration(const char *s, uint64_t *ret) MUST_CHECK;
bool conf_parse_share(const char *s, double *ret) MUST_CHECK;
bool conf_parse_number(const char *s, double *ret) MUST_CHECK;
bool conf_parse_rate(const char *s, double *ret) MUST_CHECK;
/* Reads digits with an optional decimal point, such as "2.5", whatever the locale: no sign, no
 * exponent, no unit. */
bool conf_parse_decimal(const char *s, double *ret) MUST_CHECK;
/* Cuts the next word, without the blanks around it, off a list separated by commas. Writes NULs
 * into the list and advances *list. The word is empty if there is nothing between two commas; NULL:
 * the list has ended. */
char *conf_next_word(char **list);
