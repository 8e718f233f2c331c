import { useState } from "react";
import type { Passkey } from "#contract/endpoints/passkeys.ts";
import { limits } from "#contract/limits.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { arePasskeysPossible } from "#web/data/session/passkeys.ts";
import { readUserAgent } from "#web/lib/user-agent.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import { TextField } from "../form/text-field.tsx";
import { useSubmit } from "../form/use-submit.ts";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import styles from "./accounts.module.css";

/** The passkeys of the person, and how to add one. */
export function Passkeys() {
  const { methods, addPasskey, removePasskey } = useSignInMethods();
  const { confirm, dialog } = useConfirmation();
  const identity = useConfirmedIdentity();
  if (methods === undefined) return null;

  const ask = ({ id, name }: Passkey) =>
    confirm({
      text: t("passkey.removeAsk", { name }),
      label: t("passkey.remove"),
      run: async () =>
        (await identity.confirmed(async () => await removePasskey(id))) ? t("passkey.removed") : undefined,
    });

  return (
    <section className={styles["section"]}>
      <h2 className={styles["heading"]}>{t("passkey.title")}</h2>
      <p className={styles["about"]}>{t("passkey.about")}</p>
      {methods.passkeys.length > 0 && (
        <ul className={styles["methods"]}>
          {methods.passkeys.map((passkey) => (
            <li key={passkey.id}>
              <span className={styles["method"]}>
                <bdi>{passkey.name}</bdi>
                <span className={styles["quiet"]}>
                  <span>{t("passkey.added", { day: printDay(new Date(passkey.created_at)) })}</span>
                  <span>
                    {passkey.last_used_at === null
                      ? t("passkey.unused")
                      : t("account.lastUsed", {
                          when: printRecent(new Date(passkey.last_used_at), new Date()),
                        })}
                  </span>
                  {passkey.host !== null && passkey.host !== location.hostname && (
                    <span>{t("passkey.onlyAt", { host: passkey.host })}</span>
                  )}
                </span>
              </span>
              <Button
                aria-label={t("passkey.removeNamed", { name: passkey.name })}
                onClick={() => ask(passkey)}
              >
                {t("passkey.remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {arePasskeysPossible() ? (
        <AddPasskey
          onAdd={async (name) => {
            if (await identity.confirmed(async () => await addPasskey(name))) showToast(t("passkey.saved"));
          }}
        />
      ) : (
        <p className={styles["note"]}>{t("passkey.notHere")}</p>
      )}
      {dialog}
      {identity.dialog}
    </section>
  );
}

function AddPasskey({ onAdd }: { onAdd(name: string): Promise<void> }) {
  const [name, setName] = useState(nameOfDevice);
  const { isSending, submit } = useSubmit(
    async () => await onAdd(name.trim() === "" ? nameOfDevice() : name),
  );
  return (
    <form className={styles["addPasskey"]} onSubmit={submit}>
      <TextField
        label={t("passkey.name")}
        dir="auto"
        maxLength={limits.accountNameCharacters}
        value={name}
        onChange={setName}
      />
      <Button type="submit" disabled={isSending}>
        {t("passkey.add")}
      </Button>
    </form>
  );
}

function nameOfDevice(): string {
  const { browser, system } = readUserAgent(navigator.userAgent);
  const names = [browser, system].filter((each) => each !== undefined);
  return names.length === 0 ? t("passkey.unnamed") : names.join(", ");
}
