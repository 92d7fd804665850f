#pragma once
/*
 * successor - detects that another process listens on our port. A draining process then leaves the
 * port to it.
 */
#include <stdbool.h>

/*
 * True if another socket also listens on the address and port of fd, a bound TCP socket. Asks the
 * kernel (sock_diag); false if the kernel refuses to answer. Takes some microseconds. Any thread.
 */
bool successor_listens(int fd);
