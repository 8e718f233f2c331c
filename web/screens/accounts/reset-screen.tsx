import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useServices } from "#web/data/provider.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { NoticePage, Page } from "../page.tsx";
import { AccountForm, codeIn } from "./account-form.tsx";
import { useSecretOfLink } from "./secret-of-link.ts";
import styles from "./accounts.module.css";

/** `/reset#token`: sets a new password with a link from an administrator or an e-mail. */
export function ResetScreen() {
  const token = useSecretOfLink();
  const { session } = useServices();
  const navigate = useNavigate();
  const [isRemovingOthers, setRemovingOthers] = useState(false);
  if (token === undefined)
    return (
      <NoticePage>
        <Notice
          level="h1"
          tone="danger"
          title={t("account.resetFailed")}
          text={t("account.linkIncomplete")}
        />
      </NoticePage>
    );
  return (
    <Page title={t("account.reset")}>
      <p className={styles["about"]}>{t("account.resetWhat")}</p>
      <div className={styles["choice"]}>
        <CheckField
          label={t("account.resetRemoves")}
          hint={t("account.resetRemovesHint")}
          checked={isRemovingOthers}
          onChange={setRemovingOthers}
        />
      </div>
      <AccountForm
        fields={["newPassword"]}
        submitLabel={t("account.setPassword")}
        onSubmit={async ({ newPassword, code }) => {
          const body = {
            token,
            password: newPassword,
            ...codeIn(code),
            removes_other_methods: isRemovingOthers,
          };
          await session.signInWith("accounts.resetPassword", body);
          await navigate({ to: "/", replace: true });
        }}
      />
    </Page>
  );
}
