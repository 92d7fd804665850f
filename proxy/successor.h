#pragma once
/*
 * successor - detects that another process listens on the admin port (each process has one listener
 * there). A draining process then leaves the port to it.
 */
#include <stdbool.h>

/* True if another socket, of any process, also listens on the address and port of fd, a bound TCP
 * socket. Asks the kernel (sock_diag); false if the kernel refuses to answer. Takes some
 * microseconds; 100 ms if the kernel does not answer. Any thread. */
bool successor_listens(int fd);
