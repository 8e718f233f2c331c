import { answerError, questionLimits, questionTool, parseQuestion } from "#contract/ask-person.ts";
import { ToolError, type ClientToolDefinition } from "./tool.ts";

/** Asks the person a question: `{ question, choices?, several? }` is shown as a form, and the answer is the result. */
export function createAskPerson(): ClientToolDefinition {
  return {
    name: questionTool,
    readsOtherThreads: false,
    effect: "reads",
    readsStrangers: false,
    description:
      "Asks the person one question and waits for the answer, which may take long. Use it only when you cannot go on " +
      "well without knowing, and not for what you can find out or sensibly assume. Give choices where there are a few " +
      "likely answers; the person can always write something else, or skip the question.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", description: "One short question." },
        choices: {
          type: "array",
          items: { type: "string" },
          description: `2 to ${questionLimits.choices} short answers to choose from; left out for an open question.`,
        },
        several: { type: "boolean", description: "Whether more than one may be chosen." },
      },
      required: ["question"],
      additionalProperties: false,
    },
    check(args) {
      const question = parseQuestion(args);
      if (typeof question === "string") throw new ToolError(question);
    },
    resultError(result, args) {
      const question = parseQuestion(args);
      return typeof question === "string" ? undefined : answerError(question, result);
    },
  };
}
