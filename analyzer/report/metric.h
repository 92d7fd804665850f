#pragma once
/*
 * metric - the figures of the document that have a name of their own: a policy can set limits for
 * them, and change.h compares two analyses by them.
 *
 * The document may be a saved one and is not trusted: a member of an unexpected type is a figure
 * without data. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"

enum metric_place {
	METRIC_OF_SPLIT,    /* figures of one decoding of a pair of backends */
	METRIC_OF_GROUP,    /* figures of a pair of backends */
	METRIC_OF_DOCUMENT, /* figures of the whole capture */
	METRIC_OF_SCORES,   /* figures of one decoding of a scorer and a scored backend */
	METRIC_OF_SCORER,   /* figures of a scorer and a scored backend */
	METRIC_OF_TRAFFIC,  /* figures of one backend's answers, compared or not */
	METRIC_OF_DRAWS,    /* figures of how one backend draws its tokens */
};

enum metric_unit {
	METRIC_SHARE,  /* 0 to 1, shown in % */
	METRIC_POINTS, /* percentage points: 5 is 5 points */
	METRIC_COUNT,
	METRIC_MS,
	METRIC_NUMBER, /* nats, tokens, differences per 1,000: see the label */
};
const char *metric_unit_name(enum metric_unit u); /* stable, in JSON: "share", "points", ... */

enum metric_worse {
	METRIC_WORSE_HIGHER,
	METRIC_WORSE_LOWER,
	METRIC_WORSE_AWAY, /* farther from 0 */
	METRIC_WORSE_NEITHER,
};

struct metric {
	const char *name; /* stable */
	/* path in the object of its place: names of members, separated by dots; NULL: "figures."
	 * and `name` */
	const char *path;
	enum metric_place place;
	enum metric_unit unit;
	enum metric_worse worse;
	bool has_interval;
	bool is_main; /* a main figure: in summaries, and tested by change.h */
	const char *label;
	/* name of a member of the object of its place by which the figure is divided; NULL: none */
	const char *per;
};

/* True if the figure is of one backend, not of two. */
bool metric_is_one_sided(const struct metric *m);
/* NULL: there is no metric with this name. */
const struct metric *metric_find(const char *name);
const char *metric_nearest(const char *name); /* the name that was probably meant; NULL: none */
size_t metric_count(void);
const struct metric *metric_at(size_t i);
/* The names of the metrics that have an excess over the noise floor; NULL-terminated. */
const char *const *metric_over_floor(void);
/* Sets the document's "units": the unit of each metric, by name. */
void metric_set_units(json_t *document);
/* The unit of the metric with this name; METRIC_NUMBER if there is none. */
enum metric_unit metric_unit_of(const char *name);

/* Tables of figures show "too few" in place of one with fewer answers than this. */
#define METRIC_FEW 10

struct metric_value {
	double value;     /* finite */
	double low, high; /* 95 %; NaN: no interval. For a range: covers both ends */
	/* number of answers, positions or clusters, or the divisor `per`; NaN: unknown */
	double n;
	double clusters; /* NaN: unknown */
	/* The figure is a range: value is its lower end, most its upper end. */
	bool is_range;
	/* intervals of the ends: low to least_high, most_low to high */
	double most, least_high, most_low;
};
/* True if it is a range whose ends differ. */
bool metric_is_open(const struct metric_value *v);
/* The ends of a range, each as a value with its interval; for other figures the same value
 * twice. */
void metric_ends(const struct metric_value *v, struct metric_value ret[2]);
/* Sets "at_least" and "at_most" of a range, which metric_read_node() reads; sets nothing for
 * other figures. */
void metric_set_ends(json_t *o, const struct metric_value *v);

/* Reads a figure. at: the object of metric.place. Returns false, and sets nothing, if it has no
 * data. */
bool metric_read(const struct metric *m, const json_t *at, struct metric_value *ret) MUST_CHECK;
/* Reads `node`: an object with a value, or a plain number. owner: the object of which node is a
 * member; its "n" is the n of a plain number. NULL: unknown. Returns false, and sets nothing, if
 * there is no data. */
bool metric_read_node(const json_t *node, const json_t *owner, struct metric_value *ret) MUST_CHECK;

/* metric_read_node() of the member of `owner` with this name. */
bool metric_read_member(const json_t *owner, const char *name, struct metric_value *ret);

/* Appends two numbers of percent or of points with `between` between them: "3.0 to 5.4". Both have
 * a second decimal if one of them needs it (percent_decimals()). */
void metric_put_percents(struct buf *to, double low, const char *between, double high);
/* Appends a value: "4.1 %", "-5.0 points", "0.0123", "17". */
void metric_put(struct buf *to, enum metric_unit unit, double value);
/* Appends a value with its interval, if it has one: "4.1 % [3.0 to 5.4]"; for a range "0.0 to
 * 66.7 % [0.0 to 80.1]". */
void metric_put_value(struct buf *to, enum metric_unit unit, const struct metric_value *v);
/* Appends only the interval: "3.0 to 5.4"; nothing if there is none. */
void metric_put_interval(struct buf *to, enum metric_unit unit, const struct metric_value *v);
/* metric_read_node() and metric_put_value(). Appends "-" and returns false if there is no data. */
bool metric_put_node(struct buf *to, enum metric_unit unit, const json_t *node);
/* Appends a change of a value with its sign and its interval; for shares in percentage points:
 * "+2.1 points [+0.50 to +3.70]". */
void metric_put_change(struct buf *to, enum metric_unit unit, const struct metric_value *change);
