#pragma once
/*
 * metric - what a limit can be set on and two analyses can be compared by: figures of the document, by name.
 *
 * The document may be a saved one, so anybody's: what has another shape than expected is a figure without data. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"

enum metric_place {
	METRIC_OF_SPLIT,    /* a decoding's figures */
	METRIC_OF_GROUP,    /* of two backends */
	METRIC_OF_DOCUMENT, /* of the capture */
	METRIC_OF_SCORES,   /* teacher forcing: of scorer and scored */
	METRIC_OF_TRAFFIC,  /* of one backend's answers, whether compared or not */
};

enum metric_unit {
	METRIC_SHARE,  /* 0 to 1, shown in % */
	METRIC_POINTS, /* percentage points: 5 is 5 points */
	METRIC_COUNT,
	METRIC_MS,
	METRIC_NUMBER, /* nats, tokens, partings per 1,000: the label says which */
};
const char *metric_unit_name(enum metric_unit u); /* stable, in JSON: "share", "points", ... */

enum metric_worse {
	METRIC_WORSE_HIGHER,
	METRIC_WORSE_LOWER,
	METRIC_WORSE_AWAY, /* from 0, either way */
	METRIC_WORSE_NEITHER,
};

struct metric {
	const char *name; /* stable */
	const char
	        *path; /* members from its place on, dots between; NULL: "figures." and its name */
	enum metric_place place;
	enum metric_unit unit;
	enum metric_worse worse;
	bool has_interval;
	bool is_main; /* one that a summary shows */
	const char *label;
	const char *per; /* a member beside, which it is divided by; NULL: as it stands */
};

/* NULL: no such one. */
const struct metric *metric_find(const char *name);
const char *metric_nearest(const char *name); /* or NULL */
size_t metric_count(void);
const struct metric *metric_at(size_t i);
/* NULL-terminated: the names of those that have an excess over the noise floor. */
const char *const *metric_over_floor(void);
/* Sets the document's "units": the unit of each metric, by name. */
void metric_note_units(json_t *document);
/* Of a figure's name; METRIC_NUMBER: no such one. */
enum metric_unit metric_unit_of(const char *name);

struct metric_value {
	double value;     /* finite */
	double low, high; /* 95 %; NaN: no interval. Of a range: of both ends together */
	double n;         /* answers, positions, clusters; NaN: not known */
	double clusters;  /* NaN: not known */
	/* A figure that is known within limits only: value is the least, most the most. */
	bool is_range;
	double most, least_high, most_low; /* intervals: low to least_high, most_low to high */
};
/* Whether it is a range whose ends differ. */
bool metric_is_open(const struct metric_value *v);
/* The ends of a range, each with its own interval; of other figures the value itself, twice. */
void metric_ends(const struct metric_value *v, struct metric_value ret[2]);
/* As metric_read_node() reads them: sets "at_least" and "at_most" of a range, and nothing else. */
void metric_set_ends(json_t *o, const struct metric_value *v);

/* at: where the metric's place is. False: no data. */
bool metric_read(const struct metric *m, const json_t *at, struct metric_value *ret) MUST_CHECK;
/* A figure, an estimate or a plain number in owner. */
bool metric_read_node(const json_t *node, const json_t *owner, struct metric_value *ret) MUST_CHECK;

/* "4.1 %", "-5.0 points", "0.0123", "17". */
void metric_put(struct buf *to, enum metric_unit unit, double value);
/* "4.1 % [3.0 to 5.4]"; of a range "0.0 to 66.7 % [0.0 to 80.1]"; without an interval no bracket. */
void metric_put_value(struct buf *to, enum metric_unit unit, const struct metric_value *v);
/* The same of a node, or "-". False: no data. */
bool metric_put_node(struct buf *to, enum metric_unit unit, const json_t *node);
/* A change of the value, with its sign; of shares in points: "+2.1 points". */
void metric_put_change(struct buf *to, enum metric_unit unit, const struct metric_value *change);
