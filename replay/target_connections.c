#include "replay/target_connections.h"

#include "base/clock.h"

#define GONE_LIMIT 16

void target_connections_open(
        struct target_connections *o, const struct runner_settings *s, size_t i, uv_loop_t *loop)
{
	const struct target *t = s->targets[i];
	o->frame = (struct leg_frame){
	        .backend = t->name,
	        .url = t->url,
	        .replica_header = t->replica_header,
	        .role = t->role,
	        .run = resume_run(s->sent),
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

void target_connections_send_ended(struct target_connections *o, bool unsent)
{
	o->unsent_in_a_row = unsent ? o->unsent_in_a_row + 1 : 0;
}

bool target_connections_is_gone(const struct target_connections *o)
{
	return o->unsent_in_a_row >= GONE_LIMIT;
}

void target_connections_close(struct target_connections *o)
{
	transport_destroy(o->transport);
}
