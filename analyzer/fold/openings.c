#include "analyzer/fold/openings.h"

#include <math.h>

void openings_add(struct openings *o, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const double values[N_OPENINGS])
{
	struct clusters *c = clusters_of(&o->clusters, N_OPENINGS);
	uint32_t row = clusters_row(c, cluster);
	o->n++;
	for (size_t f = 0; f < N_OPENINGS; f++) {
		if (!isnan(values[f])) {
			clusters_add(c, row, f, values[f], 1);
		}
	}
}

void openings_settle(struct openings *o)
{
	clusters_estimate_each(o->clusters, N_OPENINGS, o->values);
	clusters_estimate_rate(o->clusters, OPENING_SAME_TOP, &o->values[OPENING_SAME_TOP]);
}

void openings_finish(struct openings *o)
{
	clusters_destroy(o->clusters);
	*o = (struct openings){0};
}
