// format - numbers and texts as people read them.

const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);
const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (n) => (isNumber(n) ? groups.format(n) : '–');

/** Of a text in which n secrets were replaced. */
export const redacted = (n, where) => `About ${plural(n, 'secret')} in ${where} ${n > 1 ? 'were' : 'was'} replaced by placeholders.`;

export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

/** So many significant digits, without an exponent where it can be read without. */
export function number(x, digits = 3) {
	if (!isNumber(x)) {
		return '–';
	}
	const size = Math.abs(x);
	if (x !== 0 && (size < 1e-4 || size >= 1e7)) {
		return x.toExponential(digits - 1);
	}
	const decimals = x === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
	return x.toFixed(Math.min(decimals, 6)).replace('-', '−');
}

export function percent(x, decimals) {
	if (!isNumber(x)) {
		return '–';
	}
	const p = 100 * x;
	const d = decimals ?? (p !== 0 && Math.abs(p) < 1 ? 2 : 1);
	return `${p.toFixed(d).replace('-', '−')}\u00a0%`;
}

/** A number of percent or of points, without the word. */
const bareNumber = (x) => percent(x / 100).replace('\u00a0%', '');

/** How a figure is written: by its unit. */
export const kinds = {
	share: { value: (x) => percent(x), bare: (x) => percent(x).replace('\u00a0%', '') },
	points: { value: (x) => (isNumber(x) ? `${bareNumber(x)}\u00a0points` : '–'), bare: (x) => bareNumber(x) },
	count: { value: (x) => count(x), bare: (x) => count(x) },
	ms: { value: (x) => (isNumber(x) ? `${number(x)}\u00a0ms` : '–'), bare: (x) => number(x) },
	number: { value: (x) => number(x), bare: (x) => number(x) },
};

export function interval(ci, kind) {
	return ci ? `[${kind.bare(ci[0])} to ${kind.bare(ci[1])}]` : '';
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

/** "2026-11-21 18:35:46" of an ISO time, or of seconds. */
export function moment(time) {
	const date = typeof time === 'number' ? new Date(time * 1000) : new Date(time ?? NaN);
	return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 19).replace('T', ' ');
}

export function probability(logprob) {
	return isNumber(logprob) ? percent(Math.exp(logprob)) : '–';
}

/* What has no shape of its own, or would move what stands around it: controls, marks of direction, blanks. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const named = (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text whose unseen characters are named. Line ends and tabs stay. */
export const visible = (text) => text.replace(UNSEEN, named);

/** A token by itself: blanks can be seen too. */
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
