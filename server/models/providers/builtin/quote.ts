/** What looks like an address: shown as it is written, so that nobody's words become a link of ours. */
const address = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|mailto:)[^\s`]+|[^\s@`]+@[^\s@`]+\.[^\s@`]+/giu;

/**
 * Somebody's words as Markdown that shows them as they are: no link, no picture, no heading, no markup of theirs comes to
 * life within an answer.
 */
export function plainMarkdown(text: string): string {
  return plainLine(text.replace(/\s+/g, " ").trim());
}

function plainLine(flat: string): string {
  let safe = "";
  let at = 0;
  for (const found of flat.matchAll(address)) {
    safe += escaped(flat.slice(at, found.index)) + `\`${found[0]}\``;
    at = found.index + found[0].length;
  }
  safe += escaped(flat.slice(at));
  // What would begin a heading or a list.
  return safe.replace(/^[-+=#]/, String.raw`\$&`).replace(/^(\d+)(?=[.)])/, "$1\\");
}

/** The same, line by line, as a quotation; blank lines are left out, and what only lays out goes. */
export function quotation(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|```\S*\s*$)/, "").replace(/\*\*|__/g, ""))
    .filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${plainMarkdown(line)}`).join("\\\n");
}

/**
 * A file's text as a quotation that loses nothing: signs, empty lines and indentation stay, the last as spaces that
 * Markdown leaves alone.
 */
export function verbatim(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.replaceAll("\t", "    ").trimEnd());
  return lines
    .map((line, at) => {
      if (line === "") return ">";
      const isLast = (lines[at + 1] ?? "") === "";
      return `> ${plainLine(line.replace(/^ | (?= )/g, "\u00a0"))}${isLast ? "" : "\\"}`;
    })
    .join("\n");
}

/** A text with all that Markdown would read as a sign of its own; a bracket as a number, for `\[` begins mathematics. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_\]<>|~$]|&(?=#?\w+;)/g, String.raw`\$&`).replaceAll("[", "&#91;");
}
