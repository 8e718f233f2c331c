import { useState } from "react";
import type { SignInMethods } from "#contract/endpoints/accounts.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SecondFactorSetup } from "./second-factor-setup.tsx";
import styles from "./accounts.module.css";

/** The second factor of the password, for people who have a password. */
export function SecondFactor() {
  const { methods } = useSignInMethods();
  const [codes, setCodes] = useState<readonly string[]>();
  if (methods === undefined || (!methods.has_password && methods.second_factor === null)) return null;
  return (
    <section className={styles["section"]}>
      <h2 className={styles["heading"]}>{t("secondFactor.title")}</h2>
      {codes !== undefined && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      {codes === undefined && (
        <>
          <p className={styles["about"]}>{t("secondFactor.about")}</p>
          {methods.second_factor === null ? (
            <SecondFactorSetup onCodes={setCodes} />
          ) : (
            <Existing factor={methods.second_factor} onCodes={setCodes} />
          )}
        </>
      )}
    </section>
  );
}

function Existing({
  factor,
  onCodes,
}: {
  factor: NonNullable<SignInMethods["second_factor"]>;
  onCodes(codes: readonly string[]): void;
}) {
  const { removeSecondFactor, renewRecoveryCodes } = useSignInMethods();
  const { confirm, dialog } = useConfirmation();
  const identity = useConfirmedIdentity();

  const remove = () =>
    confirm({
      text: t("secondFactor.removeAsk"),
      label: t("secondFactor.remove"),
      run: async () =>
        (await identity.confirmed(removeSecondFactor)) ? t("secondFactor.removed") : undefined,
    });
  const renew = () =>
    confirm({
      text: t("secondFactor.renewAsk"),
      label: t("secondFactor.renew"),
      run: async () => {
        await identity.confirmed(async () => onCodes(await renewRecoveryCodes()));
        return undefined;
      },
    });

  return (
    <>
      <p className={styles["method"]}>
        {t("secondFactor.on", { day: printDay(new Date(factor.created_at)) })}
        <span className={styles["quiet"]}>
          {t("secondFactor.left", { count: factor.recovery_codes_left })}
        </span>
      </p>
      <div className="flex wrap gap-2 above-4">
        <Button onClick={renew}>{t("secondFactor.renew")}</Button>
        <Button onClick={remove}>{t("secondFactor.remove")}</Button>
      </div>
      {dialog}
      {identity.dialog}
    </>
  );
}
