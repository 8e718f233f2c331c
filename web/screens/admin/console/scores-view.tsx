import { useState } from "react";
import { Link } from "@tanstack/react-router";
import type { Score } from "#contract/endpoints/scores.ts";
import { useAppScores } from "#web/data/console/console.ts";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { reasonKeys, reasons } from "#web/thread/feedback/reason-keys.ts";
import { printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../../list-content.tsx";
import screenStyles from "../../screen.module.css";
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
      <ListContent
        list={list}
        isEmpty={list.scores.length === 0}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t(kind === "feedback" ? "console.noFeedback" : "console.noScores")]}
      >
        <ScoreList appId={appId} scores={list.scores} />
        <MoreButton list={list} />
      </ListContent>
    </>
  );
}

export function ScoreList({ appId, scores }: { appId: string; scores: readonly Score[] }) {
  return (
    <ul className={screenStyles["list"]}>
      {scores.map((score) => (
        <li key={score.id} className={screenStyles["row"]}>
          <span className={screenStyles["words"]}>
            <ScoreValue score={score} />
            {score.comment !== null && (
              <span dir="auto" className={styles["comment"]}>
                {score.comment}
              </span>
            )}
            <span className={screenStyles["facts"]}>
              <bdi dir="ltr">{score.author_id}</bdi>
              <span>{printRecent(new Date(score.updated_at), new Date())}</span>
              <ScoreTarget appId={appId} score={score} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function ScoreValue({ score }: { score: Score }) {
  const { name, data_type: type, value, string_value: text } = score;
  if (name === "feedback" && type === "boolean") {
    const reason = reasons.find((each) => each === text);
    return (
      <>
        <span className={screenStyles["name"]}>{t(value === 1 ? "console.good" : "console.bad")}</span>
        {reason !== undefined && <span className={screenStyles["mark"]}>{t(reasonKeys[reason])}</span>}
      </>
    );
  }
  return (
    <>
      <bdi className={screenStyles["name"]}>{name}</bdi>
      <bdi className={screenStyles["mark"]}>{text ?? (value === null ? "" : printNumber(value))}</bdi>
    </>
  );
}

function ScoreTarget({ appId, score }: { appId: string; score: Score }) {
  const { run_id: runId, thread_id: threadId } = score;
  const itemId = runId ?? threadId;
  if (itemId === null) return null;
  const view = runId === null ? "threads" : "runs";
  return (
    <Link to="/admin/apps/$appId/$view/$itemId" params={{ appId, view, itemId }} className={styles["inText"]}>
      {t(runId === null ? "console.openThread" : "console.openRun")}
    </Link>
  );
}
