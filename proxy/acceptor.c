#include "proxy/acceptor.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOG_MODULE "acceptor"
#include "base/log.h"
#include "proxy/worker.h"

#define BACKLOG SOMAXCONN  /* also set for an inherited socket, by a second listen() */
#define ACCEPTS_AT_ONCE 64 /* connections to accept before the loop handles other events */

static void pause_accepting(struct acceptor *a, const char *why)
{
	a->state = ACCEPTOR_PAUSED;
	uv_poll_stop(&a->poll);
	shared_count(a->worker->shared, COUNTER_ACCEPT_PAUSES, 1);
	log_warn("New clients must wait: {reason}.", log_field("reason", why),
	        log_field("clients", atomic_load(&a->worker->shared->clients)));
}

static bool is_out_of_resources(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* False: no further client is waiting, or may be accepted. */
static bool accept_clients(struct acceptor *a)
{
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		if (!shared_can_accept(a->worker->shared)) {
			pause_accepting(a, "the limit of connections is reached");
			return false;
		}
		int fd = accept4(a->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			a->on_client(a->worker, fd);
		} else if (is_out_of_resources(errno)) {
			pause_accepting(a, strerror(errno));
			return false;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			return false; /* no client is waiting */
		}
	}
	return true;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct worker *w = CHECKED(struct worker, poll->data, WORKER_MAGIC);
	if (w->acceptor.state == ACCEPTOR_OPEN) {
		(void)accept_clients(&w->acceptor);
	}
}

void acceptor_resume(struct acceptor *a)
{
	if (a->state == ACCEPTOR_PAUSED && shared_can_accept(a->worker->shared)) {
		a->state = ACCEPTOR_OPEN;
		uv_poll_start(&a->poll, UV_READABLE, on_poll);
	}
}

int acceptor_open(struct acceptor *a, struct worker *w, int fd, acceptor_client on_client)
{
	*a = (struct acceptor){.worker = w, .on_client = on_client, .fd = fd};
	expect(uv_poll_init(&w->loop, &a->poll, fd) == 0);
	a->poll.data = w;
	if (listen(fd, BACKLOG) < 0) {
		return -errno;
	}
	return uv_poll_start(&a->poll, UV_READABLE, on_poll);
}

void acceptor_close(struct acceptor *a, uv_close_cb closed)
{
	/* Accept the clients that are already in the listen queue. */
	while (a->state == ACCEPTOR_OPEN && a->worker->state < WORKER_ABORTING &&
	        accept_clients(a)) {
	}
	if (a->state != ACCEPTOR_CLOSED) {
		a->state = ACCEPTOR_CLOSED;
		uv_close((uv_handle_t *)&a->poll, closed);
		close(a->fd);
	}
}
