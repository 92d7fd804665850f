#pragma once
/*
 * successor - detects that another process listens on our port, so that a draining process can
 * leave the port to it.
 */
#include <stdbool.h>

/*
 * True if another socket listens on the address and port of fd, a bound TCP socket. Asks the kernel
 * (sock_diag); false if the kernel refuses. Takes some microseconds. Any thread.
 */
bool successor_listens(int fd);
