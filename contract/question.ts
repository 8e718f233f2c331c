import { isJsonObject, type Json } from "./json.ts";

/**
 * A question that a model asks the person who reads, and the answer: the arguments and the result of the tool of this
 * name. The server checks both, the page shows the one as a form and makes the other of it.
 */
export const questionTool = "ask_person";

export const questionLimits = { question: 1_000, choices: 8, choice: 200, said: 4_000 } as const;

export type Question = {
  question: string;
  /** What may be chosen; the person may always say something else. */
  choices: string[];
  /** Whether more than one may be chosen. */
  several: boolean;
};

/** What was chosen and what was said beside it, or that the person would rather not answer. */
export type QuestionAnswer = { chosen: string[]; said?: string } | { skipped: true };

/** The question in a call's arguments, or in words what is wrong with them. */
export function parseQuestion(args: unknown): Question | string {
  if (!isJsonObject(args))
    return 'Give an object such as { "question": "Which colour?", "choices": ["red", "blue"] }.';
  const { question, choices = [], several = false } = args;
  if (typeof question !== "string" || question.trim() === "" || question.length > questionLimits.question)
    return `Give the question as text of at most ${questionLimits.question} characters.`;
  if (!Array.isArray(choices) || choices.length === 1 || choices.length > questionLimits.choices)
    return `Give 2 to ${questionLimits.choices} choices, or none.`;
  if (!choices.every(isChoice))
    return `Give each choice as text of at most ${questionLimits.choice} characters.`;
  if (new Set(choices).size < choices.length) return "Give each choice once.";
  return { question, choices, several: several === true };
}

/** What is wrong with this answer to the question; `undefined` where it is one. */
export function answerError(question: Question, answer: Json): string | undefined {
  if (!isJsonObject(answer)) return 'must be an object such as { "chosen": ["red"] }';
  if (answer.skipped === true) return undefined;
  const { chosen, said } = answer;
  if (!Array.isArray(chosen) || !chosen.every((choice) => question.choices.includes(choice as string)))
    return "must have a list chosen, of the question's choices";
  if (new Set(chosen).size < chosen.length || (!question.several && chosen.length > 1))
    return question.several ? "must name each choice once" : "must name one choice";
  if (said !== undefined && (typeof said !== "string" || said.length > questionLimits.said))
    return `must have said as text of at most ${questionLimits.said} characters`;
  if (chosen.length === 0 && (said === undefined || said.trim() === ""))
    return "must choose or say something, or be { skipped: true }";
  return undefined;
}

function isChoice(choice: Json): choice is string {
  return typeof choice === "string" && choice.trim() !== "" && choice.length <= questionLimits.choice;
}
