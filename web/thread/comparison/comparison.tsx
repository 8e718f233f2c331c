import { useMemo, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import Check from "lucide-react/icons/check";
import Square from "lucide-react/icons/square";
import { focusComposer } from "#web/composer/focus-composer.ts";
import type { Comparison } from "#contract/endpoints/comparisons.ts";
import { modelName, useModels } from "#web/data/assistants/models.ts";
import { useComparedAnswer, useComparison } from "#web/data/threads/comparisons.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { Sources } from "#web/parts/source.tsx";
import { AnswerRuntime } from "#web/runtime/answer-runtime.tsx";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { touchOnly } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import { ArtifactOpenerProvider } from "../artifact-opener.tsx";
import { Waiting } from "../waiting.tsx";
import { endingText } from "../ending-text.ts";
import { useIsAnswerEmpty } from "../is-answer-empty.ts";
import { MessageParts } from "../message-content.tsx";
import { SourceMarksProvider } from "../sources/source-marks-provider.tsx";
import { useSources } from "../sources/sources.ts";
import styles from "./comparison.module.css";

/** The answers of several models side by side, until one of them is chosen. */
export function ComparisonView({ id }: { id: string }) {
  const { threadId } = useOpenThread();
  const { comparison, state, failure, retry } = useComparison(threadId, id);
  if (comparison === undefined)
    return state === "failed" ? (
      <p role="alert" className="text-3 danger">
        {failure?.message} <Button onClick={retry}>{t("action.retry")}</Button>
      </p>
    ) : (
      <Waiting />
    );
  return (
    <section aria-label={t("compare.region")} className={styles["comparison"]}>
      <p className={styles["hint"]}>{t("compare.chooseHint")}</p>
      <div className={styles["answers"]} data-count={comparison.answers.length}>
        {comparison.answers.map((answer, index) => (
          <Answer key={answer.reply_id} comparison={comparison} index={index} />
        ))}
      </div>
    </section>
  );
}

function Answer({ comparison, index }: { comparison: Comparison; index: number }) {
  const answer = comparison.answers[index]!;
  const { models } = useModels();
  const visible = useComparedAnswer(comparison.thread_id, answer);
  const name =
    modelName(answer.model, models) ?? t("compare.answer", { letter: String.fromCodePoint(65 + index) });
  return (
    <article aria-label={name} className={styles["answer"]}>
      <h3 className={styles["name"]}>
        <bdi>{name}</bdi>
      </h3>
      {visible === undefined ? (
        <Waiting />
      ) : (
        <Shown visible={visible} comparisonId={comparison.id} runId={answer.run_id} name={name} />
      )}
    </article>
  );
}

function Shown({
  visible: { row, live },
  comparisonId,
  runId,
  name,
}: {
  visible: VisibleMessage;
  comparisonId: string;
  runId: string;
  name: string;
}) {
  // Keeps the same object while its parts are the same.
  const answer = useMemo(() => ({ row, live, outboxEntry: undefined }), [row, live]);
  return (
    <AnswerRuntime answer={answer}>
      <Content />
      <Actions comparisonId={comparisonId} runId={runId} name={name} />
    </AnswerRuntime>
  );
}

function Content() {
  const isEmpty = useIsAnswerEmpty();
  const id = useAuiState((s) => s.message.id);
  const reply = useMessageFacts(id);
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const sources = useSources();
  const ending = reply === undefined || isRunning ? undefined : endingText(reply);
  return (
    <div aria-busy={isRunning} className="grow shrink anywhere">
      <SourceMarksProvider messageId={id} sources={sources}>
        <ArtifactOpenerProvider messageId={id}>
          <MessageParts role="assistant" />
        </ArtifactOpenerProvider>
        {isRunning && isEmpty && <Waiting />}
        <Sources sources={sources} />
      </SourceMarksProvider>
      {ending !== undefined && <p className={styles["ending"]}>{ending}</p>}
    </div>
  );
}

/** The button is gone. On touch screens, the field would open the keyboard; in a dialog, the person went on meanwhile. */
function focusField(): void {
  if (document.querySelector("dialog[open]") === null && !matchMedia(touchOnly).matches) focusComposer();
}

function Actions({ comparisonId, runId, name }: { comparisonId: string; runId: string; name: string }) {
  const { chooseAnswer, stopRun } = useOpenThread();
  const id = useAuiState((s) => s.message.id);
  const isRunning = useAuiState((s) => s.message.status?.type === "running");
  const isEmpty = useIsAnswerEmpty();
  const [isChoosing, setChoosing] = useState(false);
  const choose = () => {
    setChoosing(true);
    chooseAnswer(comparisonId, id)
      .then(focusField, showFailure)
      .finally(() => setChoosing(false));
  };
  return (
    <div className={styles["actions"]}>
      <Button
        icon={Check}
        disabled={isEmpty || isChoosing}
        aria-label={t("compare.chooseNamed", { name })}
        onClick={choose}
      >
        {t("compare.choose")}
      </Button>
      {isRunning && (
        <Button
          look="plain"
          icon={Square}
          aria-label={t("compare.stopNamed", { name })}
          onClick={() => void stopRun(runId).catch(showFailure)}
        >
          {t("action.stop")}
        </Button>
      )}
    </div>
  );
}
