#pragma once
/*
 * successor - whether another process has begun to listen where this one does, so that during a
 * handover the one that goes can leave the port to the one that came.
 */
#include <stdbool.h>

/*
 * Does any socket but fd, which is bound to an address of IP, listen at the same address and port? Asks the
 * kernel (sock_diag); where it may not be asked: false. Takes some microseconds; any thread.
 */
bool successor_listens(int fd);
