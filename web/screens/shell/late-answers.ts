import { useEffect } from "react";
import { translateFailure } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { showToast } from "#web/ui/toast.tsx";

/** The card that asked goes when somebody else was faster, and the refusal would go with it. */
const goneWithTheCard = new Set(["call-answered", "call-not-waiting", "call-not-found", "run-ended"]);

/** Says that an answer of this browser's came too late: something else may have been done than it said. */
export function useLateAnswers(): void {
  const { toolAnswers } = useServices();
  useEffect(() => {
    const told = new Set(toolAnswers.all.get());
    return toolAnswers.all.subscribe(() => {
      for (const out of toolAnswers.all.get()) {
        if (told.has(out) || out.state !== "failed" || out.failure === undefined) continue;
        told.add(out);
        if (goneWithTheCard.has(out.failure.code))
          showToast(translateFailure(out.failure).message, { tone: "loss" });
      }
    });
  }, [toolAnswers]);
}
