import { Pulse } from "#web/ui/pulse.tsx";
import { printDuration, t } from "#web/i18n/translate.ts";
import { Fold } from "./disclosure.tsx";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

/** What the model thought, folded to one line that says for how long. */
export function ReasoningView({ part, isRunning }: PartProps<"reasoning">) {
  const durationMs = part.providerMetadata?.parlance?.durationMs;
  if (part.text === "" && !isRunning) return null;
  return (
    <Fold
      line={
        <>
          {isRunning && <Pulse />}
          <span>{lineOf(isRunning, durationMs)}</span>
        </>
      }
    >
      <p dir="auto" className={styles["thoughts"]}>
        {part.text}
      </p>
    </Fold>
  );
}

function lineOf(isRunning: boolean, durationMs: number | undefined): string {
  if (isRunning) return t("reasoning.running");
  if (durationMs === undefined) return t("reasoning.doneUntimed");
  return t("reasoning.done", { duration: printDuration(durationMs, true) });
}
