import type { ImportedThread } from "#contract/imports.ts";
import type { ImportProgress, ImportState } from "#web/data/import-state.ts";
import { failureOfCode, inWords } from "#web/data/failure.ts";
import { t } from "#web/words/words.ts";
import styles from "./data-section.module.css";

type Ended = Extract<ImportState, { state: "done" | "stopped" | "failed" }>;

/** What became of an import: how many threads, and why some were not taken. */
export function ImportReport({ state }: { state: Ended }) {
  const { counts, refused } = state;
  const lines = linesOf(state);
  return (
    <>
      <p dir="auto" data-tone={state.state === "failed" ? "loss" : undefined}>
        {headOf(state)}
      </p>
      {lines.length > 0 && (
        <ul className={styles["counts"]}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <details className={styles["refused"]}>
          <summary>{t("data.refusedWhy", { count: counts.refused })}</summary>
          <ul>
            {refused.map((thread) => (
              <li key={thread.number}>
                <bdi className={styles["refusedName"]}>
                  {thread.title ?? t("data.refusedThread", { number: thread.number })}
                </bdi>{" "}
                {thread.error !== null && <Reason error={thread.error} />}
              </li>
            ))}
          </ul>
          {counts.refused > refused.length && (
            <p>{t("data.refusedMore", { count: counts.refused - refused.length })}</p>
          )}
        </details>
      )}
    </>
  );
}

function headOf(state: Ended): string {
  if (state.state === "failed") return inWords(state.failure).message;
  if (state.state === "stopped") return t("data.stopped");
  return t(state.read === 0 ? "data.doneNone" : "data.done", { name: state.name });
}

function linesOf({ counts }: ImportProgress): string[] {
  const { added, updated, unchanged, refused, messages } = counts;
  return [
    ...(added === 0 ? [] : [t("data.added", { count: added })]),
    ...(messages === 0 ? [] : [t("data.messages", { count: messages })]),
    ...(updated === 0 ? [] : [t("data.updated", { count: updated })]),
    ...(unchanged === 0 ? [] : [t("data.unchanged", { count: unchanged })]),
    ...(refused === 0 ? [] : [t("data.refused", { count: refused })]),
  ];
}

/** The field that is wrong is named as the file names it, in English. */
function Reason({ error }: { error: NonNullable<ImportedThread["error"]> }) {
  const [detail] = error.details ?? [];
  return (
    <>
      {failureOfCode(error.code, error.message).message}
      {detail !== undefined && (
        <>
          {" "}
          <bdi>{`${detail.path}: ${detail.message}.`}</bdi>
        </>
      )}
    </>
  );
}
