import { useRef } from "react";
import { useAuiState } from "@assistant-ui/react";
import type { PartOf } from "#contract/parts/kinds.ts";

/** The sources of the current message; the same list until it changes, also while text is added to the message. */
export function useSources(): readonly PartOf<"source">[] {
  const count = useAuiState((s) => s.message.parts.filter((part) => part.type === "source").length);
  const parts = useAuiState((s) => (count === 0 ? undefined : s.message.parts));
  const last = useRef<readonly PartOf<"source">[]>([]);
  const sources = (parts ?? []).filter((part) => part.type === "source") as unknown as PartOf<"source">[];
  if (sources.length !== last.current.length || sources.some((source, i) => source !== last.current[i]))
    last.current = sources;
  return last.current;
}
