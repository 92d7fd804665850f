// header - what was compared, by which command, when, and on which stacks.

import { el } from './dom.js';
import { plural } from './format.js';
import { nameOf, report } from './model.js';
import { recordedText, stackText, stacksOf } from './stacks.js';

/** Titles of recipes for a single engine. */
const OF_ONE = { stress: (name) => `${name} under load`, determinism: (name) => `${name} compared with itself`, ablate: (name) => `What changes the answers of ${name}` };

/** "3 targets compared with full", "new compared with old", "engine under load" */
export function title(groups) {
	const { verb, targets } = report.recipe ?? {};
	if (OF_ONE[verb]) {
		const names = targets.map((target) => target.name.replace(/(\/(cold|warm|pinned|unpinned))+$/, '')); // ablate: engine/cold/pinned, ...
		return OF_ONE[verb]([...new Set(names)].join(', '));
	}
	if (groups.length > 1) {
		const bases = [...new Set(groups.map((group) => group.base))];
		return bases.length === 1 ? `${plural(groups.length, 'target')} compared with ${bases[0]}` : plural(groups.length, 'comparison');
	}
	return groups.length ? nameOf(groups[0]) : 'Nothing was compared';
}

function fact(name, ...value) {
	return el('div', {}, el('dt', {}, name), el('dd', {}, value));
}

/** Each stack once, the base first. */
function sideFacts(groups) {
	const roles = new Map();
	groups.forEach(({ base, test }) => {
		roles.set(base, roles.get(base) ?? 'Base');
		roles.set(test, roles.get(test) ?? 'Test');
	});
	const sides = stacksOf([...roles.keys()]);
	return sides.map(({ name, stack }) => fact(sides.length > 1 ? roles.get(name) : 'Engine', el('strong', {}, sides.length > 1 ? name : stack?.backend ?? name), `: ${stackText(stack)}`));
}

/** A command whose lines end between words, and not at the hyphens of an option. */
const commandText = (command) => el('code', {}, command.split(' ').flatMap((word) => [el('span', { class: 'word' }, word), ' ']).slice(0, -1));

export function headerFacts(groups) {
	const captures = (report.captures ?? []).filter((dir) => dir).join(', ');
	return el('dl', { class: 'header-facts' },
		report.command ? fact('Command', commandText(report.command)) : null,
		fact('Recorded', recordedText() ?? 'time not known', `, ${plural(report.exchanges, 'exchange')}${report.recipe?.repeats > 1 ? `, ${report.recipe.repeats} repeats` : ''}${captures ? ` in ${captures}` : ''}`),
		sideFacts(groups));
}
