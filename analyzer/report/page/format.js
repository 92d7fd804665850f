// format - numbers and texts in readable form.

const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);
const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (n) => (isNumber(n) ? groups.format(n) : '–');

/** A note on a text in which n secrets were replaced. */
export const redacted = (n, where) => `Replaced in ${where}: about ${plural(n, 'secret or list', 'secrets or lists')} of token ids.`;

export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

/** Like toFixed(), but rounds ties to even, like printf() in the other forms of the report. */
function fixed(x, decimals) {
	const text = x.toFixed(decimals);
	const isTie = /50{29}$/.test(x.toFixed(decimals + 30));
	return isTie && /[13579]$/.test(text) ? (x - (Math.sign(x) * 10 ** -decimals) / 4).toFixed(decimals) : text;
}

/** A number with so many significant digits, without an exponent if it is readable without one. */
export function number(x, digits = 3) {
	if (!isNumber(x)) {
		return '–';
	}
	const size = Math.abs(x);
	if (x !== 0 && (size < 1e-4 || size >= 1e7)) {
		return x.toExponential(digits - 1);
	}
	const decimals = x === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
	return fixed(x, Math.min(decimals, 6)).replace('-', '−');
}

/** "p 0.0012" or "p < 0.0001" */
export const pText = (p) => (p < 1e-4 ? 'p < 0.0001' : `p ${number(p, 2)}`);

/** The number of decimals of a percentage: two next to 0 and 100, else one. */
function decimalsOf(p) {
	const size = Math.abs(p);
	return (size > 0 && size < 0.1) || (size > 99.9 && size < 100) ? 2 : 1;
}

/** Numbers of percent or percentage points without the unit, all with the same number of decimals. */
function percents(list, decimals = Math.max(...list.map(decimalsOf))) {
	return list.map((p) => (isNumber(p) ? fixed(p, decimals).replace('-', '−') : '–'));
}

export const percent = (x, decimals) => (isNumber(x) ? `${percents([100 * x], decimals)}\u00a0%` : '–');

const each = (write) => (list) => list.map((x) => write(x));

/** How to write figures, by their unit. */
export const kinds = {
	share: { bare: (list) => percents(list.map((x) => (isNumber(x) ? 100 * x : x))), unit: '\u00a0%' },
	points: { bare: (list) => percents(list), unit: '\u00a0points' },
	count: { bare: each(count), unit: '' },
	ms: { bare: each(number), unit: '\u00a0ms' },
	number: { bare: each(number), unit: '' },
};

/** Values of one kind, such as "4.1 %" or the range "0.0 to 66.7 %". */
export function inUnits(kind, ...list) {
	return list.some(isNumber) ? `${kind.bare(list).join(' to ')}${kind.unit}` : '–';
}

export function interval(ci, kind) {
	return ci ? `[${kind.bare(ci).join(' to ')}]` : '';
}

export function milliseconds(ms) {
	if (!isNumber(ms)) {
		return '–';
	}
	return ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000)} s`;
}

export function seconds(s) {
	const steps = [[86400, 'day'], [3600, 'hour'], [60, 'minute']];
	for (const [size, name] of steps) {
		if (s >= size) {
			return plural(Math.round((10 * s) / size) / 10, name);
		}
	}
	return plural(s, 'second');
}

/** "2026-11-21 18:35:46" from an ISO time or from seconds. */
export function moment(time) {
	const date = typeof time === 'number' ? new Date(time * 1000) : new Date(time ?? NaN);
	return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 19).replace('T', ' ');
}

export function probability(logprob) {
	return isNumber(logprob) ? percent(Math.exp(logprob)) : '–';
}

/* Characters that are invisible or move the text around them: controls, direction marks, blanks. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const named = (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text with names for its invisible characters. Line ends and tabs stay. */
export const visible = (text) => text.replace(UNSEEN, named);

/** A single token; its blanks are visible too. */
export function visibleToken(text) {
	if (text === '') {
		return '∅';
	}
	return visible(text).replace(/\r?\n/g, '↵').replace(/\t/g, '⇥').replace(/^ | $/g, '␣');
}

export function shorten(text, characters) {
	const all = Array.from(text.slice(0, 4 * characters));
	return all.length > characters ? `${all.slice(0, characters).join('')}…` : text;
}

export const sentenceCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const words = (name) => (name ?? '').replaceAll('_', ' ');
