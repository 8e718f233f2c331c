import { useEffect, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import Play from "lucide-react/icons/play";
import { serviceNowMs } from "#web/data/session/service-clock.ts";
import type { MessageFacts } from "#web/data/threads/message-facts.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { printDuration, t } from "#web/i18n/translate.ts";
import { endingAction, endingText } from "./ending-text.ts";
import { FailureNotice } from "./failure-notice.tsx";

/** Why an answer is incomplete, with an action to continue or retry. */
export function Ending({ reply, isEmpty }: { reply: MessageFacts | undefined; isEmpty: boolean }) {
  const aui = useAui();
  const { continueRun } = useOpenThread();
  const isBusy = useAuiState((s) => s.thread.isRunning);
  const waitSeconds = useSecondsUntil(reply?.retryAt);
  const text = reply && endingText(reply);
  if (text === undefined || reply?.status.type !== "incomplete") return null;
  const { runId, status, failure } = reply;
  const goOn = () => void continueRun(runId!).catch(showFailure);
  const offered = endingAction(reply, isEmpty);
  const action =
    offered === "continue"
      ? { label: t("reply.continue"), icon: Play, run: goOn }
      : { label: t("action.retry"), run: () => aui.message.reload() };
  const wait =
    waitSeconds === 0
      ? {}
      : {
          isDisabled: true,
          label: t("reply.tryAgainIn", { duration: printDuration(waitSeconds * 1000, true) }),
        };
  const hasFailed = status.reason === "error" || status.reason === null;
  return (
    <FailureNotice
      tone={hasFailed ? "danger" : "quiet"}
      text={text}
      requestId={hasFailed ? failure?.requestId : undefined}
      action={isBusy || offered === undefined ? undefined : { ...action, ...wait }}
    />
  );
}

/** The whole seconds until a time of the server's clock, in milliseconds since 1970; 0 from then on. */
function useSecondsUntil(atMs: number | undefined): number {
  const [seconds, setSeconds] = useState(() => secondsUntil(atMs));
  useEffect(() => {
    setSeconds(secondsUntil(atMs));
    if (secondsUntil(atMs) === 0) return undefined;
    const timer = setInterval(() => {
      setSeconds(secondsUntil(atMs));
      if (secondsUntil(atMs) === 0) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [atMs]);
  return seconds;
}

function secondsUntil(atMs: number | undefined): number {
  return atMs === undefined ? 0 : Math.max(0, Math.ceil((atMs - serviceNowMs()) / 1000));
}
