import { Link } from "@tanstack/react-router";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useCan } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./connect-model.module.css";

/** How to connect a language model, in a new chat of an administrator if there is none. */
export function ConnectModel({ models }: { models: readonly ModelInfo[] }) {
  const isAllowed = useCan("models.manage");
  if (isAllowed !== true || models.length === 0) return null;
  if (models.some(({ provider }) => provider !== "builtin")) return null;
  return (
    <aside className={styles["card"]}>
      <p className="bold">{t("connect.title")}</p>
      <p className={styles["text"]}>{t("connect.text")}</p>
      <Link to="/settings/$page" params={{ page: "models" }} className={styles["link"]}>
        {t("connect.do")}
      </Link>
    </aside>
  );
}
