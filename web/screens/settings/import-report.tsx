import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import type { ImportedThread, SkippedContent } from "#contract/endpoints/imports.ts";
import type { ImportProgress, ImportState } from "#web/data/transfer/import-state.ts";
import { failureOfCode, translateFailure } from "#web/data/failure.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./import-report.module.css";

type Ended = Extract<ImportState, { state: "done" | "stopped" | "failed" | "previewed" }>;

/** The result of an import: the counts, the imported threads, and why others were not imported. */
export function ImportReport({ state }: { state: Ended }) {
  const { counts, imported, refused, skipped, inTrash } = state;
  const lines = linesOf(state);
  return (
    <>
      <p dir="auto" data-tone={state.state === "failed" ? "danger" : undefined}>
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
      {state.state !== "previewed" && <ImportedThreads {...imported} />}
      <Reasons
        summary={t("data.refusedWhy", { count: counts.refused })}
        count={counts.refused}
        problems={refused.map(({ title, number, error }) => ({
          name: titleOf({ title, number }),
          error,
        }))}
      />
      <MissingFiles {...state} />
      <DetailsList
        summary={t("data.skippedWhich", { count: counts.skipped_items })}
        count={skipped.length}
        listed={skipped.length}
      >
        {skipped.map(({ reason, name, count, thread }, index) => (
          <li key={index}>
            <bdi className="ink bold">{titleOf(thread)}</bdi> {skippedText({ reason, name, count })}
          </li>
        ))}
      </DetailsList>
      <DetailsList summary={t("data.leftOut")} count={state.leftOut.length} listed={state.leftOut.length}>
        {state.leftOut.map((each) => (
          <li key={each.name}>{skippedText(each)}</li>
        ))}
      </DetailsList>
      <DetailsList
        summary={t("data.unused", { count: state.unused_files })}
        count={state.unused_files}
        listed={state.unused.length}
      >
        {state.unused.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </DetailsList>
    </>
  );
}

function skippedText({ reason, name, count }: SkippedContent): string {
  if (reason === "hidden") return t("data.skippedHidden", { count });
  return t(reason === "not-yet" ? "data.skippedNotYet" : "data.skippedUnknown", { count, kind: name });
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
          <bdi className="ink bold">{name}</bdi> {error !== null && <Reason error={error} />}
        </li>
      ))}
    </DetailsList>
  );
}

/** The missing files, by reason. */
function MissingFiles({ counts, missing, missingReasons }: ImportProgress) {
  const codes = [...new Set(missing.map(({ error }) => error.code))];
  return (
    <DetailsList
      summary={t("data.missingWhy", { count: counts.missing_files })}
      count={codes.length}
      listed={codes.length}
    >
      {codes.map((code) => {
        const files = missing.filter(({ error }) => error.code === code);
        const more = (missingReasons[code] ?? files.length) - files.length;
        return (
          <li key={code}>
            <Reason error={files[0]!.error} />
            <ul>
              {files.map(({ name, thread }, index) => (
                <li key={index}>
                  <bdi className="ink bold">{name}</bdi>
                  <bdi className={styles["thread"]}>{titleOf(thread)}</bdi>
                </li>
              ))}
            </ul>
            {more > 0 && <p>{t("data.refusedMore", { count: more })}</p>}
          </li>
        );
      })}
    </DetailsList>
  );
}

function titleOf({ title, number }: Pick<ImportedThread, "title" | "number">): string {
  return title ?? t("data.refusedThread", { number });
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
  if (state.state === "previewed") return t("data.previewed", { name: state.name });
  return t(state.read === 0 ? "data.doneNone" : "data.done", { name: state.name });
}

function linesOf(state: Ended): string[] {
  const { counts, prompts, refused_prompts: refusedPrompts } = state;
  const isPreview = state.state === "previewed";
  const { added, updated, unchanged, refused, messages, files } = counts;
  const { missing_files: missing, skipped_items: skipped } = counts;
  return [
    ...(added === 0 ? [] : [t(isPreview ? "data.willAdd" : "data.added", { count: added })]),
    ...(messages === 0 ? [] : [t("data.messages", { count: messages })]),
    ...(files === 0 ? [] : [t("data.files", { count: files })]),
    ...(missing === 0 ? [] : [t("data.missing", { count: missing })]),
    ...(skipped === 0 ? [] : [t("data.skipped", { count: skipped })]),
    ...(updated === 0 ? [] : [t(isPreview ? "data.willUpdate" : "data.updated", { count: updated })]),
    ...(unchanged === 0 ? [] : [t("data.unchanged", { count: unchanged })]),
    ...(prompts === 0 ? [] : [t(isPreview ? "data.willAddPrompts" : "data.prompts", { count: prompts })]),
    ...(refusedPrompts === 0 ? [] : [t("data.refusedPrompts", { count: refusedPrompts })]),
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
