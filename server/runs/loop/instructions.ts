const defaultInstructions = [
  "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
  "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
].join("\n");

/**
 * The system prompt: the assistant's own instructions, or the default ones if they are empty, the date in the person's
 * time zone, and what the person wrote about themselves. Nothing else tells the model about the person.
 */
export function instructions(nowMs: number, timeZone: string, own: string, personal = ""): string {
  const dateFormat = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone });
  const today = `Today is ${dateFormat.format(nowMs)}.`;
  const general = own === "" ? `${defaultInstructions}\n${today}` : `${own}\n\n${today}`;
  return personal === ""
    ? general
    : `${general}\n\nThe person wrote this about themselves and the answers they want:\n\n${personal}`;
}
