// answers - both answers of an exhibit side by side, token by token; differences are marked.

import { el } from './dom.js';
import { count, plural, redacted, visible } from './format.js';
import { inspector } from './inspector.js';
import { firstName, firstPlaces } from './model.js';

const SIDES = ['base', 'test'];

/** For each side and piece: its run, and the matching piece of the other side or null. */
function partners(exhibit) {
	const of = SIDES.map((side) => exhibit[side].pieces.texts.map(() => ({ run: 0, other: null })));
	exhibit.alignment.forEach(([a, b, nA, nB], run) => {
		for (let i = 0; i < nA; i++) {
			of[0][a + i] = { run, other: i < nB ? b + i : null };
		}
		for (let i = 0; i < nB; i++) {
			of[1][b + i] = { run, other: i < nA ? a + i : null };
		}
	});
	return of;
}

const verdictText = (exhibit) => {
	const first = exhibit.first_difference;
	return first && exhibit.decoding === 'greedy' ? `first difference: ${firstName(first.verdict)}` : 'first difference';
};

/** The class for the distance between the scorer's and the engine's logprob: from 0.1, 0.5 and 2 nats. */
function scoreClass(pieces, i) {
	const [own, scored] = [pieces.logprobs?.[i], pieces.scored?.logprobs[i]];
	const size = typeof own === 'number' && typeof scored === 'number' ? Math.abs(scored - own) : 0;
	return size >= 2 ? ' off3' : size >= 0.5 ? ' off2' : size >= 0.1 ? ' off1' : '';
}

function scoredNote(pieces) {
	return pieces.scored ? el('p', { class: 'scored' }, `A line above a token: ${pieces.scored.by} gives it another logprob, by at least 0.1 nats (dotted), 0.5 (solid) or 2 (thick).`) : null;
}

const BETWEEN = '\ud800'; // no text has half a surrogate pair

/** The texts of tokens. A character of several tokens, whose bytes the report escapes, is shown in the first of them. */
function shownTexts({ texts, escaped = [] }) {
	const isEscaped = (i) => escaped.includes(i); // else a \xNN is what the model wrote
	const whole = texts.map((text, i) => (isEscaped(i) ? text : '')).join(BETWEEN).replace(/\\x[89a-f][0-9a-f](\ud800?\\x[89a-f][0-9a-f])+/g, (run) => {
		const bytes = run.match(/[0-9a-f]{2}/g).map((byte) => parseInt(byte, 16));
		const text = new TextDecoder().decode(new Uint8Array(bytes));
		return text.includes('\ufffd') ? run : text + BETWEEN.repeat(run.split(BETWEEN).length - 1);
	}).split(BETWEEN);
	return texts.map((text, i) => (isEscaped(i) ? whole[i] : text));
}

function tokensOf(exhibit, s, of) {
	const { pieces } = exhibit[SIDES[s]];
	const first = firstPlaces(exhibit)?.[s] ?? null;
	return shownTexts(pieces).map((text, i) => {
		const changed = i === first || !exhibit.alignment[of[s][i].run][4]; // the other side may have the token later
		const token = el('span', { class: `t${changed ? ' changed' : ''}${i === first ? ' first' : ''}${scoreClass(pieces, i)}`, 'data-i': i }, visible(text));
		return i === first ? [el('span', { class: 'flag' }, verdictText(exhibit)), token] : token;
	});
}

/** Groups consecutive tokens of the same part: reasoning or answer. */
function parts(pieces, tokens) {
	const groups = [];
	tokens.forEach((token, i) => {
		const part = pieces.parts[i] === 'r' ? 'r' : 'a';
		if (groups.at(-1)?.part !== part) {
			groups.push({ part, tokens: [] });
		}
		groups.at(-1).tokens.push(token);
	});
	return groups;
}

function column(exhibit, s, of) {
	const side = exhibit[SIDES[s]];
	const { pieces } = side;
	const tokens = tokensOf(exhibit, s, of);
	const hasFirst = (group) => group.tokens.some((t) => Array.isArray(t));
	const left = pieces.of - pieces.from - pieces.texts.length;
	const unit = (n) => plural(n, pieces.unit);
	return el('div', { class: `answer ${SIDES[s]}` },
		el('h3', {}, side.backend ?? SIDES[s], ' ', el('span', { class: 'role' }, exhibit.base.backend === exhibit.test.backend ? ['(first answer)', '(its repeat)'][s] : `(${SIDES[s]})`)),
		scoredNote(pieces),
		side.redactions ? el('p', { class: 'cutoff' }, redacted(side.redactions, 'this answer')) : null,
		el('div', { class: 'tokens', tabindex: 0, role: 'group', 'data-side': s, 'aria-label': `Answer of ${side.backend}, ${unit(pieces.of)}. The left and right arrow keys move from one to the next.` },
			pieces.from ? el('p', { class: 'cutoff' }, `${unit(pieces.from)} before this one are not in the report.`) : null,
			parts(pieces, tokens).map((group) => (group.part === 'r'
				? el('details', { class: 'reasoning', open: hasFirst(group) }, el('summary', {}, `Reasoning, ${unit(group.tokens.length)}`), el('div', {}, group.tokens))
				: el('div', { class: 'text' }, group.tokens))),
			pieces.texts.length === 0 ? el('p', { class: 'cutoff' }, 'No text.') : null,
			left ? el('p', { class: 'cutoff' }, `${unit(left)} after this one are not in the report.`) : null),
		side.refusal ? el('p', { class: 'refusal' }, el('strong', {}, 'Refused: '), visible(side.refusal)) : null,
		side.tool_calls.length ? el('div', { class: 'calls' }, el('h4', {}, 'Tool calls'), side.tool_calls.map((call) =>
			el('pre', { tabindex: 0 }, `${call.name ?? '?'}(${visible(call.arguments)}${call.arguments_left_out ? `… ${count(call.arguments_left_out)} bytes more` : ''})`))) : null);
}

/** Moves the marks of the current token on both sides. */
function pointer(box, exhibit, of, show) {
	const spans = SIDES.map((_, s) => Array.from(box.querySelectorAll(`[data-side="${s}"] .t`)));
	let marked = [];
	let current = [0, -1];
	const at = (s, i) => {
		const { other, run } = of[s][i];
		const first = firstPlaces(exhibit);
		const places = first && first[s] === i ? first : s === 0 ? [i, other] : [other, i];
		const [, , , , equal] = exhibit.alignment[run];
		const late = first && first[s] !== null && i > first[s];
		const note = first && first[s] === i ? `The ${verdictText(exhibit)}. Up to here both sides have the same text.`
			: equal && !late ? 'Both sides chose the same token here, after the same text.'
				: 'This is after the first difference. The sides continue different texts here, so their lists cannot be compared.';
		marked.forEach((span) => span.classList.remove('here', 'beside'));
		marked = places.map((p, k) => (p === null ? null : spans[k][p])).filter((span) => span);
		marked.forEach((span) => span.classList.add(span === spans[s][i] ? 'here' : 'beside'));
		current = [s, i];
		show(SIDES.map((side) => exhibit[side].pieces), places, note);
	};
	const step = (s, by) => {
		const from = current[0] === s ? current[1] : (firstPlaces(exhibit)?.[s] ?? 0) - by;
		const to = Math.min(Math.max(from + by, 0), spans[s].length - 1);
		if (to >= 0) {
			spans[s][to].closest('details')?.setAttribute('open', '');
			at(s, to);
			spans[s][to].scrollIntoView({ block: 'nearest' });
		}
	};
	return { at, step };
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };

/** The view: { box, panel, showFirst }; panel shows the token under the pointer. */
export function answers(exhibit) {
	const of = partners(exhibit);
	const { box: panel, show } = inspector(SIDES.map((side) => exhibit[side].backend), exhibit.decoding === 'greedy');
	const columns = el('div', { class: 'sides' }, SIDES.map((_, s) => column(exhibit, s, of)));
	const box = el('section', { class: 'answers', 'aria-label': 'Both answers' }, columns);
	const point = pointer(columns, exhibit, of, show);
	const look = (event) => {
		const token = event.target.closest?.('.t');
		if (token) {
			point.at(Number(token.closest('[data-side]').dataset.side), Number(token.dataset.i));
		}
	};
	columns.addEventListener('mouseover', look);
	columns.addEventListener('click', look);
	columns.addEventListener('keydown', (event) => {
		const tokens = event.target.closest('.tokens');
		if (tokens && event.target === tokens && STEPS[event.key]) {
			event.preventDefault();
			point.step(Number(tokens.dataset.side), STEPS[event.key]);
		}
	});
	const first = firstPlaces(exhibit);
	const s = first && first[1] !== null ? 1 : 0;
	if (first) {
		point.at(s, first[s]);
	}
	return { box, panel, showFirst: () => columns.querySelector('.t.first')?.scrollIntoView({ block: 'center' }) };
}
