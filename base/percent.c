#include "base/percent.h"

#include <math.h>
#include <stdio.h>

int percent_decimals(double percent)
{
	double size = fabs(percent);
	return (size > 0 && size < 0.1) || (size > 99.9 && size < 100) ? 2 : 1;
}

const char *percent_text(double share, char text[PERCENT_SIZE])
{
	double percent = 100 * share;
	snprintf(text, PERCENT_SIZE, "%.*f %%", percent_decimals(percent), percent);
	return text;
}
