import { useAui, useAuiState } from "@assistant-ui/react";
import { useModels } from "#web/data/assistants/models.ts";
import { useSuggestions } from "#web/data/suggestions.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./suggested-questions.module.css";

/** Questions below the newest answer, while nothing is written in the composer. Pressing one sends it. */
export function SuggestedQuestions() {
  const [isWanted] = usePreference("suggestions");
  const { suggestions: areOffered } = useModels();
  const { access } = useOpenThread();
  return isWanted && areOffered && access === "owner" ? <OfferedSuggestions /> : null;
}

function OfferedSuggestions() {
  const aui = useAui();
  const { threadId, isComparing, queue } = useOpenThread();
  const messageId = useAuiState((s) => {
    const last = s.thread.messages.at(-1);
    const isFree = !s.thread.isRunning && !s.thread.isDisabled && s.thread.composer.isEmpty;
    return isFree && last?.role === "assistant" ? last.id : undefined;
  });
  const reply = useMessageFacts(messageId ?? "");
  const isComplete = reply?.status.type === "complete" && reply.sendState === "stored";
  const runId = !isComparing && queue.length === 0 && isComplete ? reply.runId : undefined;
  const texts = useSuggestions(
    threadId,
    messageId === undefined || runId === undefined ? undefined : { messageId, runId },
  );
  if (texts.length === 0) return null;
  return (
    <ul aria-label={t("suggestions.label")} className={styles["suggestions"]}>
      {texts.map((text) => (
        <li key={text}>
          <button
            type="button"
            dir="auto"
            className={styles["suggestion"]}
            onClick={() => aui.thread.append(text)}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
