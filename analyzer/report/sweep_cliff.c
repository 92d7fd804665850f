#include "analyzer/report/sweep_cliff.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

static const char FIGURE[] = "answer_changed";

/* There is a cliff where the share of changed answers grows by more than this factor.
 * put_no_cliff() and docs/metrics.md say "twice". */
#define CLIFF_FACTOR 2

enum cliff { NO_CLIFF, MAYBE_CLIFF, CLIFF };

static bool is_cliff(const struct metric_value *last, const struct metric_value *now)
{
	/* Any multiple of 0 is 0; in that case the intervals decide. */
	return now->value > CLIFF_FACTOR * last->value &&
	       (last->value > 0 || now->low > (isnan(last->high) ? last->value : last->high));
}

/* CLIFF if there is one whatever the undecided answers are; MAYBE_CLIFF if it depends on them. */
static enum cliff cliff_between(
        const struct metric_value *last, const struct metric_value *now, bool *ret_sure)
{
	struct metric_value before[2], after[2];
	metric_ends(last, before);
	metric_ends(now, after);
	*ret_sure = after[0].low > (isnan(before[1].high) ? before[1].value : before[1].high);
	return is_cliff(&before[1], &after[0])   ? CLIFF
	       : is_cliff(&before[0], &after[1]) ? MAYBE_CLIFF
	                                         : NO_CLIFF;
}

/* A target of a sweep, and the target before it. */
struct step {
	const char *target, *before;   /* before: NULL for the first */
	struct metric_value last, now; /* shares of changed answers; last: NaN if not known */
};

/* Goes to the next target that has the figure; false: none. Begin with {.now.value = NAN} and 0. */
static bool next_step(const json_t *rows, size_t *i, struct step *s)
{
	s->before = s->target;
	s->last = s->now;
	while (*i < json_array_size(rows)) {
		const json_t *row = json_array_get(rows, (*i)++);
		/* A floor over other seeds is not comparable, because the pairs of a target have
		 * the same seeds. */
		bool over_seeds = node_is(row, "floor_over", "other_seeds");
		if (!s->before && !over_seeds) {
			metric_read_member(json_object_get(row, "base_floor"), FIGURE, &s->last);
		}
		if (metric_read_member(json_object_get(row, "figures"), FIGURE, &s->now)) {
			s->target = node_text(row, "target");
			return true;
		}
	}
	return false;
}

static json_t *cliff_json(const struct step *s, bool shown, bool sure)
{
	const struct metric_value *last = &s->last, *now = &s->now;
	return json_pack("{s:s, s:s?, s:f, s:f, s:f, s:f, s:b, s:b}", "target", s->target, "before",
	        s->before, "value", now->value, "at_most", now->is_range ? now->most : now->value,
	        "value_before", last->value, "at_most_before",
	        last->is_range ? last->most : last->value, "shown", (int)shown, "sure",
	        (int)(shown && sure));
}

json_t *sweep_cliff(const json_t *rows)
{
	struct step s = {.now.value = NAN};
	json_t *maybe = NULL;
	for (size_t i = 0; next_step(rows, &i, &s);) {
		bool sure = false;
		enum cliff found = cliff_between(&s.last, &s.now, &sure);
		if (found == CLIFF) {
			json_decref(maybe);
			return cliff_json(&s, true, sure);
		}
		if (found == MAYBE_CLIFF && !maybe) {
			maybe = cliff_json(&s, false, false);
		}
	}
	return maybe ? maybe : json_null();
}

/* "2.0 %", or "0.0 to 66.7 %". */
static void put_cliff_share(
        struct buf *to, const json_t *cliff, const char *least, const char *most)
{
	struct metric_value v = {.value = node_number(cliff, least),
	        .most = node_number(cliff, most),
	        .low = NAN,
	        .is_range = true};
	metric_put_value(to, METRIC_SHARE, &v);
}

/* The step to the largest change of meaning; without a target if no row has the figure. */
static struct step largest_change(const json_t *rows)
{
	struct step most = {.target = NULL}, s = {.now.value = NAN};
	for (size_t i = 0; next_step(rows, &i, &s);) {
		if (!most.target || s.now.value > most.now.value ||
		        (s.now.value == most.now.value && s.now.most > most.now.most)) {
			most = s;
		}
	}
	return most;
}

/* "No cliff: the largest change of meaning is 4.1 % [3.0 to 5.4], at q4; it is below twice the
 * 3.0 % at q8." */
static void put_no_cliff(struct buf *to, const json_t *rows)
{
	struct step s = largest_change(rows);
	if (!s.target) {
		return;
	}
	if (s.now.n < METRIC_FEW) {
		buf_append_str(to, "Too few answers to look for a cliff.");
		return;
	}
	const char *at = s.before ? s.before : "repeats of the base";
	buf_append_str(to, "No cliff: the largest change of meaning is ");
	metric_put_value(to, METRIC_SHARE, &s.now);
	buf_printf(to, ", at %s", s.target);
	double most = metric_is_open(&s.last) ? s.last.most : s.last.value;
	if (most > 0) {
		buf_append_str(to, "; it is below twice the ");
		metric_put(to, METRIC_SHARE, most);
		buf_printf(to, " at %s", at);
	} else if (most == 0 && !isnan(s.last.high)) {
		buf_printf(to, "; %s may change as often (up to ", at);
		metric_put(to, METRIC_SHARE, s.last.high);
		buf_append_char(to, ')');
	}
	buf_append_char(to, '.');
}

void sweep_cliff_put(struct buf *to, const json_t *standings)
{
	const json_t *cliff = json_object_get(standings, "cliff");
	bool swept = node_flag(standings, "is_sweep");
	if (!json_is_object(cliff)) {
		if (swept) {
			put_no_cliff(to, json_object_get(standings, "rows"));
		}
		return;
	}
	bool shown = !json_is_false(json_object_get(cliff, "shown"));
	const char *before = node_text(cliff, "before");
	buf_printf(to, shown ? "Cliff at %s: " : "Undecided whether there is a cliff at %s: ",
	        node_text(cliff, "target"));
	buf_append_str(to, "the meaning changed in ");
	put_cliff_share(to, cliff, "value", "at_most");
	buf_append_str(to, " of the answers, and in ");
	put_cliff_share(to, cliff, "value_before", "at_most_before");
	buf_printf(to, " %s%s%s.", *before ? "at " : "of repeats of the base", before,
	        !shown || node_flag(cliff, "sure")
	                ? ""
	                : "; the intervals overlap, so more answers may move it");
}
