const days = new Intl.DateTimeFormat("en", { dateStyle: "full" });

/** What an assistant is told that has no instructions of its own. */
const ours = [
  "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
  "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
].join("\n");

/**
 * What a model is told before every conversation: the assistant's instructions, to the letter, and which day it is. The
 * day is all it learns of where it runs.
 */
export function instructions(nowMs: number, own: string): string {
  const today = `Today is ${days.format(nowMs)}.`;
  return own === "" ? `${ours}\n${today}` : `${own}\n\n${today}`;
}
