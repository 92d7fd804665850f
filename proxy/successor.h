#pragma once
/*
 * successor - detects that another socket listens on the admin port, of which a process has only
 * one listener. A draining process then leaves the port to the other process.
 */
#include <stdbool.h>

/*
 * True if another socket, of any process, also listens on the address and port of fd, a bound TCP
 * socket. Asks the kernel (sock_diag); false if the kernel refuses to answer. Takes some
 * microseconds; 100 ms if the kernel does not answer. Any thread.
 */
bool successor_listens(int fd);
