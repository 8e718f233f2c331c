import { useAuiState } from "@assistant-ui/react";
import { Link } from "@tanstack/react-router";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useCan } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./connect-model.module.css";

/** How to connect a language model, in a new chat of an administrator if there is none. */
export function ConnectModel({ models }: { models: readonly ModelInfo[] }) {
  if (!useCanConnect(models)) return null;
  return (
    <aside className={styles["card"]}>
      <p className="bold">{t("connect.title")}</p>
      <p className={styles["text"]}>{t("connect.text")}</p>
      <ConnectLink />
    </aside>
  );
}

/** Below the newest answer while only the built-in assistant answers, for those who can connect a model. */
export function ConnectBelowAnswer() {
  const canConnect = useCanConnect(useModels().models);
  const isAnswered = useAuiState(
    ({ thread }) => !thread.isRunning && thread.messages.at(-1)?.role === "assistant",
  );
  return canConnect && isAnswered ? (
    <p>
      <ConnectLink />
    </p>
  ) : null;
}

function ConnectLink() {
  return (
    <Link to="/settings/$page" params={{ page: "models" }} className={styles["link"]}>
      {t("connect.do")}
    </Link>
  );
}

/** Whether no language model is connected, and this person can connect one. */
function useCanConnect(models: readonly ModelInfo[]): boolean {
  const isAllowed = useCan("models.manage");
  return isAllowed === true && models.length > 0 && models.every(({ provider }) => provider === "builtin");
}
