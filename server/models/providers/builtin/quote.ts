/** What looks like an address: shown as code, so that nobody's words become a link of ours. */
const address = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|mailto:)[^\s`]+|[^\s@`]+@[^\s@`]+\.[^\s@`]+/giu;

/** Somebody's words as Markdown that shows them as they are: no link, picture, heading or formula of theirs takes effect. */
export function plainMarkdown(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  let safe = "";
  let at = 0;
  for (const found of flat.matchAll(address)) {
    safe += escaped(flat.slice(at, found.index)) + `\`${found[0]}\``;
    at = found.index + found[0].length;
  }
  safe += escaped(flat.slice(at));
  // The beginning of a heading or a list.
  return safe.replace(/^[-+=#]/, String.raw`\$&`).replace(/^(\d+)(?=[.)])/, "$1\\");
}

/** The same, line by line, as a quotation without blank lines and without the marks of headings, lists and emphasis. */
export function quotation(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|```\S*\s*$)/, "").replace(/\*\*|__/g, ""))
    .filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${plainMarkdown(line)}`).join("\\\n");
}

/** A bracket becomes a number, because `\[` begins a formula. */
function escaped(text: string): string {
  return text.replace(/[\\`*_\]<>|~$]|&(?=#?\w+;)/g, String.raw`\$&`).replaceAll("[", "&#91;");
}
