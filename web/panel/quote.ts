import { fenced } from "#contract/artifacts/fenced.ts";
import type { Artifact, ArtifactVersion } from "#contract/artifacts/artifacts.ts";

/** A text as a Markdown quote. */
export function quoteOf(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/**
 * Names the latest version, which the model has already read. An earlier one, or what was `typed` in the editor, is included,
 * so that the model continues from it.
 */
export function mentionOf(
  artifact: Artifact,
  version: ArtifactVersion,
  { title, typed }: { title: string; typed: string | undefined },
): string {
  const code = typed ?? version.code;
  if (version === artifact.versions.at(-1) && code === version.code) return quoteOf(title);
  return `${quoteOf(title)}\n\n${fenced(artifact.language, code)}`;
}

/** The selected text inside an element. */
export function selectionIn(element: HTMLElement | null): string {
  const selection = getSelection();
  if (element === null || selection === null || selection.rangeCount === 0) return "";
  const isInside = element.contains(selection.anchorNode) && element.contains(selection.focusNode);
  return isInside ? selection.toString().trim() : "";
}
