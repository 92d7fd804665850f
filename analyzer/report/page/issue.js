// issue - one exhibit as Markdown for an issue, and the commands that show it again.

import { moment, number, percent, shorten, words } from './format.js';
import { captureCommand, lastPrompt, quoted, report } from './model.js';

const TEXT = 1500; // characters of an answer

export const reproCommand = (exhibit) => captureCommand('repro', '', quoted(exhibit.exchange));
export const showCommand = (exhibit) => captureCommand('capture show --raw', quoted(exhibit.exchange));

const longestRun = (text) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** A fence that the text does not hold. */
function fenced(text) {
	const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
	return `${fence}\n${text}\n${fence}`;
}

/** What others named, as nothing but itself: no mention, no link, no picture. */
function code(name) {
	const text = name.replace(/[\r\n]+/g, ' ');
	const fence = '`'.repeat(longestRun(text) + 1);
	return `${fence} ${text} ${fence}`;
}

function likelier(side, i) {
	const { top } = side.pieces;
	const list = top?.[i] ?? [];
	const rows = [];
	for (let k = 0; k < list.length; k += 2) {
		rows.push(`${code(JSON.stringify(list[k]))} ${percent(Math.exp(list[k + 1]))}`);
	}
	return rows.slice(0, 5).join(', ') || 'no list';
}

function firstLines(exhibit) {
	const first = exhibit.first_difference;
	const run = exhibit.alignment.find((r) => !r[4]);
	if (!first || !run || !run[2] || !run[3]) {
		return [];
	}
	return ['', `First difference at token ${first.token + 1} (${first.verdict}, moved by ${number(first.shift)} nats):`, '',
		...['base', 'test'].map((side, s) => {
			const at = run[s];
			return `- ${code(exhibit[side].backend)} chose ${code(JSON.stringify(exhibit[side].pieces.texts[at]))}; its list: ${likelier(exhibit[side], at)}`;
		})];
}

export function markdown(exhibit) {
	const answer = (side) => {
		const s = exhibit[side];
		const calls = s.tool_calls.map((c) => `${c.name}(${c.arguments})`).join('\n');
		return [`${code(s.backend)} (${code(s.model ?? 'model not said')}, finish ${code(s.finish ?? 'not said')}, ${s.usage.completion_tokens ?? '?'} tokens)`, '',
			fenced(shorten([s.text, calls].filter((t) => t).join('\n'), TEXT))];
	};
	return [
		`### ${code(exhibit.test.backend)} gives other answers than ${code(exhibit.base.backend)}`, '',
		`Exchange ${code(exhibit.exchange)}, ${moment(exhibit.time)} UTC, model ${code(exhibit.model ?? '?')}, ${exhibit.endpoint}${exhibit.streamed ? ', streamed' : ''}, decoding ${exhibit.decoding}. Meaning: ${words(exhibit.meaning.class)}.`,
		...firstLines(exhibit), '', 'Asked:', '', fenced(shorten(lastPrompt(exhibit), TEXT)), '', 'Parameters:', '', fenced(exhibit.parameters), '',
		...answer('base'), '', ...answer('test'), '',
		...(reproCommand(exhibit) ? ['To see it again:', '', fenced(reproCommand(exhibit)), ''] : []),
		`Found by plumbline among ${report.exchanges} exchanges.`,
	].join('\n');
}
