import { useMemo } from "react";
import { useAuiState } from "@assistant-ui/react";
import type { PartOf } from "#contract/parts/kinds.ts";

const none: readonly PartOf<"source">[] = [];

/** The sources of the current message. */
export function useSources(): readonly PartOf<"source">[] {
  const count = useAuiState((s) => s.message.parts.filter((part) => part.type === "source").length);
  const parts = useAuiState((s) => (count === 0 ? undefined : s.message.parts));
  return useMemo(
    () =>
      parts === undefined
        ? none
        : (parts.filter((part) => part.type === "source") as unknown as PartOf<"source">[]),
    [parts],
  );
}
