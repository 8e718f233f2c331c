import { type ReactNode, useState } from "react";
import { Link } from "@tanstack/react-router";
import { CallError } from "#web/data/call-error.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { arePasskeysPossible, signInWithPasskey } from "#web/data/session/passkeys.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { t } from "#web/i18n/translate.ts";
import { AccountForm, codeIn } from "./account-form.tsx";
import styles from "./accounts.module.css";

/**
 * `confirmed` runs an action that needs a recent sign-in. If the last one is too long ago, it asks the person to confirm who
 * they are, and runs the action again. Returns whether it was run. `dialog` is rendered by the screen.
 */
export function useConfirmedIdentity(): {
  confirmed(action: () => Promise<void>): Promise<boolean>;
  dialog: ReactNode;
} {
  const [finish, setFinish] = useState<(isConfirmed: boolean) => void>();

  async function confirmed(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof CallError) || error.failure.code !== "confirmation-needed") throw error;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      setFinish(() => resolve);
      const isConfirmed = await promise;
      setFinish(undefined);
      if (!isConfirmed) return false;
      await action();
    }
    return true;
  }

  return { confirmed, dialog: finish !== undefined && <ConfirmIdentity onEnd={finish} /> };
}

function ConfirmIdentity({ onEnd }: { onEnd(isConfirmed: boolean): void }) {
  const { call, session } = useServices();
  const { methods } = useSignInMethods();
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const hasPasskey = methods !== undefined && methods.passkeys.length > 0 && arePasskeysPossible();

  async function signInHere(): Promise<void> {
    const personId = session.state.get().me?.user_id;
    setFailure(undefined);
    setBusy(true);
    try {
      await signInWithPasskey(session.signInWith);
      // With the passkey of another account, this browser is now signed in to that one.
      onEnd(session.state.get().me?.user_id === personId);
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog label={t("confirmIdentity.title")} className={styles["dialog"]} onClose={() => onEnd(false)}>
      <h2 className={styles["heading"]}>{t("confirmIdentity.title")}</h2>
      <p className={styles["about"]}>
        {t(
          methods?.has_password === true || hasPasskey
            ? "confirmIdentity.why"
            : "confirmIdentity.signInAgain",
        )}
      </p>
      {hasPasskey && (
        <p className={styles["foot"]}>
          <Button disabled={isBusy} onClick={() => void signInHere()}>
            {t("passkey.use")}
          </Button>
        </p>
      )}
      {failure !== undefined && <p role="alert">{failure.message}</p>}
      {methods?.has_password === true && (
        <AccountForm
          fields={["password"]}
          submitLabel={t("confirmIdentity.confirm")}
          onSubmit={async ({ password, code }) => {
            await call("accounts.confirm", { body: { password, ...codeIn(code) } });
            onEnd(true);
          }}
        >
          <Button onClick={() => onEnd(false)}>{t("action.cancel")}</Button>
        </AccountForm>
      )}
      {methods?.has_password === false && !hasPasskey && (
        <Link to="/sign-in" search={{ to: "/settings/account" }} className={styles["main"]}>
          {t("account.signIn")}
        </Link>
      )}
    </Dialog>
  );
}
