import { type ReactNode, useState } from "react";
import { Link } from "@tanstack/react-router";
import type { Score } from "#contract/endpoints/scores.ts";
import { useAppScores } from "#web/data/console/console.ts";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { reasonKeys, reasons } from "#web/thread/feedback/reason-keys.ts";
import { printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { asCode, Mark, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import styles from "./console.module.css";

const kinds = ["feedback", "all"] as const;
type Kind = (typeof kinds)[number];

/** Thumbs of people, and all scores, newest first. */
export function ScoresView({ appId }: { appId: string }) {
  const [kind, setKind] = useState<Kind>("feedback");
  const list = useAppScores(appId, kind === "feedback" ? { name: "feedback" } : {});
  return (
    <>
      <div className={styles["filters"]}>
        <RadioGroup<Kind>
          legend={t("console.shown")}
          value={kind}
          onChange={setKind}
          options={kinds.map((value) => ({ value, label: t(`scoreKind.${value}`) }))}
        />
      </div>
      <Rows
        list={list}
        rows={list.scores}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t(kind === "feedback" ? "console.noFeedback" : "console.noScores")]}
      >
        {(score) => <ScoreRow appId={appId} score={score} />}
      </Rows>
    </>
  );
}

/** The name of a score and its value, or a thumb with its reason, and the comment. */
export function ScoreRow({ appId, score }: { appId: string; score: Score }) {
  const { name, data_type: type, value, string_value: text } = score;
  const isThumb = name === "feedback" && type === "boolean";
  const reason = isThumb ? reasons.find((each) => each === text) : undefined;
  const mark = isThumb
    ? reason && t(reasonKeys[reason])
    : (text ?? (value === null ? "" : printNumber(value)));
  return (
    <Row
      name={isThumb ? t(value === 1 ? "console.good" : "console.bad") : name}
      mark={
        <>
          {mark !== undefined && (
            <Mark>
              <bdi>{mark}</bdi>
            </Mark>
          )}
          {score.comment !== null && (
            <span dir="auto" className={styles["comment"]}>
              {score.comment}
            </span>
          )}
        </>
      }
      facts={[
        asCode(score.author_id),
        printRecent(new Date(score.updated_at), new Date()),
        linkToTarget(appId, score),
      ]}
    />
  );
}

function linkToTarget(appId: string, { run_id: runId, thread_id: threadId }: Score): ReactNode {
  const itemId = runId ?? threadId;
  if (itemId === null) return undefined;
  const view = runId === null ? "threads" : "runs";
  return (
    <Link to="/admin/apps/$appId/$view/$itemId" params={{ appId, view, itemId }} className={styles["inText"]}>
      {t(runId === null ? "console.openThread" : "console.openRun")}
    </Link>
  );
}
