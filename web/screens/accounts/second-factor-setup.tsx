import { useState } from "react";
import { encode } from "uqr";
import type { ResponseOf } from "#contract/api.ts";
import { failureOf } from "#web/data/failure.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { AccountForm } from "./account-form.tsx";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import styles from "./second-factor.module.css";

/**
 * Sets up an authenticator app. `onCodes` gets the recovery codes; `onExists` runs if the person has set one up in another
 * tab meanwhile.
 */
export function SecondFactorSetup({
  onCodes,
  onExists,
}: {
  onCodes(codes: readonly string[]): void;
  onExists?: () => void;
}) {
  const { startSecondFactor, addSecondFactor } = useSignInMethods();
  const identity = useConfirmedIdentity();
  const [begun, setBegun] = useState<ResponseOf<"accounts.startSecondFactor">>();
  const [isStarting, setStarting] = useState(false);

  async function start(): Promise<void> {
    setStarting(true);
    await identity.confirmed(async () => setBegun(await startSecondFactor())).catch(startAgain);
    setStarting(false);
  }

  async function finish(setup: string, code: string): Promise<void> {
    try {
      await identity.confirmed(async () => onCodes(await addSecondFactor({ setup, code })));
    } catch (error) {
      if (!["sign-in-expired", "second-factor-exists"].includes(failureOf(error).code)) throw error;
      startAgain(error);
    }
  }

  function startAgain(error: unknown): void {
    setBegun(undefined);
    showFailure(error);
    if (failureOf(error).code === "second-factor-exists") onExists?.();
  }

  return (
    <>
      {begun === undefined ? (
        <Button disabled={isStarting} onClick={() => void start()}>
          {t("secondFactor.setUp")}
        </Button>
      ) : (
        <div className={styles["setUp"]}>
          <p className="text-3 medium">{t("secondFactor.scan")}</p>
          <QrCode text={begun.uri} label={t("secondFactor.qr")} />
          <p className="text-3 medium">{t("secondFactor.secret")}</p>
          <code dir="ltr" className={styles["secret"]}>
            {begun.secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}
          </code>
          <AccountForm
            fields={["appCode"]}
            submitLabel={t("secondFactor.finish")}
            onSubmit={async ({ appCode }) => await finish(begun.setup, appCode)}
          />
        </div>
      )}
      {identity.dialog}
    </>
  );
}

/** The quiet zone that the standard requires around a QR code. */
const border = 4;

/** A QR code, drawn on this device: what it contains is secret. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: "M", border });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={styles["qr"]}
    >
      <path d={path} />
    </svg>
  );
}
