import { useState } from "react";
import { inApp } from "#web/lib/base-path.ts";
import { useServices } from "#web/data/provider.tsx";
import { signOut } from "#web/data/session/sign-out.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SecondFactorSetup } from "./second-factor-setup.tsx";
import styles from "./accounts.module.css";

/** `/second-factor`: for people who must set one up before anything else. */
export function SecondFactorScreen() {
  const { call, session } = useServices();
  const [codes, setCodes] = useState<readonly string[]>();

  function show(added: readonly string[]): void {
    setCodes(added);
    // From now on, links lead elsewhere.
    void call("auth.me", {}).then(session.changed).catch(showFailure);
  }

  return (
    <Page title={t("secondFactor.required")}>
      {codes === undefined ? (
        <>
          <p className={styles["about"]}>{t("secondFactor.requiredWhy")}</p>
          <SecondFactorSetup onCodes={show} onExists={leave} />
          <p className={styles["foot"]}>
            <Button look="plain" onClick={() => void signOut(session.signInWith).catch(showFailure)}>
              {t("account.signOut")}
            </Button>
          </p>
        </>
      ) : (
        <RecoveryCodes codes={codes} onDone={leave} />
      )}
    </Page>
  );
}

/** Loads the page again: most requests of this one were refused. */
function leave(): void {
  location.assign(inApp("/"));
}
