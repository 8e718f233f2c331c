import { useSyncExternalStore } from "react";
import type { OutgoingAnswer, Said } from "./tool-answers.ts";
import { useServices } from "../provider.tsx";

/** What this browser has said to a tool call that waits, and how to say it. */
export function useAnswer(
  runId: string,
  toolCallId: string,
): { given: OutgoingAnswer | undefined; give: (said: Said) => void } {
  const { answers } = useServices();
  const given = useSyncExternalStore(answers.all.subscribe, () =>
    answers.all.get().find((out) => out.runId === runId && out.toolCallId === toolCallId),
  );
  return { given, give: (said) => answers.give({ runId, toolCallId, said }) };
}
