const defaultInstructions = [
  "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
  "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
].join("\n");

/**
 * The system prompt: the assistant's own instructions, or the default ones if they are empty, and the date in the
 * person's time zone. The date is all that the model learns about the person's location.
 */
export function instructions(nowMs: number, timeZone: string, own: string): string {
  const dateFormat = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone });
  const today = `Today is ${dateFormat.format(nowMs)}.`;
  return own === "" ? `${defaultInstructions}\n${today}` : `${own}\n\n${today}`;
}
