"""Computes the right answers of the suite adversarial-numerics from the words of each question."""
import calendar
import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

UNITS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
         "twelve": 12, "thirty": 30, "ninety": 90}
ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def in_words(text):
    total = part = 0
    for word in text.replace("-", " ").replace(" and ", " ").split():
        if word == "hundred":
            part *= 100
        elif word in ("thousand", "million"):
            total += part * {"thousand": 1000, "million": 1000000}[word]
            part = 0
        else:
            part += UNITS[word]
    return total + part


def of_roman(text):
    values = [ROMAN[c] for c in text]
    return sum(-v if any(w > v for w in values[i + 1:i + 2]) else v for i, v in enumerate(values))


def to_roman(n):
    return next("".join(way) for way in [[a + b + c + d
                for a in ("M" * (n // 1000),) for b in (("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM")[n // 100 % 10],)
                for c in (("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")[n // 10 % 10],)
                for d in (("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[n % 10],)]])


def release(text):
    core, _, pre = text.partition("-")
    return [int(n) for n in core.split(".")], not pre, pre


def plain(value):
    """Format an exact decimal without exponent and trailing zeros."""
    value = Fraction(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    scaled = abs((value * 10**digits).numerator)
    text = str(scaled).rjust(digits + 1, "0")
    return ("-" if value < 0 else "") + (text[:-digits] + "." + text[-digits:] if digits else text)


def rounded(text, places, even):
    """Round by the doubled remainder, independent of the modes of `decimal`."""
    scaled = abs(Fraction(text)) * 10**places
    low = scaled.numerator // scaled.denominator
    rest = 2 * (scaled - low)
    up = rest > 1 or rest == 1 and (not even or low % 2)
    digits = str(low + bool(up)).rjust(places + 1, "0")
    return ("-" if text.startswith("-") else "") + (digits[:-places] + "." + digits[-places:] if places else digits)


def in_base(n, base):
    digits = ""
    while n:
        n, digit = divmod(n, base)
        digits = "0123456789abcdef"[digit] + digits
    return digits


def days(text):
    """Return the days since year 1, by the rules of the calendar."""
    year, month, day = (int(n) for n in text.split("-"))
    years = 365 * (year - 1) + (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
    return years + sum(calendar.monthrange(year, m)[1] for m in range(1, month)) + day


def weekday(text):
    return ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][days(text) % 7]


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def power(base, exponent, modulus):
    result = 1
    for _ in range(exponent):
        result = result * base % modulus
    return result


def factors(n):
    return next(([k] + factors(n // k) for k in range(2, n + 1) if n % k == 0), [])


def number(text):
    return Fraction(text)


def ascending(text):
    return ", ".join(sorted(text.split(", "), key=number))


def clock(hour, minute, later):
    return "%02d:%02d" % divmod((int(hour) * 60 + int(minute) + later) % 1440, 60)


def larger_shares(total, people):
    cents = round(Decimal(total) * 100)
    return next(n for n in range(people) if any(share * people + n == cents for share in (cents // people,)))


def machine(bits, value):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def price(first, up, down):
    return plain(Fraction(first) * (100 + Fraction(up)) * (100 - Fraction(down)) / 10000)


def decimals(text):
    return plain(eval(re.sub(r"[\d.]+", lambda m: f"Fraction('{m[0]}')", text), {"Fraction": Fraction}))


N = r"(-?\d+)"
RULES = [
    (r"Which number is larger, (\S+) or (\S+)\?", lambda a, b: max(a, b, key=Decimal)),
    (r"Which is greater: (\S+) or (\S+)\?", lambda a, b: max(a, b, key=Fraction)),
    (r"which release is newer: (\S+) or (\S+)\?", lambda a, b: max(a, b, key=release)),
    (rf"^Compute {N} \+ {N}\.", lambda a, b: int(a) + int(b)),
    (rf"^What is {N} - {N}\?", lambda a, b: int(a) - int(b)),
    (rf"^Multiply {N} by {N}\.", lambda a, b: sum(int(d) * int(a) * 10**i for i, d in enumerate(reversed(b)))),
    (rf"^Divide {N} by {N} as integers", lambda a, b: "%d %d" % (int(a) // int(b), int(a) % int(b))),
    (r"exact decimal arithmetic, not floating point: (.*?) = \?", decimals),
    (rf"exact integers, what is \({N} \+ {N}\) - {N}\?", lambda a, b, c: int(a) - int(c) + int(b)),
    (r"^Round (\S+) to (the nearest integer|two decimal places), rounding half-(even|up)",
     lambda v, to, how: rounded(v, 0 if "integer" in to else 2, how == "even")),
    (rf"^Write {N} in hexadecimal", lambda n: in_base(int(n), 16)),
    (rf"^Write {N} in binary", lambda n: in_base(int(n), 2)),
    (r"^What is hexadecimal (\w+) in decimal", lambda s: sum("0123456789abcdef".index(c) * 16**i for i, c in enumerate(reversed(s)))),
    (r"^What is octal (\w+) in decimal", lambda s: sum(int(c) * 8**i for i, c in enumerate(reversed(s)))),
    (rf"unsigned (\d+)-bit value {N} is reinterpreted", lambda bits, n: machine(int(bits), int(n))),
    (rf"wraps around, what is {N} \+ \(?{N}\)?\?", lambda a, b: machine(32, int(a) + int(b))),
    (r"How many days after (\S+) is (\S+) in", lambda a, b: days(b) - days(a)),
    (r"Which date is (\d+) days? after (\S+)\?", lambda n, a: date.fromisoformat(a) + timedelta(int(n))),
    (r"day of the week did or will (\S+) fall", weekday),
    (r"clock shows (\d+):(\d+)\. What does it show (\d+) minutes (later|earlier)", lambda h, m, n, way: clock(h, m, int(n) if way == "later" else -int(n))),
    (r"^Express (\d+) seconds as", lambda s: str(timedelta(seconds=int(s))) if int(s) < 86400 else "%d:%02d:%02d" % (int(s) // 3600, int(s) % 3600 // 60, int(s) % 60)),
    (r"price of (\S+) euros rises by (\S+)% and then falls by (\S+)%", price),
    (rf"greatest common divisor of {N} and {N}", lambda a, b: gcd(int(a), int(b))),
    (rf"least common multiple of {N} and {N}", lambda a, b: int(a) * int(b) // gcd(int(a), int(b))),
    (r"remainder of (\d+)\^(\d+) divided by (\d+)", lambda a, b, c: power(int(a), int(b), int(c))),
    (r"^Is (\d+) a prime number", lambda n: "yes" if factors(int(n)) == [int(n)] else "no"),
    (r"^Factorise (\d+) into primes", lambda n: " ".join(str(p) for p in factors(int(n)))),
    (r"^Write (\S+e\S+) in plain decimal", lambda v: plain(Decimal(v))),
    (r"Roman numeral ([IVXLCDM]+)\?", of_roman),
    (r"^Write (\d+) as a Roman numeral", lambda n: to_roman(int(n))),
    (r"^Write in digits, without separators: (.*?)\. Only", in_words),
    (r"^Sort in ascending order: (.*?)\. Reply", ascending),
    (r"^Add up these \d+ numbers: (.*?)\. Reply", lambda s: sum(int(n) for n in s.split(", "))),
    (r"^Add up these amounts: (.*?)\. Reply", lambda s: rounded(str(sum(Fraction(n) for n in s.split(", ")).limit_denominator(100)), 2, True)),
    (r"How often does the digit (\d) occur in (\d+)\?", lambda d, n: len(n.split(d)) - 1),
    (r"^Write the digits of (\d+) in reverse", lambda n: "".join(n[i] for i in range(len(n) - 1, -1, -1))),
    (r"sum of the digits of (\d+)\?", lambda n: sum(n.count(str(d)) * d for d in range(10))),
    (r"^(\S+) dollars are shared among (\d+) people", lambda t, k: larger_shares(t, int(k))),
    (r"5 feet 11 inches to centimetres", lambda: plain(Fraction("2.54") * (5 * 12 + 11))),
    (r"98\.6 degrees Fahrenheit to degrees Celsius", lambda: plain((Fraction("98.6") - 32) * 5 / 9)),
    (r"72 km/h to metres per second", lambda: plain(Fraction(72 * 1000, 3600))),
    (r"bytes are 3 GiB minus 3 GB", lambda: 3 * 1024**3 - 3 * 1000**3),
    (r"square centimetres are 0\.075 square metres", lambda: plain(Fraction("0.075") * 100 * 100)),
    (r"minus 40 degrees Celsius to Fahrenheit", lambda: plain(Fraction(-40) * 9 / 5 + 32)),
]


def answer(question):
    """Return the right answer, or None if no rule knows the question."""
    for pattern, rule in RULES:
        found = re.search(pattern, question)
        if found:
            return str(rule(*found.groups()))
    return None
