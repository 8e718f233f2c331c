import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { type Failure, failureOf } from "#web/data/failure.ts";
import { useContinueShare } from "#web/data/shares/shares.ts";
import { Notice } from "#web/ui/notice.tsx";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import { NoticePage } from "../page.tsx";
import { useTitle } from "../shell/title.ts";
import styles from "../owner-screen.module.css";

/** `/continue#token`: copies a shared thread into the visitor's own threads, when they ask for it, and opens the copy. */
export function ContinueScreen() {
  useTitle(t("share.continue"));
  const [secret] = useState(() => location.hash.slice(1));
  const [failure, setFailure] = useState<Failure>();
  const copy = useContinueShare();
  const navigate = useNavigate();
  const [isCopying, setIsCopying] = useState(false);

  const start = async () => {
    setIsCopying(true);
    setFailure(undefined);
    try {
      const threadId = await copy(secret);
      await navigate({ to: "/t/$threadId", params: { threadId }, replace: true });
    } catch (error) {
      setFailure(failureOf(error));
      setIsCopying(false);
    }
  };

  return (
    <NoticePage>
      {isCopying && (
        <p role="status" className={styles["opening"]}>
          <RunningIndicator /> {t("share.continuing")}
        </p>
      )}
      {!isCopying && failure === undefined && (
        <Notice
          level="h1"
          title={t("share.continue")}
          text={t("share.continueAbout")}
          action={{ label: t("share.continueStart"), run: () => void start() }}
        />
      )}
      {failure !== undefined && (
        <Notice
          level="h1"
          tone="danger"
          title={t("share.continueFailed")}
          text={failure.message}
          {...(failure.retry ? { action: { label: t("action.retry"), run: () => void start() } } : {})}
        />
      )}
    </NoticePage>
  );
}
