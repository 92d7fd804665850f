#include "proxy/routes.h"

#include <stdio.h>

#include "proxy/exposition.h"

void routes_count(struct routes *r, enum endpoint e, int status)
{
	status = status > 0 && status < ROUTE_STATUSES ? status : 0;
	atomic_fetch_add_explicit(&r->answered[e][status], 1, memory_order_relaxed);
}

void routes_write(struct routes *r, struct buf *to)
{
	exposition_describe(to, "requests_total", "counter",
	        "Completed requests, by endpoint and the status that the client got.");
	for (int e = 0; e < N_ENDPOINTS; e++) {
		for (int status = 0; status < ROUTE_STATUSES; status++) {
			uint64_t n =
			        atomic_load_explicit(&r->answered[e][status], memory_order_relaxed);
			char text[16] = "none";
			if (status) {
				snprintf(text, sizeof(text), "%d", status);
			}
			if (n) {
				exposition_sample(to, "requests_total", n, "route",
				        endpoint_name((enum endpoint)e), "status", text, NULL);
			}
		}
	}
}
