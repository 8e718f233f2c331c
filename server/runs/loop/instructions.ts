/** What an assistant is told that has no instructions of its own. */
const ours = [
  "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
  "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
].join("\n");

/**
 * What a model is told before every conversation: the assistant's instructions, to the letter, and which day it is
 * where the person is. The day is all that it learns of where anyone is.
 */
export function instructions(nowMs: number, timeZone: string, own: string): string {
  const days = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone });
  const today = `Today is ${days.format(nowMs)}.`;
  return own === "" ? `${ours}\n${today}` : `${own}\n\n${today}`;
}
