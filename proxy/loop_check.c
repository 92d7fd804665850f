#include "proxy/loop_check.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/base_url.h"
#include "base/mem.h"
#include "proxy/listener.h"

static struct in6_addr map_v4(in_addr_t v4)
{
	struct in6_addr a = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(a.s6_addr + 12, &v4, sizeof(v4));
	return a;
}

/* Parses an address; IPv4 is mapped into IPv6. False: the host is a name. */
static bool read_host(struct span host, struct in6_addr *ret)
{
	char text[INET6_ADDRSTRLEN];
	struct in_addr v4;
	if (host.len == 0 || host.len >= sizeof(text)) {
		return false;
	}
	memcpy(text, host.data, host.len);
	text[host.len] = '\0';
	if (inet_pton(AF_INET6, text, ret) == 1) {
		return true;
	}
	/* inet_aton(), because getaddrinfo() also accepts 127.1 and 2130706433 */
	if (!inet_aton(text, &v4)) {
		return false;
	}
	*ret = map_v4(v4.s_addr);
	return true;
}

static bool is_same(struct in6_addr a, struct in6_addr b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool is_any(struct in6_addr a)
{
	return IN6_IS_ADDR_UNSPECIFIED(&a) || is_same(a, map_v4(htonl(INADDR_ANY)));
}

/* Whether a listener at the first address also listens at the second. IPv6's any address
 * includes IPv4's. */
static bool covers(struct in6_addr at, struct in6_addr other)
{
	return is_same(at, other) || IN6_IS_ADDR_UNSPECIFIED(&at) ||
	       (is_any(at) && IN6_IS_ADDR_V4MAPPED(&other));
}

static bool is_at(const struct sockaddr *s, struct in6_addr a)
{
	return s &&
	       ((s->sa_family == AF_INET &&
	                is_same(a, map_v4(((const struct sockaddr_in *)s)->sin_addr.s_addr))) ||
	               (s->sa_family == AF_INET6 &&
	                       is_same(a, ((const struct sockaddr_in6 *)s)->sin6_addr)));
}

/* Whether this machine has that address now. Its list lacks most loopback addresses. */
static bool is_local(struct in6_addr a)
{
	struct ifaddrs *all = NULL;
	bool own = IN6_IS_ADDR_LOOPBACK(&a) || (IN6_IS_ADDR_V4MAPPED(&a) && a.s6_addr[12] == 127);
	if (!own && getifaddrs(&all) < 0) {
		return false;
	}
	for (const struct ifaddrs *i = all; i && !own; i = i->ifa_next) {
		own = is_at(i->ifa_addr, a);
	}
	freeifaddrs(all);
	return own;
}

static bool accepts(struct in6_addr at, struct in6_addr to)
{
	return is_any(at) ? covers(at, to) && is_local(to) : is_same(at, to);
}

static bool reaches(const char *url, const struct address *listen)
{
	const struct in6_addr v4 = map_v4(htonl(INADDR_LOOPBACK)), v6 = IN6ADDR_LOOPBACK_INIT;
	struct span host;
	uint16_t port;
	struct in6_addr to, at;
	base_url_split(url, &host, &port);
	if (port != listen->port || !read_host(span_of(listen->host), &at)) {
		return false;
	}
	if (span_is_nocase(host, "localhost")) {
		return accepts(at, v4) || accepts(at, v6);
	}
	if (!read_host(host, &to)) {
		return false;
	}
	if (is_any(to)) { /* a connection to it reaches loopback */
		to = IN6_IS_ADDR_V4MAPPED(&to) ? v4 : v6;
	}
	return accepts(at, to);
}

static bool collide(const struct address *x, const struct address *y)
{
	struct in6_addr a, b;
	return x->port == y->port && x->port != 0 && read_host(span_of(x->host), &a) &&
	       read_host(span_of(y->host), &b) && (covers(a, b) || covers(b, a));
}

/* line: 0: the value is from a flag. */
static char *describe_problem(const char *file, int line, const char *key, const char *flag,
        const char *quoted, const char *problem, const struct address *listen)
{
	char *place =
	        line && file ? xasprintf("%s:%d: %s", file, line, key) : xasprintf("--%s", flag);
	char *message =
	        xasprintf("%s: \"%s\" %s (listen %s)", place, quoted, problem, listen->text);
	free(place);
	return message;
}

static char *check_backend(
        const struct backend_settings *b, const struct address *listen, const char *file)
{
	if (!reaches(b->url, listen)) {
		return NULL;
	}
	char *key = xasprintf("backend %s", b->name);
	char *quoted = base_url_mask(b->url);
	char *problem = describe_problem(file, b->url_line, key, role_name(b->role), quoted,
	        "is the proxy itself: requests would go round without end", listen);
	free(quoted);
	free(key);
	return problem;
}

static char *check_all(
        const struct settings *s, const struct address *listen, bool admin, const char *file)
{
	char *problem = check_backend(&s->primary, listen, file);
	for (size_t i = 0; i < s->n_references && !problem; i++) {
		problem = check_backend(&s->references[i], listen, file);
	}
	if (!problem && admin && collide(&s->admin, listen)) {
		problem = describe_problem(file, s->admin.line, "admin", "admin", s->admin.text,
		        "is also the address for clients; give admin another one", listen);
	}
	return problem;
}

char *loop_check(const struct settings *s, const char *file)
{
	struct address inherited = {0}, unused = {0};
	bool clients = listener_inherited_at(false, &inherited) == 0;
	bool admin = s->admin.host && listener_inherited_at(true, &unused) < 0;
	char *problem = check_all(s, clients ? &inherited : &s->listen, admin, file);
	free(inherited.text);
	free(inherited.host);
	free(unused.text);
	free(unused.host);
	return problem;
}
