import { useEffect } from "react";
import { translateFailure } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { showToast } from "#web/ui/toast.tsx";

/** Failures whose request card disappears, because the call was answered elsewhere or its run ended. */
const failuresWithoutCard = new Set(["call-answered", "call-not-waiting", "call-not-found", "run-ended"]);

/** Shows a toast when an answer to a tool call came too late, because its card cannot show the failure. */
export function useLateAnswers(): void {
  const { toolAnswers } = useServices();
  useEffect(() => {
    const reported = new Set(toolAnswers.all.get());
    return toolAnswers.all.subscribe(() => {
      for (const answer of toolAnswers.all.get()) {
        if (reported.has(answer) || answer.state !== "failed" || answer.failure === undefined) continue;
        reported.add(answer);
        if (failuresWithoutCard.has(answer.failure.code))
          showToast(translateFailure(answer.failure).message, { tone: "danger" });
      }
    });
  }, [toolAnswers]);
}
