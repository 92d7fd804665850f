// reruns - what a backend answers to the same prompt again and again: what determinism found.

import { el, row, section, table } from './dom.js';
import { count, interval, kinds, percent } from './format.js';
import { report } from './model.js';

const has = (figure) => typeof figure?.value === 'number';
const shareOf = (figure) => (has(figure) ? [percent(figure.value), ' ', el('span', { class: 'note' }, interval(figure.ci95, kinds.share))] : '–');

function levelRow(level, name) {
	return row(name, [count(level.prompts), count(level.answers),
		...['all_alike', 'determinism_score', 'output_consistency', 'as_the_first'].map((figure) => shareOf(level[figure]))]);
}

function worstRow(prompt) {
	const tokens = prompt.mode_token !== null ? `: “${prompt.mode_token}” or “${prompt.other_token}”` : '';
	return row(prompt.item ?? prompt.exchange, [`${count(prompt.of_mode)} of ${count(prompt.answers)}`, count(prompt.distinct), `${prompt.unit} ${count(prompt.first + 1)}${tokens}`]);
}

function gapLine(what, same, other, gap) {
	return has(same) && has(other) ? el('p', {}, `With the same ${what} pairs of answers agree in `, shareOf(same), ', with another in ', shareOf(other),
		has(gap) ? ['; apart by ', shareOf(gap)] : '', '.') : null;
}

/** The section, or null: the document has no reruns. */
export function rerunsSection() {
	const r = report.reruns;
	if (!r?.all?.prompts) {
		return null;
	}
	return section('reruns', `${r.backend}, again and again`,
		el('p', { class: 'sentence' }, 'The same answer every time to ', shareOf(r.all.all_alike), ` of ${count(r.all.prompts)} prompts`),
		table('Runs by level', ['Requests in flight', 'Prompts', 'Answers', 'All alike', 'Determinism score', 'Output consistency', 'As the first (infer-check)'],
			[...(r.levels.length > 1 ? r.levels.map((level) => levelRow(level, level.concurrency === null ? 'usual' : count(level.concurrency))) : []), levelRow(r.all, 'all')]),
		el('p', { class: 'aside' }, 'Determinism score: the share of the most common answer. Output consistency: pairs of answers to one prompt that are the same, all against all.'),
		gapLine('number of requests in flight', r.pairs.same_level, r.pairs.other_level, r.pairs.gap_of_level),
		gapLine('number of cached tokens', r.pairs.same_cached, r.pairs.other_cached, r.pairs.gap_of_cached),
		r.worst.length ? [el('h3', {}, 'Least alike'), table('Least alike', ['Prompt', 'As the most common', 'Distinct answers', 'Parts at'], r.worst.map(worstRow))] : null);
}
