#include "capture/leg_hints.h"

struct reading_hints leg_hints(const struct exchange_row *exchange, const struct leg_row *leg)
{
	return (struct reading_hints){
	        .endpoint = exchange->endpoint,
	        .status = leg->status,
	        .framing = framing_of_type(span_of(leg->content_type)),
	        .wants_logprobs =
	                exchange->facts.has_logprobs || (leg->marks & LEG_INJECTED_LOGPROBS),
	        .has_tools = exchange->facts.has_tools,
	};
}
