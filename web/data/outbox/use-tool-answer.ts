import { useSyncExternalStore } from "react";
import type { OutgoingToolAnswer, ToolAnswer } from "./tool-answers.ts";
import { useServices } from "../provider.tsx";

/** The answer that this browser has given to a waiting tool call, if any, and the function that gives it. */
export function useToolAnswer(
  runId: string,
  toolCallId: string,
): {
  given: OutgoingToolAnswer | undefined;
  /** `toolCallIds`: the calls that get the answer. Default: this one. */
  give: (answer: ToolAnswer, toolCallIds?: readonly string[]) => void;
} {
  const { toolAnswers } = useServices();
  const given = useSyncExternalStore(toolAnswers.all.subscribe, () =>
    toolAnswers.all.get().find((answer) => answer.runId === runId && answer.toolCallId === toolCallId),
  );
  return {
    given,
    give(said, toolCallIds = [toolCallId]) {
      for (const id of toolCallIds) toolAnswers.give({ runId, toolCallId: id, said });
    },
  };
}
