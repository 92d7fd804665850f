#include "analyzer/compare/meaning/unit.h"

#include <string.h>

#include "base/letters.h"

#define BYTE 8ull

static const struct unit units[] = {
        {"%", DIMENSION_RATIO, false, 1, 100},
        {"‰", DIMENSION_RATIO, false, 1, 1000},
        {"bp", DIMENSION_RATIO, false, 1, 10000},
        {"ppm", DIMENSION_RATIO, false, 1, 1000000},
        {"m", DIMENSION_LENGTH, false, 1, 1},
        {"km", DIMENSION_LENGTH, false, 1000, 1},
        {"dm", DIMENSION_LENGTH, false, 1, 10},
        {"cm", DIMENSION_LENGTH, false, 1, 100},
        {"mm", DIMENSION_LENGTH, false, 1, 1000},
        {"µm", DIMENSION_LENGTH, false, 1, 1000000},
        {"nm", DIMENSION_LENGTH, false, 1, 1000000000},
        {"in", DIMENSION_LENGTH, false, 254, 10000},
        {"ft", DIMENSION_LENGTH, false, 3048, 10000},
        {"yd", DIMENSION_LENGTH, false, 9144, 10000},
        {"mi", DIMENSION_LENGTH, false, 1609344, 1000},
        {"ly", DIMENSION_LENGTH, true, 1, 1},
        {"m^2", DIMENSION_AREA, false, 1, 1},
        {"cm^2", DIMENSION_AREA, false, 1, 10000},
        {"mm^2", DIMENSION_AREA, false, 1, 1000000},
        {"km^2", DIMENSION_AREA, false, 1000000, 1},
        {"ha", DIMENSION_AREA, false, 10000, 1},
        {"ft^2", DIMENSION_AREA, false, 9290304, 100000000},
        {"acre", DIMENSION_AREA, true, 1, 1},
        {"L", DIMENSION_VOLUME, false, 1, 1000},
        {"mL", DIMENSION_VOLUME, false, 1, 1000000},
        {"cL", DIMENSION_VOLUME, false, 1, 100000},
        {"dL", DIMENSION_VOLUME, false, 1, 10000},
        {"m^3", DIMENSION_VOLUME, false, 1, 1},
        {"cm^3", DIMENSION_VOLUME, false, 1, 1000000},
        {"gal", DIMENSION_VOLUME, true, 1, 1},
        {"pint", DIMENSION_VOLUME, true, 1, 1},
        {"cup", DIMENSION_VOLUME, true, 1, 1},
        {"g", DIMENSION_MASS, false, 1, 1000},
        {"kg", DIMENSION_MASS, false, 1, 1},
        {"mg", DIMENSION_MASS, false, 1, 1000000},
        {"µg", DIMENSION_MASS, false, 1, 1000000000},
        {"t", DIMENSION_MASS, false, 1000, 1},
        {"ton", DIMENSION_MASS, true, 1, 1},
        {"lb", DIMENSION_MASS, false, 45359237, 100000000},
        {"oz", DIMENSION_MASS, false, 45359237, 1600000000},
        {"s", DIMENSION_TIME, false, 1, 1},
        {"ms", DIMENSION_TIME, false, 1, 1000},
        {"µs", DIMENSION_TIME, false, 1, 1000000},
        {"ns", DIMENSION_TIME, false, 1, 1000000000},
        {"min", DIMENSION_TIME, false, 60, 1},
        {"h", DIMENSION_TIME, false, 3600, 1},
        {"day", DIMENSION_TIME, false, 86400, 1},
        {"week", DIMENSION_TIME, false, 604800, 1},
        {"month", DIMENSION_TIME, true, 1, 1},
        {"year", DIMENSION_TIME, true, 1, 1},
        {"m/s", DIMENSION_SPEED, false, 1, 1},
        {"km/h", DIMENSION_SPEED, false, 10, 36},
        {"mph", DIMENSION_SPEED, false, 1609344, 3600000},
        {"kn", DIMENSION_SPEED, false, 1852, 3600},
        {"K", DIMENSION_TEMPERATURE, false, 1, 1},
        {"°C", DIMENSION_TEMPERATURE, false, 1, 1},
        {"°F", DIMENSION_TEMPERATURE, false, 5, 9},
        {"bit", DIMENSION_DATA, false, 1, 1},
        {"B", DIMENSION_DATA, false, BYTE, 1},
        {"KB", DIMENSION_DATA, true, 1, 1},
        {"MB", DIMENSION_DATA, true, 1, 1},
        {"GB", DIMENSION_DATA, true, 1, 1},
        {"TB", DIMENSION_DATA, true, 1, 1},
        {"KiB", DIMENSION_DATA, false, BYTE << 10, 1},
        {"MiB", DIMENSION_DATA, false, BYTE << 20, 1},
        {"GiB", DIMENSION_DATA, false, BYTE << 30, 1},
        {"TiB", DIMENSION_DATA, false, BYTE << 40, 1},
        {"J", DIMENSION_ENERGY, false, 1, 1},
        {"kJ", DIMENSION_ENERGY, false, 1000, 1},
        {"MJ", DIMENSION_ENERGY, false, 1000000, 1},
        {"Wh", DIMENSION_ENERGY, false, 3600, 1},
        {"kWh", DIMENSION_ENERGY, false, 3600000, 1},
        {"cal", DIMENSION_ENERGY, true, 1, 1},
        {"kcal", DIMENSION_ENERGY, true, 1, 1},
        {"eV", DIMENSION_ENERGY, true, 1, 1},
        {"W", DIMENSION_POWER, false, 1, 1},
        {"mW", DIMENSION_POWER, false, 1, 1000},
        {"kW", DIMENSION_POWER, false, 1000, 1},
        {"MW", DIMENSION_POWER, false, 1000000, 1},
        {"GW", DIMENSION_POWER, false, 1000000000, 1},
        {"hp", DIMENSION_POWER, true, 1, 1},
        {"Pa", DIMENSION_PRESSURE, false, 1, 1},
        {"hPa", DIMENSION_PRESSURE, false, 100, 1},
        {"kPa", DIMENSION_PRESSURE, false, 1000, 1},
        {"MPa", DIMENSION_PRESSURE, false, 1000000, 1},
        {"bar", DIMENSION_PRESSURE, false, 100000, 1},
        {"atm", DIMENSION_PRESSURE, false, 101325, 1},
        {"psi", DIMENSION_PRESSURE, true, 1, 1},
        {"Hz", DIMENSION_FREQUENCY, false, 1, 1},
        {"kHz", DIMENSION_FREQUENCY, false, 1000, 1},
        {"MHz", DIMENSION_FREQUENCY, false, 1000000, 1},
        {"GHz", DIMENSION_FREQUENCY, false, 1000000000, 1},
        {"N", DIMENSION_FORCE, false, 1, 1},
        {"kN", DIMENSION_FORCE, false, 1000, 1},
        {"V", DIMENSION_VOLTAGE, false, 1, 1},
        {"mV", DIMENSION_VOLTAGE, false, 1, 1000},
        {"kV", DIMENSION_VOLTAGE, false, 1000, 1},
        {"A", DIMENSION_CURRENT, false, 1, 1},
        {"mA", DIMENSION_CURRENT, false, 1, 1000},
        {"°", DIMENSION_ANGLE, false, 1, 1},
        {"rad", DIMENSION_ANGLE, true, 1, 1},
        {"$", DIMENSION_DOLLAR, false, 1, 1},
        {"cent", DIMENSION_DOLLAR, true, 1, 100},
        {"USD", DIMENSION_DOLLAR, true, 1, 1}, /* "$" may be another country's */
        {"€", DIMENSION_EURO, false, 1, 1},
        {"£", DIMENSION_POUND, false, 1, 1},
        {"¥", DIMENSION_YEN, false, 1, 1},
        {"₹", DIMENSION_RUPEE, false, 1, 1},
};

/* Other spellings. Those of `names` are known in any case, and with an s behind them. */
static const char *const names[][2] = {{"percent", "%"}, {"per cent", "%"}, {"pct", "%"},
        {"basis point", "bp"}, {"meter", "m"}, {"metre", "m"}, {"kilometer", "km"},
        {"kilometre", "km"}, {"centimeter", "cm"}, {"centimetre", "cm"}, {"millimeter", "mm"},
        {"millimetre", "mm"}, {"nanometer", "nm"}, {"nanometre", "nm"}, {"micrometer", "µm"},
        {"inch", "in"}, {"inches", "in"}, {"foot", "ft"}, {"feet", "ft"}, {"yard", "yd"},
        {"mile", "mi"}, {"light-year", "ly"}, {"light year", "ly"}, {"hectare", "ha"},
        {"square meter", "m^2"}, {"square metre", "m^2"}, {"square centimeter", "cm^2"},
        {"square kilometer", "km^2"}, {"square foot", "ft^2"}, {"square feet", "ft^2"},
        {"acre", "acre"}, {"liter", "L"}, {"litre", "L"}, {"milliliter", "mL"},
        {"millilitre", "mL"}, {"cubic meter", "m^3"}, {"cubic metre", "m^3"},
        {"cubic centimeter", "cm^3"}, {"gallon", "gal"}, {"pint", "pint"}, {"cup", "cup"},
        {"gram", "g"}, {"kilogram", "kg"}, {"milligram", "mg"}, {"microgram", "µg"}, {"tonne", "t"},
        {"metric ton", "t"}, {"ton", "ton"}, {"pound", "lb"}, {"lbs", "lb"}, {"ounce", "oz"},
        {"second", "s"}, {"sec", "s"}, {"millisecond", "ms"}, {"microsecond", "µs"},
        {"nanosecond", "ns"}, {"minute", "min"}, {"hour", "h"}, {"hr", "h"}, {"day", "day"},
        {"week", "week"}, {"month", "month"}, {"year", "year"}, {"meters per second", "m/s"},
        {"metres per second", "m/s"}, {"kilometers per hour", "km/h"},
        {"kilometres per hour", "km/h"}, {"kph", "km/h"}, {"miles per hour", "mph"}, {"knot", "kn"},
        {"kelvin", "K"}, {"degrees Celsius", "°C"}, {"degree Celsius", "°C"}, {"Celsius", "°C"},
        {"degrees Fahrenheit", "°F"}, {"Fahrenheit", "°F"}, {"bit", "bit"}, {"byte", "B"},
        {"kilobyte", "KB"}, {"megabyte", "MB"}, {"gigabyte", "GB"}, {"terabyte", "TB"},
        {"joule", "J"}, {"kilojoule", "kJ"}, {"kilowatt-hour", "kWh"}, {"calorie", "cal"},
        {"watt", "W"}, {"kilowatt", "kW"}, {"megawatt", "MW"}, {"horsepower", "hp"},
        {"pascal", "Pa"}, {"hertz", "Hz"}, {"newton", "N"}, {"volt", "V"}, {"ampere", "A"},
        {"amp", "A"}, {"degree", "°"}, {"radian", "rad"}, {"dollar", "$"}, {"cent", "cent"},
        {"euro", "€"}, {"yen", "¥"}, {"rupee", "₹"}};
static const char *const symbols[][2] = {{"μm", "µm"}, {"um", "µm"}, {"μg", "µg"}, {"μs", "µs"},
        {"us", "µs"}, {"m²", "m^2"}, {"cm²", "cm^2"}, {"mm²", "mm^2"}, {"km²", "km^2"},
        {"ft²", "ft^2"}, {"m³", "m^3"}, {"cm³", "cm^3"}, {"cc", "cm^3"}, {"l", "L"}, {"ml", "mL"},
        {"cl", "cL"}, {"dl", "dL"}, {"kmh", "km/h"}, {"kt", "kn"}, {"° C", "°C"}, {"° F", "°F"},
        {"kB", "KB"}, {"EUR", "€"}, {"GBP", "£"}, {"JPY", "¥"}, {"INR", "₹"}};

static const struct unit *unit_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(units[i].name, name) == 0) {
			return &units[i];
		}
	}
	never("a spelling of no unit");
}

/* Bytes of `name` at the beginning of s, if no word goes on behind it; 0: it is not there. */
static size_t matches(struct span s, const char *name, bool any_case)
{
	size_t n = strlen(name);
	if (any_case ? !span_starts_nocase(s, name) : !span_starts(s, name)) {
		return 0;
	}
	if (any_case && n < s.len && to_lower(s.data[n]) == 's') {
		n++;
	}
	bool goes_on = n < s.len && (is_word(s.data[n]) || s.data[n] == '^' || s.data[n] == '/');
	/* "%" and "°" need no boundary but must not be part of a longer unit. */
	return goes_on ? 0 : n;
}

size_t unit_read(struct span text, const struct unit **ret)
{
	size_t best = 0;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		size_t n = matches(text, units[i].name, false);
		if (n > best) {
			best = n;
			*ret = &units[i];
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		size_t n = matches(text, symbols[i][0], false);
		if (n > best) {
			best = n;
			*ret = unit_of(symbols[i][1]);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = matches(text, names[i][0], true);
		if (n > best) {
			best = n;
			*ret = unit_of(names[i][1]);
		}
	}
	return best;
}

size_t unit_read_currency(struct span text, const struct unit **ret)
{
	static const char *const signs[][2] = {
	        {"$", "$"}, {"US$", "USD"}, {"€", "€"}, {"£", "£"}, {"¥", "¥"}, {"₹", "₹"}};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (span_starts(text, signs[i][0])) {
			*ret = unit_of(signs[i][1]);
			return strlen(signs[i][0]);
		}
	}
	return 0;
}

bool unit_convert(const struct unit *u, struct fraction *value)
{
	struct fraction by;
	fraction_of_ratio(&by, u->num, u->den);
	if (u->dimension == DIMENSION_TEMPERATURE && u->name[0] != 'K') {
		struct fraction
		        zero; /* of Celsius, in kelvins; of Fahrenheit, in its own degrees */
		fraction_of_ratio(&zero, strcmp(u->name, "°C") == 0 ? 27315 : 45967, 100);
		return fraction_add(value, &zero) && fraction_multiply(value, &by);
	}
	return fraction_multiply(value, &by);
}
