/* A backend's addresses: numeric ones at once, names by a lookup in another thread. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <uv.h>

#include "backends/transport/resolver.h"

struct asker {
	uv_loop_t loop;
	struct resolver *resolver;
	int found, closed;
};

static void on_found(void *arg)
{
	((struct asker *)arg)->found++;
}

static void on_closed(void *arg)
{
	((struct asker *)arg)->closed++;
}

static const struct resolver_events events = {on_found, on_closed};

static void asker_open(struct asker *a, const char *host)
{
	*a = (struct asker){0};
	uv_loop_init(&a->loop);
	a->resolver = resolver_create(&a->loop, host, 8080, &events, a);
}

static void asker_close(struct asker *a)
{
	resolver_destroy(a->resolver);
	uv_run(&a->loop, UV_RUN_DEFAULT);
	cr_assert_eq(a->closed, 1);
	cr_assert_eq(uv_loop_close(&a->loop), 0, "a handle was left open");
}

static void wait_found(struct asker *a)
{
	for (int before = a->found; a->found == before;) {
		uv_run(&a->loop, UV_RUN_ONCE);
	}
}

Test(resolver, knows_numeric_addresses_without_asking_anybody)
{
	static const struct {
		const char *host;
		int family;
	} hosts[] = {{"127.0.0.1", AF_INET}, {"::1", AF_INET6}};
	for (size_t i = 0; i < 2; i++) {
		struct asker a;
		const struct addresses *found;
		asker_open(&a, hosts[i].host);
		cr_assert_eq(resolver_get(a.resolver, &found), 0);
		cr_assert_eq(found->n, 1);
		cr_assert_eq(found->items[0].any.sa_family, hosts[i].family);
		cr_assert_eq(found->items[0].v4.sin_port, htons(8080));
		resolver_expire(a.resolver);
		cr_assert_eq(resolver_get(a.resolver, &found), 0, "doubt does not change a number");
		asker_close(&a);
	}
}

Test(resolver, finds_a_name_beside_the_loop_and_remembers_it)
{
	struct asker a;
	const struct addresses *found;
	asker_open(&a, "localhost");
	cr_assert_eq(resolver_get(a.resolver, &found), -EAGAIN);
	cr_assert_eq(resolver_get(a.resolver, &found), -EAGAIN, "one lookup serves all");
	wait_found(&a);
	cr_assert_eq(resolver_get(a.resolver, &found), 0);
	cr_assert_geq(found->n, 1);
	for (size_t i = 0; i < found->n; i++) {
		cr_assert_eq(found->items[i].v4.sin_port, htons(8080));
	}
	cr_assert_eq(a.found, 1);
	asker_close(&a);
}

Test(resolver, says_why_there_is_no_address)
{
	struct asker a;
	const struct addresses *found;
	int r;
	asker_open(&a, "no-such-host.invalid");
	/* A failure counts for milliseconds. On a busy machine it may be over when it is asked for. */
	while ((r = resolver_get(a.resolver, &found)) == -EAGAIN) {
		wait_found(&a);
	}
	cr_assert_eq(r, -ENOENT);
	cr_assert_gt(a.found, 0, "it was looked up");
	cr_assert_gt(strlen(resolver_problem(a.resolver)), 0);
	asker_close(&a);
}

/* A lookup that nobody waits for may be under way when the test ends; what the C library holds for it then is no leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:res_context_send\n";
}

Test(resolver, does_not_wait_for_a_lookup_that_nobody_needs_any_more)
{
	for (int i = 0; i < 20; i++) {
		struct asker a;
		const struct addresses *found;
		asker_open(&a, "no-such-host.invalid");
		cr_assert_eq(resolver_get(a.resolver, &found), -EAGAIN);
		asker_close(&a);
		cr_assert_eq(a.found, 0);
	}
}
