#include "analyzer/output/report_values.h"

#include <math.h>

json_t *report_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *report_interval(struct interval i)
{
	if (!isfinite(i.low) || !isfinite(i.high)) {
		return json_null();
	}
	return json_pack("[f, f]", i.low, i.high);
}

json_t *report_estimate(const struct estimate *e)
{
	json_t *o = json_object();
	json_object_set_new(o, "value", report_number(e->value));
	json_object_set_new(o, "ci95", report_interval(e->ci));
	return o;
}
