import { useState } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { useSession } from "#web/data/session/session.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { AccountForm } from "./account-form.tsx";
import styles from "./accounts.module.css";

/** `/sign-in`: e-mail address and password. */
export function SignInScreen() {
  const { session } = useServices();
  const { me, error, retry } = useSession();
  const { to = "/" } = useSearch({ strict: false });
  const options = useSignInOptions();
  const navigate = useNavigate();
  const [isForgotten, setForgotten] = useState(false);
  const wasSignedOut = error?.code === "signed-out";

  async function goOnAsGuest(): Promise<void> {
    // The browser forgets the session that has ended.
    if (wasSignedOut) await session.signInWith("auth.closeSession");
    retry();
    await navigate({ to: "/", replace: true });
  }

  return (
    <Page title={t("account.signIn")}>
      {wasSignedOut && (
        <p role="status" className={styles["about"]}>
          {t("account.signedOut")}
        </p>
      )}
      {options?.has_accounts === false && <p className={styles["about"]}>{t("account.none")}</p>}
      <AccountForm
        fields={["email", "password"]}
        submitLabel={t("account.signIn")}
        onSubmit={async ({ email, password }) => {
          await session.signInWith("accounts.signIn", { email, password });
          await navigate({ href: to, replace: true });
        }}
      >
        <Button look="plain" onClick={() => setForgotten(true)}>
          {t("account.forgot")}
        </Button>
      </AccountForm>
      {isForgotten && (
        <p role="status" className={styles["forgot"]}>
          {t("account.forgotHow")}
        </p>
      )}
      <div className={styles["others"]}>
        {options?.has_accounts === true && options.joining !== "invitation" && (
          <Link to="/sign-up">{t("account.create")}</Link>
        )}
        {options?.guests === true && me === undefined && (
          <Button look="plain" onClick={() => void goOnAsGuest().catch(showFailure)}>
            {t("account.goOn")}
          </Button>
        )}
        {me?.role === "guest" && <p className={styles["quiet"]}>{t("account.bringAlong")}</p>}
      </div>
    </Page>
  );
}
