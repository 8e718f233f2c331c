import type { Prompt } from "#contract/prompts/endpoints.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import { isoTime } from "#server/lib/clock.ts";

/** A prompt of another product; none if it has no text. */
export function foreignPrompt(
  id: string,
  {
    title,
    text,
    createdAtMs = 0,
    updatedAtMs = createdAtMs,
  }: { title: string; text: string; createdAtMs?: number | undefined; updatedAtMs?: number | undefined },
): Prompt[] {
  if (text.trim() === "") return [];
  const named =
    cutText(title.trim(), limits.promptTitleCharacters) || cutText(text.trim(), limits.promptTitleCharacters);
  return [
    {
      id,
      title: named,
      text: cutText(text, limits.promptCharacters),
      is_shared: false,
      created_at: isoTime(createdAtMs),
      updated_at: isoTime(updatedAtMs),
    },
  ];
}
