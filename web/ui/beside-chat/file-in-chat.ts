import type { ThreadMessage } from "@assistant-ui/react";
import { fileIdOf } from "#web/data/library/own-file.ts";

type Part = ThreadMessage["content"][number];

/** The first part of the messages that has this stored file. */
export function partWithFile(
  messages: readonly { readonly parts: readonly Part[] }[],
  fileId: string,
): Extract<Part, { type: "file" | "image" }> | undefined {
  for (const { parts } of messages)
    for (const part of parts)
      if (
        (part.type === "file" && fileIdOf(part.data) === fileId) ||
        (part.type === "image" && fileIdOf(part.image) === fileId)
      )
        return part;
  return undefined;
}
