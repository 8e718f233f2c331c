import type { ChangeObject } from "diff";

/** Neighbouring lines of a comparison; `hidden` lines are the same in both versions and far from a change. */
export type ChangeSection =
  | { kind: "same" | "added" | "removed"; lines: readonly string[] }
  | { kind: "hidden"; count: number };

/** Lines that are the same, around each change. */
const contextLines = 3;

/** `text` with a final line break, so that a line added after it does not mark the last line as changed. */
export function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The changes with the lines around them. */
export function changeSectionsOf(changes: readonly ChangeObject<string>[]): ChangeSection[] {
  return changes.flatMap(({ added, removed, value }, i): ChangeSection[] => {
    const lines = value.replace(/\n$/, "").split("\n");
    if (added) return [{ kind: "added", lines }];
    if (removed) return [{ kind: "removed", lines }];
    const above = i === 0 ? 0 : contextLines;
    const below = i === changes.length - 1 ? 0 : contextLines;
    const count = lines.length - above - below;
    // The marker for hidden lines is one line high, so hiding one line saves nothing.
    if (count <= 1) return [{ kind: "same", lines }];
    return [
      { kind: "same" as const, lines: lines.slice(0, above) },
      { kind: "hidden" as const, count },
      { kind: "same" as const, lines: lines.slice(lines.length - below) },
    ].filter((section) => section.kind === "hidden" || section.lines.length > 0);
  });
}
