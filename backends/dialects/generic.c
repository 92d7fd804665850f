/* Any unknown engine with the OpenAI API. It is asked with OpenAI's parameters, and nothing is
 * assumed about it. */
#include "backends/dialects/dialects.h"

const struct dialect dialect_generic = {
        .name = "generic",
        .title = "an engine that is not known",
        .abilities = ABILITY_ALL_LOGPROBS | ABILITY_TOOLS_LOGPROBS | ABILITY_STREAM_USAGE,
        .max_top = 0,
        .greedy_chat = GREEDY_OPENAI,
        .greedy_completion = GREEDY_OPENAI,
        .defaults_chat = SAMPLING_UNKNOWN,
        .defaults_completion = SAMPLING_UNKNOWN,
        .off = SAMPLING_OPENAI_ONLY,
};
