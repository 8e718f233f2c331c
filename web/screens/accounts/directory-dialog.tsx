import { useState } from "react";
import type { SignInOptions } from "#contract/endpoints/accounts.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { t } from "#web/i18n/translate.ts";
import dialogStyles from "../dialog.module.css";
import { AccountForm, codeIn } from "./account-form.tsx";
import styles from "./accounts.module.css";

/** Asks for the user name and password in a directory, and signs in with them, or connects the account to it. */
export function DirectoryDialog({
  provider: { id, name },
  request,
  onDone,
  onClose,
}: {
  provider: SignInOptions["providers"][number];
  request?: { invitation?: string; connect?: true };
  /** Called when the person is signed in, or the account is connected. */
  onDone(): void;
  onClose(): void;
}) {
  const { session } = useServices();
  const [isWaiting, setWaiting] = useState(false);
  const title = t("account.continueWith", { name });
  return (
    <Dialog label={title} className={dialogStyles["dialog"]} onClose={onClose}>
      <h2 className={dialogStyles["title"]}>{title}</h2>
      {isWaiting ? (
        <>
          <p role="status" className={styles["about"]}>
            {t("account.waitingWhy")}
          </p>
          <Button onClick={onClose}>{t("action.close")}</Button>
        </>
      ) : (
        <AccountForm
          fields={["username", "password"]}
          submitLabel={t(request?.connect === true ? "account.connect" : "account.signIn")}
          onSubmit={async ({ username, password, code }) => {
            const body = { username, password, ...codeIn(code), ...request };
            const { status } = await session.signInWith("accounts.directorySignIn", body, { provider: id });
            if (status === "waiting") setWaiting(true);
            else onDone();
          }}
        >
          <Button look="plain" onClick={onClose}>
            {t("action.cancel")}
          </Button>
        </AccountForm>
      )}
    </Dialog>
  );
}
