#include "backends/injection/parameter.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define ROW(text, member)                                                                          \
	{                                                                                          \
		text, offsetof(struct sampling, member), offsetof(struct request_facts, member)    \
	}

static const struct {
	const char *name;
	size_t in_sampling, in_facts;
} rows[N_PARAMETERS] = {
        [PARAMETER_TEMPERATURE] = ROW("temperature", temperature),
        [PARAMETER_TOP_P] = ROW("top_p", top_p),
        [PARAMETER_TOP_K] = ROW("top_k", top_k),
        [PARAMETER_MIN_P] = ROW("min_p", min_p),
        [PARAMETER_REPETITION] = ROW("repetition_penalty", repetition_penalty),
        [PARAMETER_PRESENCE] = ROW("presence_penalty", presence_penalty),
        [PARAMETER_FREQUENCY] = ROW("frequency_penalty", frequency_penalty),
};

const char *parameter_name(enum parameter p)
{
	expect(p < N_PARAMETERS);
	return rows[p].name;
}

static double at(const void *of, size_t offset)
{
	double value;
	memcpy(&value, (const char *)of + offset, sizeof(value));
	return value;
}

double parameter_of_sampling(enum parameter p, const struct sampling *s)
{
	expect(p < N_PARAMETERS);
	return at(s, rows[p].in_sampling);
}

double parameter_asked(enum parameter p, const struct dialect *d, const struct request_facts *facts)
{
	expect(p < N_PARAMETERS);
	const char *name = d->repetition_name;
	if (p != PARAMETER_REPETITION || !name || !facts->penalty_names) {
		return at(facts, rows[p].in_facts);
	}
	enum penalty_name n = penalty_name_of(name);
	expect(n < N_PENALTY_NAMES);
	return facts->penalty_names & 1u << n ? facts->penalties[n] : NAN;
}

double parameter_default(enum parameter p, const struct dialect *d, const struct sampling *stated,
        enum endpoint endpoint)
{
	bool native = endpoint == ENDPOINT_NATIVE_CHAT || endpoint == ENDPOINT_NATIVE_GENERATE;
	const struct sampling *believed = native && d->defaults_native ? d->defaults_native
	                                  : endpoint == ENDPOINT_COMPLETION
	                                          ? &d->defaults_completion
	                                          : &d->defaults_chat;
	double value = stated ? parameter_of_sampling(p, stated) : NAN;
	return isnan(value) ? parameter_of_sampling(p, believed) : value;
}

/* Returns the neutral value that all engines share. */
static double usual_off(enum parameter p)
{
	return p == PARAMETER_TOP_P || p == PARAMETER_REPETITION ? 1 : 0;
}

bool parameter_is_off(enum parameter p, const struct dialect *d, double value)
{
	switch (p) {
	case PARAMETER_TEMPERATURE:
		return false;
	case PARAMETER_TOP_P:
		return value >= 1;
	case PARAMETER_TOP_K:
	case PARAMETER_MIN_P:
		return value <= 0;
	default:
		return value == usual_off(p) || value == parameter_of_sampling(p, &d->off);
	}
}

double parameter_effective(enum parameter p, const struct dialect *d, const struct sampling *stated,
        enum endpoint endpoint, const struct request_facts *facts)
{
	double asked = parameter_asked(p, d, facts);
	double by_default = parameter_default(p, d, stated, endpoint);
	bool heeded = d == &dialect_generic || !isnan(parameter_of_sampling(p, &d->off));
	double value = isnan(asked) || (!heeded && !isnan(by_default)) ? by_default : asked;
	return parameter_is_off(p, d, value) ? usual_off(p) : value;
}
