#include "base/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/check.h"

#define USUAL_WIDTH 80
#define LEAST_WIDTH 60
#define MOST_WIDTH 160

size_t terminal_width(int fd)
{
	struct winsize size = {.ws_col = 0};
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) {
		return USUAL_WIDTH;
	}
	return MIN(MAX((size_t)size.ws_col, (size_t)LEAST_WIDTH), (size_t)MOST_WIDTH);
}

bool terminal_has_colours(int fd)
{
	const char *refused = getenv("NO_COLOR");
	return isatty(fd) && !(refused && *refused);
}
