import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { printDuration, t } from "#web/i18n/translate.ts";
import { Disclosure } from "./disclosure.tsx";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

/** The model's reasoning, collapsed to a line with its duration, and with its latest words while it runs. */
export function ReasoningView({ part, isRunning }: PartProps<"reasoning">) {
  const durationMs = part.providerMetadata?.parlance?.durationMs;
  if (part.text === "" && !isRunning) return null;
  return (
    <Disclosure
      line={
        <>
          {isRunning && <RunningIndicator />}
          <span>{lineOf(isRunning, durationMs)}</span>
          {isRunning && (
            <span aria-hidden dir="auto" className={styles["latestThought"]}>
              <span>{latestThought(part.text)}</span>
            </span>
          )}
        </>
      }
    >
      <p dir="auto" className={styles["thoughts"]}>
        {part.text}
      </p>
    </Disclosure>
  );
}

function lineOf(isRunning: boolean, durationMs: number | undefined): string {
  if (isRunning) return t("reasoning.running");
  if (durationMs === undefined) return t("reasoning.doneUntimed");
  return t("reasoning.done", { duration: printDuration(durationMs, true) });
}

/** More characters than fit beside the label. */
const latestCharacters = 120;

/** The end of the last line with words. */
function latestThought(text: string): string {
  const line =
    text
      .trimEnd()
      .split("\n")
      .at(-1)
      ?.replaceAll(/[*#`]+/g, "")
      .trim() ?? "";
  return line.slice(-latestCharacters);
}
