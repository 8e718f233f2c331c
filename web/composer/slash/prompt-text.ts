/** `{{name}}`, with any name of one line. */
const variable = /\{\{\s*([^{}\n]*[^{}\s])\s*\}\}/g;

/** The names of the variables in a prompt, each once, in order. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name]) => name!))];
}

/** The prompt with its variables replaced. What people wrote is not searched for variables again. */
export function fillPrompt(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(variable, (whole, name: string) => values.get(name) ?? whole);
}

/** What is typed after `/` for this name: `Weekly report` is `weekly-report`. */
export function commandOf(name: string): string {
  return name
    .toLocaleLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Whether the typed text is the beginning of the command, or of one of its words. */
export function matchesCommand(command: string, typed: string): boolean {
  const wanted = typed.toLocaleLowerCase();
  return command.startsWith(wanted) || command.split("-").some((word) => word.startsWith(wanted));
}
