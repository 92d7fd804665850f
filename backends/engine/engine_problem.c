#include "backends/engine/engine_problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "backends/engine/json_style.h"

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
	struct json_style p = {to, ENGINE_JSON_COMPACT};
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 404 ? "not_found_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";
	json_style_open(&p, NULL, '{');
	json_style_open(&p, "error", '{');
	json_style_string(&p, "message", span_of(message));
	json_style_string(&p, "type", span_of(type));
	if (param) {
		json_style_string(&p, "param", span_of(param));
	} else {
		json_style_word(&p, "param", "null");
	}
	json_style_integer(&p, "code", status);
	json_style_close(&p, "}}");
}
