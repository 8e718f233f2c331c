import { type FormEvent, useState } from "react";
import type { PersonalKey } from "#contract/endpoints/keys.ts";
import { limits } from "#contract/limits.ts";
import { programsUrl, usePersonalKeys } from "#web/data/people/personal-keys.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { useCopied } from "#web/ui/use-copied.ts";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import styles from "../admin/admin.module.css";
import { LinkDialog } from "../admin/link-dialog.tsx";
import { ExpiryField } from "../form/expiry-field.tsx";
import { Field, fieldStyles } from "../form/field.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";

/** `/settings/keys`: keys with which editors and scripts use the models of this server. */
export function KeysPage() {
  const list = usePersonalKeys();
  const [secret, setSecret] = useState<string>();
  const { confirm, dialog } = useConfirmation();
  return (
    <Page title={t("keys.title")}>
      <p className={styles["about"]}>{t("keys.about")}</p>
      <BaseUrl />
      <NewKey onCreate={async (body) => setSecret(await list.create(body))} />
      <ListContent
        list={list}
        isEmpty={list.keys.length === 0}
        loadingLabel={t("keys.loading")}
        failedTitle={t("keys.failed")}
        empty={[t("keys.empty")]}
      >
        <ul className={styles["list"]}>
          {list.keys.map((key) => (
            <KeyRow
              key={key.id}
              personalKey={key}
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
          ))}
        </ul>
      </ListContent>
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
    </Page>
  );
}

function BaseUrl() {
  const { isCopied, copy } = useCopied();
  const url = programsUrl();
  return (
    <div className={styles["copied"]}>
      <Field label={t("keys.baseUrl")}>
        {(props) => (
          <input
            {...props}
            readOnly
            dir="ltr"
            value={url}
            className={fieldStyles["input"]}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <Button onClick={() => copy(url)}>{t(isCopied ? "action.copied" : "action.copy")}</Button>
    </div>
  );
}

const expiries = [30, 90, 365];

function NewKey({ onCreate }: { onCreate(body: { name: string; expires_in_days?: number }): Promise<void> }) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("");
  const [isSending, setSending] = useState(false);

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    try {
      await onCreate({ name, ...(expiry === "" ? {} : { expires_in_days: Number(expiry) }) });
      setName("");
    } catch (error) {
      showFailure(error);
    } finally {
      setSending(false);
    }
  }

  return (
    <form className={styles["invite"]} onSubmit={(event) => void create(event)}>
      <Field label={t("keys.name")}>
        {(props) => (
          <input
            {...props}
            type="text"
            dir="auto"
            autoComplete="off"
            required
            pattern=".*\S.*"
            placeholder={t("keys.nameHint")}
            maxLength={limits.accountNameCharacters}
            value={name}
            className={fieldStyles["input"]}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <ExpiryField days={expiries} value={expiry} onChange={setExpiry} />
      <Button type="submit" look="strong" disabled={isSending}>
        {t("keys.create")}
      </Button>
    </form>
  );
}

function KeyRow({ personalKey, onRevoke }: { personalKey: PersonalKey; onRevoke(): void }) {
  const { name, prefix, last_used_at: usedAt, expires_at: expiresAt } = personalKey;
  const now = new Date();
  return (
    <li className={styles["row"]}>
      <span className={styles["words"]}>
        <bdi className={styles["name"]}>{name}</bdi>
        <span className={styles["facts"]}>
          <bdi>{`${prefix}…`}</bdi>
          <span>
            {usedAt === null ? t("keys.unused") : t("keys.used", { day: printRecent(new Date(usedAt), now) })}
          </span>
          {expiresAt !== null && (
            <span>
              {t(new Date(expiresAt) < now ? "keys.expired" : "keys.expires", {
                day: printDay(new Date(expiresAt)),
              })}
            </span>
          )}
        </span>
      </span>
      <Button aria-label={t("keys.revokeNamed", { name })} onClick={onRevoke}>
        {t("keys.revoke")}
      </Button>
    </li>
  );
}
