#include "replay/outlet.h"

#define SECOND_NS UINT64_C(1000000000)
#define GONE_LIMIT 16

void outlet_open(struct outlet *o, const struct runner_settings *s, size_t i, uv_loop_t *loop)
{
	const struct target *t = s->targets[i];
	o->frame = (struct leg_frame){
	        .backend = t->name,
	        .url = t->url,
	        .replica_header = t->replica_header,
	        .role = t->role,
	        .run = sent_run(s->sent),
	        .budget = s->budget,
	        .recorder = s->recorder,
	        .in_flight = &o->in_flight,
	};
	const struct upstream_target wire = {
	        .url = t->url,
	        .ca_file = t->ca_file,
	        .connect_timeout = 10 * SECOND_NS,
	        .idle_timeout = t->timeout,
	        .max_idle_age = s->fresh ? UPSTREAM_NONE_KEPT : 4 * SECOND_NS,
	};
	o->transport = transport_create(loop, &wire);
}

void outlet_send_ended(struct outlet *o, bool unsent)
{
	o->unsent_in_a_row = unsent ? o->unsent_in_a_row + 1 : 0;
}

bool outlet_is_gone(const struct outlet *o)
{
	return o->unsent_in_a_row >= GONE_LIMIT;
}

void outlet_close(struct outlet *o)
{
	transport_destroy(o->transport);
}
