import { useState } from "react";
import type { AppKey } from "#contract/endpoints/console.ts";
import type { PersonalKey } from "#contract/endpoints/keys.ts";
import type { Loaded } from "#web/data/load-state.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import styles from "../screen.module.css";
import { LinkDialog } from "../link-dialog.tsx";
import { ExpiryField } from "../form/expiry-field.tsx";
import { TextField } from "../form/text-field.tsx";
import { useSubmit } from "../form/use-submit.ts";
import { asCode, Row } from "../row.tsx";
import { Rows } from "../rows.tsx";

/** A personal key, or one of an app. Only those of apps are listed after they were revoked. */
type Key = PersonalKey & Partial<Pick<AppKey, "revoked_at" | "is_active" | "is_from_setting">>;

type NameField = { placeholder: string; maxLength: number };

/** API keys, with a form for a new one, which is shown once. */
export function KeyList({
  list,
  nameField,
}: {
  list: Loaded & {
    keys: readonly Key[];
    /** Returns the key itself. Without `days` it does not expire. */
    create(name: string, days?: number): Promise<string>;
    revoke(id: string): Promise<unknown>;
  };
  nameField: NameField;
}) {
  const [secret, setSecret] = useState<string>();
  const { confirm, dialog } = useConfirmation();
  return (
    <>
      <NewKey
        nameField={nameField}
        onCreate={async (name, days) => setSecret(await list.create(name, days))}
      />
      <Rows
        list={list}
        rows={list.keys}
        loadingLabel={t("keys.loading")}
        failedTitle={t("keys.failed")}
        empty={[t("keys.empty")]}
      >
        {(key) => (
          <KeyRow
            apiKey={key}
            onRevoke={() =>
              confirm({
                text: t("keys.revokeAsk"),
                label: t("keys.revoke"),
                run: async () => {
                  await list.revoke(key.id);
                  return t("keys.revoked");
                },
              })
            }
          />
        )}
      </Rows>
      {secret !== undefined && (
        <LinkDialog
          title={t("keys.secret")}
          about={t("keys.secretWhat")}
          link={secret}
          copyLabel={t("keys.copy")}
          onClose={() => setSecret(undefined)}
        />
      )}
      {dialog}
    </>
  );
}

const expiries = [30, 90, 365];

function NewKey({
  nameField,
  onCreate,
}: {
  nameField: NameField;
  onCreate(name: string, days?: number): Promise<void>;
}) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("");
  const { isSending, submit } = useSubmit(async () => {
    await onCreate(name, expiry === "" ? undefined : Number(expiry));
    setName("");
  });
  return (
    <form className={styles["invite"]} onSubmit={submit}>
      <TextField
        {...nameField}
        label={t("keys.name")}
        dir="auto"
        required
        pattern=".*\S.*"
        value={name}
        onChange={setName}
      />
      <ExpiryField days={expiries} value={expiry} onChange={setExpiry} />
      <Button type="submit" look="strong" disabled={isSending}>
        {t("keys.create")}
      </Button>
    </form>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: Key; onRevoke(): void }) {
  const { name, prefix, last_used_at: usedAt, expires_at: expiresAt, revoked_at: revokedAt = null } = apiKey;
  const now = new Date();
  const isEnded = apiKey.is_active === false || (expiresAt !== null && new Date(expiresAt) < now);
  return (
    <Row
      name={name}
      facts={[
        asCode(`${prefix}…`),
        usedAt === null ? t("keys.unused") : t("keys.used", { day: printRecent(new Date(usedAt), now) }),
        revokedAt !== null && t("console.revoked", { day: printDay(new Date(revokedAt)) }),
        revokedAt === null &&
          expiresAt !== null &&
          t(isEnded ? "keys.expired" : "keys.expires", { day: printDay(new Date(expiresAt)) }),
        apiKey.is_from_setting === true && t("console.keyFromSetting"),
      ]}
    >
      {apiKey.is_active !== false && (
        <Button aria-label={t("keys.revokeNamed", { name })} onClick={onRevoke}>
          {t("keys.revoke")}
        </Button>
      )}
    </Row>
  );
}
