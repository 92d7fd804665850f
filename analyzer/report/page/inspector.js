// inspector - the panel below the answers: the alternatives of both engines at one token, side by side.

import { el, replace } from './dom.js';
import { number, percent, visibleToken } from './format.js';

/** [{text, lp}] of the token's list; adds the chosen token if the list lacks it. */
function alternatives(pieces, i) {
	const flat = pieces.top[i];
	const list = [];
	for (let k = 0; k < flat.length; k += 2) {
		list.push({ text: flat[k], lp: flat[k + 1] });
	}
	const chosen = pieces.texts[i];
	if (!list.some((a) => a.text === chosen)) {
		list.push({ text: chosen, lp: pieces.logprobs[i], unlisted: flat.length > 0 });
	}
	return list;
}

function rowOf(alternative, chosen, other) {
	const p = alternative.lp === null ? null : Math.exp(alternative.lp);
	const elsewhere = other?.find((o) => o.text === alternative.text && !o.unlisted);
	const signs = [chosen ? 'chosen' : null, alternative.unlisted ? 'not in its list' : null, other && !elsewhere ? 'only here' : null].filter((s) => s);
	return el('tr', { class: chosen ? 'chosen' : null },
		el('th', { scope: 'row' }, el('code', {}, visibleToken(alternative.text))),
		el('td', {}, p === null ? '–' : percent(p)),
		el('td', {}, number(alternative.lp)),
		el('td', { class: 'bars' }, el('meter', { min: 0, max: 1, value: p ?? 0, 'aria-label': 'probability' })),
		el('td', { class: 'signs' }, signs.join(', ')));
}

function listOf(name, pieces, i, other, isGreedy) {
	if (i === null) {
		return el('div', { class: 'list' }, el('h4', {}, name), el('p', {}, 'has no token here.'));
	}
	const caption = `${name}, token ${pieces.from + i + 1} of ${pieces.of}`;
	if (!pieces.top) {
		return el('div', { class: 'list' }, el('h4', {}, name), el('p', {}, el('code', {}, visibleToken(pieces.texts[i])), ' (no logprobs)'));
	}
	const list = alternatives(pieces, i);
	const best = Math.max(...list.filter((a) => !a.unlisted && a.lp !== null).map((a) => a.lp));
	const scored = pieces.scored?.logprobs[i];
	const against = isGreedy && pieces.logprobs[i] !== null && best - pieces.logprobs[i] > 1e-3;
	return el('div', { class: 'list' },
		el('h4', {}, caption),
		el('table', {},
			el('thead', {}, el('tr', {}, ['Token', 'Probability', 'Logprob', '', ''].map((h) => (h ? el('th', { scope: 'col' }, h) : el('td', {}))))),
			el('tbody', {}, list.map((a) => rowOf(a, a.text === pieces.texts[i], other)))),
		typeof scored === 'number' ? el('p', { class: 'scored' }, `${pieces.scored.by}, as the scorer, gives this token the logprob ${number(scored)}; ${name} gave it ${number(pieces.logprobs[i])} when it generated the answer: a difference of ${number(scored - pieces.logprobs[i], 2)} nats.`) : null,
		against ? el('p', { class: 'against' }, 'It did not choose the most probable token of its list.') : null);
}

/** names: of both sides. isGreedy: each side should choose its most probable token. */
export function inspector(names, isGreedy) {
	const place = el('div', { class: 'lists' });
	const about = el('summary', { class: 'about' }, 'Point at a token, or focus an answer and use the arrow keys, to see the probabilities of both sides there.');
	const isNarrow = window.matchMedia('(max-width: 48rem)').matches; // the lists open on demand
	const box = el('section', { class: 'inspector', tabindex: 0, 'aria-label': 'Token', 'aria-live': 'polite' }, el('details', { open: !isNarrow }, about, place));
	const show = (sides, at, note) => {
		const lists = sides.map((pieces, s) => (at[s] === null || !pieces.top ? null : alternatives(pieces, at[s])));
		about.textContent = note;
		replace(place, sides.map((pieces, s) => listOf(names[s], pieces, at[s], lists[1 - s], isGreedy)));
	};
	return { box, show };
}
