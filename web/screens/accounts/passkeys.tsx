import type { Passkey } from "#contract/endpoints/passkeys.ts";
import { formFields } from "#contract/form-fields.ts";
import { useSignInMethods } from "#web/data/session/sign-in-methods.ts";
import { arePasskeysPossible } from "#web/data/session/passkeys.ts";
import { readUserAgent } from "#web/lib/user-agent.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import { AddForm } from "../form/add-form.tsx";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
import { TextField } from "../form/text-field.tsx";
import { useForm } from "../form/use-form.ts";
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
  const form = useForm({
    first: { name: nameOfDevice() },
    mistakesOf: (values) =>
      mistakesByRules(values, { name: { ...formFields["accounts.addPasskey"].name, required: false } }),
    async onSave({ name }) {
      await onAdd(name.trim() === "" ? nameOfDevice() : name);
      return undefined;
    },
  });
  return (
    <div className={styles["addPasskey"]}>
      <AddForm form={form} addLabel={t("passkey.add")} look="secondary" isOneField>
        <TextField label={t("passkey.name")} dir="auto" {...form.field("name")} />
      </AddForm>
    </div>
  );
}

function nameOfDevice(): string {
  const { browser, system } = readUserAgent(navigator.userAgent);
  const names = [browser, system].filter((each) => each !== undefined);
  return names.length === 0 ? t("passkey.unnamed") : names.join(", ");
}
