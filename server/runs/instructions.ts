const days = new Intl.DateTimeFormat("en", { dateStyle: "full" });

/** What the default assistant is told before every conversation. The day is all it learns of where it runs. */
export function instructions(nowMs: number): string {
  return [
    "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
    "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
    `Today is ${days.format(nowMs)}.`,
  ].join("\n");
}
