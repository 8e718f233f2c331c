import { Link } from "@tanstack/react-router";
import { useCan } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { OwnBudget } from "./own-budget.tsx";
import { UsageSection } from "./usage-section.tsx";
import styles from "./usage-page.module.css";

/** `/settings/usage`: the person's own usage, with a link to everyone's for administrators. */
export function UsagePage() {
  return (
    <Page title={t("usage.title")}>
      <OwnBudget />
      <UsageSection />
      {useCan("usage.read") === true && (
        <p className={styles["everyone"]}>
          <Link to="/admin/$page" params={{ page: "usage" }}>
            {t("usage.ofEveryone")}
          </Link>
        </p>
      )}
    </Page>
  );
}
