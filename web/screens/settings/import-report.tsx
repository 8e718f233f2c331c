import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import type { ImportedThread } from "#contract/endpoints/imports.ts";
import type { ImportProgress, ImportState } from "#web/data/transfer/import-state.ts";
import { failureOfCode, translateFailure } from "#web/data/failure.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./import-report.module.css";

type Ended = Extract<ImportState, { state: "done" | "stopped" | "failed" }>;

/** The result of an import: the counts, the imported threads, and why others were not imported. */
export function ImportReport({ state }: { state: Ended }) {
  const { counts, imported, refused, missing, inTrash } = state;
  const lines = linesOf(state);
  return (
    <>
      <p dir="auto" data-tone={state.state === "failed" ? "loss" : undefined}>
        {summaryOf(state)}
      </p>
      {lines.length > 0 && (
        <ul className={styles["counts"]}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {inTrash > 0 && (
        <p>
          <Link to="/trash" className={styles["where"]}>
            {t("data.inTrash", { count: inTrash })}
          </Link>
        </p>
      )}
      <ImportedThreads {...imported} />
      <Reasons
        summary={t("data.refusedWhy", { count: counts.refused })}
        count={counts.refused}
        problems={refused.map(({ title, number, error }) => ({
          name: title ?? t("data.refusedThread", { number }),
          error,
        }))}
      />
      <Reasons
        summary={t("data.missingWhy", { count: counts.missing_files })}
        count={counts.missing_files}
        problems={missing}
      />
    </>
  );
}

/** Links to the imported threads. */
function ImportedThreads({ threads, count }: { threads: ImportedThread[]; count: number }) {
  return (
    <DetailsList summary={t("data.showImported", { count })} count={count} listed={threads.length}>
      {threads.map(({ thread_id: threadId, title }) => (
        <li key={threadId}>
          <Link
            to="/t/$threadId"
            params={{ threadId: threadId ?? "" }}
            dir="auto"
            className={styles["where"]}
          >
            {title ?? t("thread.untitled")}
          </Link>
        </li>
      ))}
    </DetailsList>
  );
}

type Problem = { name: string; error: ImportedThread["error"] };

/** What was not imported, and why. `count` is the total. */
function Reasons({ summary, count, problems }: { summary: string; count: number; problems: Problem[] }) {
  return (
    <DetailsList summary={summary} count={count} listed={problems.length}>
      {problems.map(({ name, error }, index) => (
        <li key={index}>
          <bdi className={styles["name"]}>{name}</bdi> {error !== null && <Reason error={error} />}
        </li>
      ))}
    </DetailsList>
  );
}

/** An expandable list with `listed` of `count` rows. */
function DetailsList({
  summary,
  count,
  listed,
  children,
}: {
  summary: string;
  count: number;
  listed: number;
  children: ReactNode;
}) {
  if (listed === 0) return null;
  return (
    <details className={styles["folded"]}>
      <summary>{summary}</summary>
      <ul>{children}</ul>
      {count > listed && <p>{t("data.refusedMore", { count: count - listed })}</p>}
    </details>
  );
}

function summaryOf(state: Ended): string {
  if (state.state === "failed") return translateFailure(state.failure).message;
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

/** Why a thread was not imported. The name of the invalid field is the one in the file, in English. */
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
