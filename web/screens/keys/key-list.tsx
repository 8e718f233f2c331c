import { useState } from "react";
import type { AppKey } from "#contract/endpoints/console.ts";
import type { PersonalKey } from "#contract/endpoints/keys.ts";
import type { FieldRules } from "#contract/form-fields.ts";
import type { Loaded } from "#web/data/load-state.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import { LinkDialog } from "../link-dialog.tsx";
import { AddForm } from "../form/add-form.tsx";
import { ExpiryField } from "../form/expiry-field.tsx";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
import { TextField } from "../form/text-field.tsx";
import { useForm } from "../form/use-form.ts";
import { asCode, Row } from "../row.tsx";
import { Rows } from "../rows.tsx";

/** A personal key, or one of an app. Only those of apps are listed after they were revoked. */
type Key = PersonalKey & Partial<Pick<AppKey, "revoked_at" | "is_active" | "is_from_setting">>;

/** The name of a new key: an example of one, and what the endpoint requires of it. */
type NameField = { placeholder: string; rules: FieldRules };

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
  const form = useForm({
    first: { name: "", expiry: "" },
    mistakesOf: (values) => mistakesByRules(values, { name: nameField.rules }),
    async onSave({ name, expiry }) {
      await onCreate(name, expiry === "" ? undefined : Number(expiry));
      return undefined;
    },
    emptied: ["name"],
  });
  return (
    <AddForm form={form} addLabel={t("keys.create")}>
      <TextField
        label={t("keys.name")}
        placeholder={nameField.placeholder}
        dir="auto"
        required
        {...form.field("name")}
      />
      <ExpiryField days={expiries} {...form.field("expiry")} />
    </AddForm>
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
