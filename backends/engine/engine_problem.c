#include "backends/engine/engine_problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_writer.h"

bool engine_problem_set(struct engine_problem *ret, const char *param, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	ret->status = 400;
	ret->param = param;
	vsnprintf(ret->message, sizeof(ret->message), format, args);
	va_end(args);
	return false;
}

void engine_problem_put(int status, const char *message, const char *param, struct buf *to)
{
	struct json_writer w = {.to = to};
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 404 ? "not_found_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "error", '{');
	json_writer_text(&w, "message", message);
	json_writer_text(&w, "type", type);
	json_writer_text(&w, "param", param);
	json_writer_integer(&w, "code", status);
	json_writer_close(&w, "}}");
}
