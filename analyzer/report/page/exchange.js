// exchange - the view of one exhibit, in a dialog over the page.

import { answers } from './answers.js';
import { goTo, note, viewed } from './address.js';
import { announce, command, copyButton, el, replace } from './dom.js';
import { count, milliseconds, moment, percent, plural, redacted, sentenceCase, visible, words } from './format.js';
import { markdown } from './issue.js';
import { acceptedText, causeNames, exhibits, gapTexts, hrefOf, judgesOf, meaningName, nameOf, firstDifferenceName, sidesOf, trials } from './model.js';
import { reproCommand, showCommand } from './resend.js';

function prompt(exhibit) {
	const list = exhibit.prompt;
	const message = (m) => el('div', { class: 'message' }, el('h3', {}, m.role), el('p', { class: 'text' }, visible(m.text)));
	return el('section', { class: 'asked', 'aria-label': 'What was asked' },
		exhibit.redactions ? el('p', { class: 'cutoff' }, redacted(exhibit.redactions, 'this request')) : null,
		list.length > 1 ? el('details', {}, el('summary', {}, plural(list.length - 1, 'earlier message')), list.slice(0, -1).map(message)) : null,
		list.length ? message(list.at(-1)) : el('p', {}, 'The request was not stored, or it is not JSON.'),
		exhibit.prompt_left_out ? el('p', { class: 'cutoff' }, `${count(exhibit.prompt_left_out)} bytes of the prompt are not in the report.`) : null);
}

const orDash = (value) => (value === null || value === undefined || value === '' ? '–' : value);

function facts(exhibit) {
	const rows = [
		['Model', (s) => orDash(s.model)],
		['Status', (s) => orDash(s.status)],
		['Finish', (s) => orDash(s.finish)],
		['Prompt tokens', (s) => count(s.usage.prompt_tokens)],
		['of these cached', (s) => count(s.usage.cached_tokens)],
		['Answer tokens, by the engine’s count', (s) => count(s.usage.completion_tokens)],
		['First content after', (s) => milliseconds(s.first_content_ms)],
		['Ended after', (s) => milliseconds(s.end_ms)],
		['Reasoning', (s) => (s.reasoning_place === 'none' ? '–' : words(s.reasoning_place))],
	];
	return el('table', { class: 'facts' },
		el('thead', {}, el('tr', {}, el('td', {}), ['base', 'test'].map((side) => el('th', { scope: 'col' }, exhibit[side].backend)))),
		el('tbody', {}, rows.map(([name, of]) => {
			const [a, b] = [of(exhibit.base), of(exhibit.test)];
			return el('tr', { class: a === b || name.includes('after') ? null : 'unlike' }, el('th', { scope: 'row' }, name), el('td', {}, a), el('td', {}, b));
		})));
}

const BASES = { boolean: 'yes or no', calls: 'tool calls', code: 'code', date: 'dates', json: 'JSON', number: 'numbers', prose: 'prose' };
const UNDECIDED = { moderate: 'the texts are similar', severe: 'the texts have little in common' };

/** A sentence on how the meanings of both answers compare. */
function meaningText(meaning) {
	const { class: kind, severity, basis } = meaning;
	if (kind === 'undecided') {
		return `Undecided: plumbline cannot tell whether the meaning changed; ${UNDECIDED[severity] ?? 'the texts differ'}.`;
	}
	return `${sentenceCase(meaningName(meaning))}${BASES[basis] ? `, compared as ${BASES[basis]}` : ''}.`;
}

function firstText(exhibit) {
	const first = exhibit.first_difference;
	return [`${sentenceCase(firstDifferenceName(exhibit))}, at token ${first.token + 1}.`, ...gapTexts(exhibit, (name) => name)].join(' ');
}

/** What else distinguishes the answers; most names are docs/rows.md's. */
const MARKS = { placement: 'reasoning is in another place', calls_place: 'the tool calls of one side are in its text', numbers: 'one number differs', names: 'one name differs', negations: 'one negation differs', invalid_calls: 'invalid tool calls on one side' };

function marksOf({ meaning, base, test }) {
	const names = sidesOf({ base: base.backend, test: test.backend });
	const cut = [base, test].flatMap((side, s) => (side.is_cut ? [names[s]] : []));
	return meaning.marks.map((mark) => (mark === 'truncated' && cut.length === 1 ? `${cut[0]} was cut at its token limit` : MARKS[mark])).filter((text) => text);
}

function judged(exhibit) {
	const m = exhibit.meaning;
	const first = exhibit.first_difference;
	const lines = [
		['Meaning', meaningText(m)],
		['Text similarity', percent(m.similarity, 0)],
		acceptedText(exhibit) ? ['Accepted', acceptedText(exhibit)] : null,
		judgesOf(exhibit).length ? ['Judge model', `${judgesOf(exhibit).join('; ')} (asked in both orders; the meaning above does not depend on it)`] : null,
		m.base_value || m.test_value ? ['Answers found', [el('code', {}, m.base_value || '–'), ' and ', el('code', {}, m.test_value || '–')]] : null,
		marksOf(exhibit).length ? ['Also seen', marksOf(exhibit).join('; ')] : null,
		['Decoding', exhibit.decoding],
		first ? ['First difference', firstText(exhibit)] : null,
		causeNames(exhibit).length ? ['Causes', causeNames(exhibit).join(', ')] : null,
	];
	return el('dl', { class: 'judged' }, lines.filter((l) => l).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

function raw(exhibit) {
	const edits = (side) => exhibit[side].edits.map((e) => `at byte ${e.at}: ${e.removed} removed, inserted ${e.inserted}${e.inserted_left_out ? '…' : ''}`).join('\n');
	return el('details', { class: 'raw' },
		el('summary', {}, 'Raw request'),
		el('pre', { tabindex: 0 }, visible(exhibit.request)),
		exhibit.request_left_out ? el('p', { class: 'cutoff' }, `${count(exhibit.request_left_out)} bytes of the request are not in the report.`) : null,
		['base', 'test'].map((side) => (exhibit[side].edits.length ? [el('h3', {}, `Changed on the way to ${exhibit[side].backend}`), el('pre', { tabindex: 0 }, visible(edits(side)))] : null)),
		showCommand(exhibit) ? command(showCommand(exhibit), 'To print all that is recorded of this exchange:') : null);
}

function content(exhibit, view, go) {
	const group = trials.find((g) => g.index === exhibit.group);
	return [
		el('header', {},
			el('h2', { id: 'exchange-title' }, nameOf({ test: exhibit.test.backend, base: exhibit.base.backend })),
			el('p', { class: 'aside' }, `${moment(exhibit.time)} UTC · ${exhibit.model ?? 'the request names no model'} · ${exhibit.endpoint}${exhibit.streamed ? ', streamed' : ''}${group || trials.length === 0 ? '' : ' · noise floor'} · `, el('code', {}, exhibit.exchange)),
			el('nav', { 'aria-label': 'Answers' },
				el('button', { type: 'button', class: 'quiet', onclick: () => go(-1) }, '← Previous'),
				el('button', { type: 'button', class: 'quiet', onclick: () => go(1) }, 'Next →'),
				copyButton('Copy as issue', () => markdown(exhibit)),
				reproCommand(exhibit) ? copyButton('Copy repro command', () => reproCommand(exhibit)) : null,
				el('button', { type: 'button', class: 'quiet', onclick: view.showFirst, disabled: !exhibit.alignment.some((r) => !r[4]) }, 'To the first difference'))),
		prompt(exhibit), judged(exhibit), view.box, facts(exhibit), raw(exhibit),
	];
}

/**
 * The dialog; order() returns the exhibits in the table's order. A URL with answers=N opens one, and the Back button closes
 * it. The panel is below the part that scrolls, so it covers no text.
 */
export function exchangeDialog(order) {
	const body = el('div', { class: 'exchange', tabindex: 0, role: 'group', 'aria-labelledby': 'exchange-title' });
	const below = el('div', { class: 'below' });
	const dialog = el('dialog', { 'aria-labelledby': 'exchange-title' },
		el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => dialog.close() }, '×'), body, below);
	let shown = null;
	let opener = null;	// the link that had the focus: in a cause's evidence or the list
	const go = (by) => {
		const list = order();
		const at = list.indexOf(shown);
		const next = list[(at + by + list.length) % list.length];
		if (next) {
			goTo({ answers: next.index + 1 }, true);
		}
	};
	const open = () => {
		const wanted = Number(viewed('answers'));
		shown = exhibits[wanted - 1] ?? null;
		if (!shown) {
			dialog.close();
			return;
		}
		const view = answers(shown);
		replace(body, content(shown, view, go));
		replace(below, view.panel);
		if (!dialog.open) {
			opener = document.activeElement;
			dialog.showModal();
		}
		body.scrollTop = 0;
		announce(`Answers ${wanted} of ${exhibits.length}`);
	};
	dialog.addEventListener('close', () => {
		if (shown) {
			note({ answers: null });
			const here = `[href="${hrefOf(shown)}"]`;
			(opener?.matches(here) ? opener : document.querySelector(`.exhibits ${here}`))?.focus();
		}
		shown = null;
	});
	dialog.addEventListener('keydown', (event) => {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('.tokens, input, textarea, pre')) {
			return;
		}
		if (event.key === 'j' || event.key === 'k') {
			go(event.key === 'j' ? 1 : -1);
		}
	});
	return { dialog, open };
}
