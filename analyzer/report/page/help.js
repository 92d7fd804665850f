// help - what each figure means, and which direction is better.

/** better: 'lower', 'higher', or 'zero' (the nearer to 0 the better). */
const FIGURES = {
	differ: { better: 'lower', text: 'The share of pairs whose answers are not the same: another text, another refusal or other tool calls. Compare it with the noise floor: an engine that varies by itself differs without any fault.' },
	answer_changed: { better: 'lower', text: 'The share of pairs whose answers mean something else: another number, another choice, other code. Answers of different kinds count as well: one is cut at its token limit and the other is not, or one is empty, a loop, a refusal or a tool call. The lower end counts the changes that are certain. The upper end adds the answers that could not be decided.' },
	hazard: { better: 'lower', text: 'The number of first differences per 1,000 compared tokens: tokens up to the first difference of each pair. It does not depend on the length of answers, so you can compare it across suites.' },
	same_top: { better: 'higher', text: 'The share of positions at which both sides give the highest probability to the same token (top-1 agreement). Only positions up to the first difference count.' },
	delta_lp_rms: { better: 'lower', text: 'How far the logprobs of the same token differ between the sides: root mean square, in nats.' },
	length_bias: { better: 'zero', text: 'How many tokens longer the answers of the test are on average. Negative: they are shorter.' },
	finish_differs: { better: 'lower', text: 'The share of pairs that ended for different reasons, for example one at the limit of tokens and one by itself.' },
	k3: { better: 'lower', text: 'An estimate of the Kullback-Leibler divergence per token: how far the probabilities of the test are from those that the base gives to the same tokens. 0 means equal.' },
};

const DIRECTIONS = { lower: '↓ lower is better', higher: '↑ higher is better', zero: '→ 0 is best' };

export const betterOf = (name) => FIGURES[name]?.better ?? null;
export const directionOf = (name) => DIRECTIONS[betterOf(name)] ?? null;
export const helpOf = (name) => FIGURES[name]?.text ?? null;
