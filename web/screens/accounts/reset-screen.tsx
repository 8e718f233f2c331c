import { useNavigate } from "@tanstack/react-router";
import { useServices } from "#web/data/provider.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { NoticePage, Page } from "../page.tsx";
import { AccountForm } from "./account-form.tsx";
import { useSecretOfLink } from "./secret-of-link.ts";
import styles from "./accounts.module.css";

/** `/reset#token`: sets a new password with a link from an administrator. */
export function ResetScreen() {
  const token = useSecretOfLink();
  const { session } = useServices();
  const navigate = useNavigate();
  if (token === undefined)
    return (
      <NoticePage>
        <Notice level="h1" tone="loss" title={t("account.resetFailed")} text={t("account.linkIncomplete")} />
      </NoticePage>
    );
  return (
    <Page title={t("account.reset")}>
      <p className={styles["about"]}>{t("account.resetWhat")}</p>
      <AccountForm
        fields={["newPassword"]}
        submitLabel={t("account.setPassword")}
        onSubmit={async ({ newPassword }) => {
          await session.signInWith("accounts.resetPassword", { token, password: newPassword });
          await navigate({ to: "/", replace: true });
        }}
      />
    </Page>
  );
}
