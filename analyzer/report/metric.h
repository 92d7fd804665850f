#pragma once
/*
 * metric - the table of the document's figures that have a name: where each one is, its unit, and
 * which direction is worse. Policies and change.h refer to figures by these names.
 *
 * The document may be a saved one and is not trusted: a member of an unexpected type is a figure
 * without data. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"

/* Which object of the document has the figure. */
enum metric_place {
	METRIC_OF_SPLIT,    /* groups[].by_decoding.*: two backends, answers of one decoding */
	METRIC_OF_GROUP,    /* groups[]: two backends */
	METRIC_OF_DOCUMENT, /* the document: the whole capture */
	METRIC_OF_SCORES,   /* teacher_forced[].by_decoding.*: one decoding; or .all: all of them */
	METRIC_OF_SCORER,   /* teacher_forced[]: a scorer and a scored backend */
	METRIC_OF_TRAFFIC,  /* traffic.backends[]: one backend's answers, compared or not */
	METRIC_OF_DRAWS,    /* sampling[]: how one backend draws its tokens */
};

enum metric_unit {
	METRIC_SHARE,  /* 0 to 1, shown in % */
	METRIC_POINTS, /* percentage points: 5 is 5 points */
	METRIC_COUNT,
	METRIC_MS,
	METRIC_NUMBER, /* nats, tokens, differences per 1,000: see the label */
};
const char *metric_unit_name(enum metric_unit u); /* stable, in JSON: "share", "points", ... */

/* Which change of the figure is for the worse. */
enum metric_worse {
	METRIC_WORSE_HIGHER,
	METRIC_WORSE_LOWER,
	METRIC_WORSE_AWAY, /* farther from 0 */
	METRIC_WORSE_NEITHER,
};

struct metric {
	const char *name; /* stable */
	const char *path; /* in the object of its place (node_at()); NULL: "figures." and `name` */
	enum metric_place place;
	enum metric_unit unit;
	enum metric_worse worse;
	bool has_interval;
	bool is_main; /* a main figure: in summaries, and tested by change.h */
	const char *label;
	const char *per; /* the member of the place's object that divides the value; NULL: none */
};

/* True if the figure is of one backend, not of two. */
bool metric_is_one_sided(const struct metric *m);
/* True if each decoding (greedy, sampled, ...) has a figure of its own. */
bool metric_is_per_decoding(const struct metric *m);
const struct metric *metric_find(const char *name); /* NULL: there is none with this name */
const char *metric_nearest(const char *name); /* the name that was probably meant; NULL: none */
size_t metric_count(void);
const struct metric *metric_at(size_t i);
/* The names of the metrics that have an excess over the noise floor (members of the group's
 * noise_floor.figures); NULL-terminated. */
const char *const *metric_over_floor(void);
/* Sets the document's "units": the unit of each metric, by name. */
void metric_set_units(json_t *document);
/* The unit of the metric with this name; METRIC_NUMBER if there is none. */
enum metric_unit metric_unit_of(const char *name);

/* Tables of figures show "too few" in place of one with fewer answers than this. */
#define METRIC_FEW 10

struct metric_value {
	double value;     /* finite */
	double low, high; /* 95 %, for a range over both ends; NaN: none; high may be infinite */
	double n;         /* answers, positions, clusters, or the divisor `per`; NaN: unknown */
	double clusters;  /* NaN: unknown */
	/* Undecided answers make the figure a range: from value to most. The interval of the lower
	 * end is low to least_high, that of the upper end most_low to high. */
	bool is_range;
	double most, least_high, most_low;
};
/* True if it is a range whose ends differ. */
bool metric_is_open(const struct metric_value *v);
/* Makes each end of a range a value with its own interval; of other figures, copies v twice. */
void metric_ends(const struct metric_value *v, struct metric_value ret[2]);
/* Sets "at_least" and "at_most" of o, which metric_read_node() reads; nothing if v is no range. */
void metric_set_ends(json_t *o, const struct metric_value *v);

/* The next three functions return false, and leave *ret unchanged, if there is no data. at: the
 * object that metric.place names. */
bool metric_read(const struct metric *m, const json_t *at, struct metric_value *ret) MUST_CHECK;
/* node: an object with a value, or a number. The n of a number is the member "n" of owner; owner
 * NULL: unknown. */
bool metric_read_node(const json_t *node, const json_t *owner, struct metric_value *ret) MUST_CHECK;
/* Calls metric_read_node() for the member `name` of owner; the n of a number is unknown. */
bool metric_read_member(const json_t *owner, const char *name, struct metric_value *ret);

/* Appends two percentages (5 is 5 %) or points with `between` between them: "3.0 to 5.4". Both
 * have a second decimal if one of them needs it (percent_decimals()). */
void metric_put_percents(struct buf *to, double low, const char *between, double high);
/* Appends a value: "4.1 %", "-5.0 points", "0.0123", "17". */
void metric_put(struct buf *to, enum metric_unit unit, double value);
/* Appends a value with its interval, if it has one: "4.1 % [3.0 to 5.4]"; for a range of shares or
 * points "0.0 to 66.7 % [0.0 to 80.1]". Of other ranges it shows only the lower end. */
void metric_put_value(struct buf *to, enum metric_unit unit, const struct metric_value *v);
/* Appends only the interval: "3.0 to 5.4"; nothing if there is none. */
void metric_put_interval(struct buf *to, enum metric_unit unit, const struct metric_value *v);
/* Reads a figure (metric_read_node()) and appends it (metric_put_value()). If there is no data,
 * appends "-" and returns false. */
bool metric_put_node(struct buf *to, enum metric_unit unit, const json_t *node);
/* Appends a change of a value with its sign and its interval; for shares in percentage points:
 * "+2.1 points [+0.5 to +3.7]". */
void metric_put_change(struct buf *to, enum metric_unit unit, const struct metric_value *change);
