import { isJsonObject, type Json } from "./json.ts";

/**
 * With this tool a model asks the person a question. The arguments are the question, the result is the answer. The server
 * validates both, and the web app shows the question as a form.
 */
export const questionTool = "ask_person";

export const questionLimits = { question: 1_000, choices: 8, choice: 200, said: 4_000 } as const;

export type Question = {
  question: string;
  /** The choices. The person can always write another answer. */
  choices: string[];
  /** Whether several choices are allowed. */
  several: boolean;
};

/** The selected choices and a written answer, or that the person skipped the question. */
export type QuestionAnswer = { chosen: string[]; said?: string } | { skipped: true };

/** Parses a call's arguments. Returns an error message for the model if they are invalid. */
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

/** Returns why `answer` is invalid, or `undefined` if it is valid. */
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
