#include "analyzer/compare/meaning/unit.h"

#include "base/ascii.h"

/* Money is not converted, and temperatures have no common zero. */
static const struct unit currencies[] = {
        {"$", "dollar", "$", 1, 1},
        {"€", "euro", "€", 1, 1},
        {"£", "GBP", "£", 1, 1},
};

static const struct unit units[] = {
        {"%", "percent", "%", 1, 1},
        {"m", "meter", "m", 1, 1},
        {"km", "kilometer", "m", 1000, 1},
        {"cm", "centimeter", "m", 1, 100},
        {"mm", "millimeter", "m", 1, 1000},
        {"mi", "mile", "m", 1609344, 1000},
        {"ft", "feet", "m", 3048, 10000},
        {"g", "gram", "kg", 1, 1000},
        {"kg", "kilogram", "kg", 1, 1},
        {"mg", "milligram", "kg", 1, 1000000},
        {"lb", "lbs", "kg", 45359237, 100000000},
        {"s", "second", "s", 1, 1},
        {"ms", "millisecond", "s", 1, 1000},
        {"min", "minute", "s", 60, 1},
        {"h", "hour", "s", 3600, 1},
        {"d", "day", "s", 86400, 1},
        {"wk", "week", "s", 604800, 1},
        {"L", "liter", "L", 1, 1},
        {"mL", "milliliter", "L", 1, 1000},
        {"ml", "millilitre", "L", 1, 1000},
        {"m/s", "meters per second", "m/s", 1, 1},
        {"km/h", "kilometers per hour", "m/s", 10, 36},
        {"mph", "miles per hour", "m/s", 1609344, 3600000},
        {"°C", "degrees Celsius", "K", 0, 1},
        {"°F", "degrees Fahrenheit", "K", 0, 1},
        {"K", "kelvin", "K", 0, 1},
};

static bool is_spelt(struct span text, const struct unit *u)
{
	struct span one = text;
	one.len -= text.len > 1 && text.data[text.len - 1] == 's';
	return span_is(text, u->symbol) || span_is_nocase(text, u->name) ||
	       span_is_nocase(one, u->name);
}

const struct unit *unit_of(struct span text)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (is_spelt(text, &units[i])) {
			return &units[i];
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(currencies); i++) {
		if (is_spelt(text, &currencies[i])) {
			return &currencies[i];
		}
	}
	return NULL;
}

const struct unit *unit_of_currency(struct span text)
{
	for (size_t i = 0; i < ARRAY_LEN(currencies); i++) {
		if (span_starts(text, currencies[i].symbol)) {
			return &currencies[i];
		}
	}
	return NULL;
}
