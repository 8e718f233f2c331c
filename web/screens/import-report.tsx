import type { ImportedThread } from "#contract/imports.ts";
import type { ImportProgress, ImportState } from "#web/data/import-state.ts";
import { failureOfCode, inWords } from "#web/data/failure.ts";
import { t } from "#web/words/words.ts";
import styles from "./data-section.module.css";

type Ended = Extract<ImportState, { state: "done" | "stopped" | "failed" }>;

/** What became of an import: how many threads, and why some were not taken. */
export function ImportReport({ state }: { state: Ended }) {
  const { counts, refused, missing } = state;
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
      <Reasons
        summary={t("data.refusedWhy", { count: counts.refused })}
        count={counts.refused}
        told={refused.map(({ title, number, error }) => ({
          name: title ?? t("data.refusedThread", { number }),
          error,
        }))}
      />
      <Reasons
        summary={t("data.missingWhy", { count: counts.missing_files })}
        count={counts.missing_files}
        told={missing}
      />
    </>
  );
}

type Told = { name: string; error: ImportedThread["error"] };

/** What did not come, `count` in all, and why. */
function Reasons({ summary, count, told }: { summary: string; count: number; told: Told[] }) {
  if (told.length === 0) return null;
  return (
    <details className={styles["refused"]}>
      <summary>{summary}</summary>
      <ul>
        {told.map(({ name, error }, index) => (
          <li key={index}>
            <bdi className={styles["refusedName"]}>{name}</bdi> {error !== null && <Reason error={error} />}
          </li>
        ))}
      </ul>
      {count > told.length && <p>{t("data.refusedMore", { count: count - told.length })}</p>}
    </details>
  );
}

function headOf(state: Ended): string {
  if (state.state === "failed") return inWords(state.failure).message;
  if (state.state === "stopped") return t("data.stopped");
  return t(state.read === 0 ? "data.doneNone" : "data.done", { name: state.name });
}

function linesOf({ counts }: ImportProgress): string[] {
  const { added, updated, unchanged, refused, messages, files, missing_files: missing } = counts;
  return [
    ...(added === 0 ? [] : [t("data.added", { count: added })]),
    ...(messages === 0 ? [] : [t("data.messages", { count: messages })]),
    ...(files === 0 ? [] : [t("data.files", { count: files })]),
    ...(missing === 0 ? [] : [t("data.missing", { count: missing })]),
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
