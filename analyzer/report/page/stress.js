// stress - what an engine answers otherwise when it has much to do, as plumbline stress found it.

import { el, row, section, table } from './dom.js';
import { count, interval, kinds, percent } from './format.js';
import { report } from './model.js';
import { verdictOf } from './summary.js';

const EVENTS = ['jumps', 'errors', 'loops', 'empty', 'foreign'];

function stressRow(level) {
	const d = level.differing;
	const share = d.n ? [percent(d.hits / d.n), ' ', el('span', { class: 'note' }, interval([d.low, d.high], kinds.share))] : '–';
	return row(count(level.concurrency), [count(level.answers), share, ...EVENTS.map((event) => count(level[event]))]);
}

/** The section, or null: the document is of no stress. */
export function stressSection() {
	const s = report.stress;
	if (!s) {
		return null;
	}
	const { cross_talk: talk, poison } = s.tests;
	return section('stress', 'Under load', verdictOf(report),
		table('Answers by level', ['At once', 'Answers', 'Differ from the one given alone', 'Jumps', 'Errors', 'Loops', 'Empty', 'Foreign scripts'], s.levels.map(stressRow)),
		el('p', { class: 'aside' }, `Level 1, repeated, is the floor. ${count(talk.hits)} of ${count(talk.n)} answers hold another request's canary. `,
			`Behind ${count(poison.failed)} failures ${count(poison.after.hits)} of ${count(poison.after.n)} healthy requests were answered otherwise, before them ${count(poison.before.hits)} of ${count(poison.before.n)}.`,
			talk.first.length ? ` Heard first in exchange ${talk.first[0].heard_in}, of ${talk.first[0].of}.` : ''));
}
