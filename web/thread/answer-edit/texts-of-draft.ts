/**
 * The texts of an edit that was not saved. `undefined` if there is none, if the answer has other parts now, or if another
 * program wrote the draft.
 */
export function textsOfDraft(draft: string, count: number): string[] | undefined {
  try {
    const texts: unknown = JSON.parse(draft);
    return Array.isArray(texts) && texts.length === count && texts.every((text) => typeof text === "string")
      ? texts
      : undefined;
  } catch {
    return undefined;
  }
}
