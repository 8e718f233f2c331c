import { type FormEvent, useState } from "react";
import type { ProjectKey } from "#contract/endpoints/console.ts";
import { limits } from "#contract/limits.ts";
import { useProject, useProjectKeys } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { printDay, printList, printRecent, t } from "#web/i18n/translate.ts";
import { ExpiryField } from "../../form/expiry-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { ListContent, MoreButton } from "../../list-content.tsx";
import admin from "../admin.module.css";
import { LinkDialog } from "../link-dialog.tsx";
import styles from "./console.module.css";
import { JwtRules } from "./jwt-rules.tsx";

const dayMs = 24 * 60 * 60_000;
const expiries = [30, 90, 365];

/** The keys of a project, the origins whose pages may call it, and the providers whose tokens it accepts. */
export function AccessView({ projectId }: { projectId: string }) {
  return (
    <>
      <Keys projectId={projectId} />
      <Origins projectId={projectId} />
      <JwtRules projectId={projectId} />
    </>
  );
}

function Keys({ projectId }: { projectId: string }) {
  const list = useProjectKeys(projectId);
  const [secret, setSecret] = useState<string>();
  const { confirm, dialog } = useConfirmation();
  return (
    <section aria-labelledby="project-keys">
      <h2 id="project-keys" className={admin["heading"]}>
        {t("keys.title")}
      </h2>
      <p className={admin["about"]}>{t("console.keysAbout")}</p>
      <NewKey onCreate={async (body) => setSecret(await list.create(body))} />
      <ListContent
        list={list}
        isEmpty={list.keys.length === 0}
        loadingLabel={t("keys.loading")}
        failedTitle={t("keys.failed")}
        empty={[t("keys.empty")]}
      >
        <ul className={admin["list"]}>
          {list.keys.map((key) => (
            <KeyRow
              key={key.id}
              projectKey={key}
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
        <MoreButton list={list} />
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
    </section>
  );
}

function NewKey({ onCreate }: { onCreate(body: { name: string; expires_at?: string }): Promise<void> }) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("");
  const [isSending, setSending] = useState(false);

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    try {
      const end = new Date(Date.now() + Number(expiry) * dayMs).toISOString();
      await onCreate({ name, ...(expiry === "" ? {} : { expires_at: end }) });
      setName("");
    } catch (error) {
      showFailure(error);
    } finally {
      setSending(false);
    }
  }

  return (
    <form className={admin["invite"]} onSubmit={(event) => void create(event)}>
      <TextField
        label={t("keys.name")}
        dir="auto"
        required
        pattern=".*\S.*"
        placeholder={t("console.keyNameHint")}
        maxLength={limits.nameCharacters}
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

function KeyRow({ projectKey, onRevoke }: { projectKey: ProjectKey; onRevoke(): void }) {
  const { name, prefix, last_used_at: usedAt, expires_at: expiresAt, revoked_at: revokedAt } = projectKey;
  const now = new Date();
  return (
    <li className={admin["row"]} data-ended={!projectKey.is_active || undefined}>
      <span className={admin["words"]}>
        <bdi className={admin["name"]}>{name}</bdi>
        <span className={admin["facts"]}>
          <bdi dir="ltr">{`${prefix}…`}</bdi>
          <span>
            {usedAt === null ? t("keys.unused") : t("keys.used", { day: printRecent(new Date(usedAt), now) })}
          </span>
          {revokedAt !== null && <span>{t("console.revoked", { day: printDay(new Date(revokedAt)) })}</span>}
          {revokedAt === null && expiresAt !== null && (
            <span>
              {t(projectKey.is_active ? "keys.expires" : "keys.expired", {
                day: printDay(new Date(expiresAt)),
              })}
            </span>
          )}
          {projectKey.is_from_setting && <span>{t("console.keyFromSetting")}</span>}
        </span>
      </span>
      {projectKey.is_active && (
        <Button aria-label={t("keys.revokeNamed", { name })} onClick={onRevoke}>
          {t("keys.revoke")}
        </Button>
      )}
    </li>
  );
}

function Origins({ projectId }: { projectId: string }) {
  const { project, addOrigin, removeOrigin } = useProject(projectId);
  const [origin, setOrigin] = useState("");
  const [isWrong, setWrong] = useState(false);
  if (project === undefined) return null;
  const { origins, origins_for_all: forAll, without_list: withoutList } = project;

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setWrong(!isOrigin(origin));
    if (!isOrigin(origin)) return;
    try {
      await addOrigin(origin.trim());
      setOrigin("");
    } catch (error) {
      showFailure(error);
    }
  }

  return (
    <section aria-labelledby="project-origins">
      <h2 id="project-origins" className={admin["heading"]}>
        {t("console.origins")}
      </h2>
      <p className={admin["about"]}>
        {t("console.originsAbout")}{" "}
        {origins.length === 0 && forAll.length === 0 && t(`console.withoutList.${withoutList}`)}
        {forAll.length > 0 && t("console.originsForAll", { origins: printList(forAll) })}
      </p>
      <form className={styles["oneLine"]} onSubmit={(event) => void add(event)}>
        <TextField
          label={t("console.origin")}
          hint={t("console.originHint")}
          mistake={isWrong ? t("console.noOrigin") : undefined}
          dir="ltr"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={limits.nameCharacters}
          value={origin}
          onChange={(text) => {
            setOrigin(text);
            setWrong(false);
          }}
        />
        <Button type="submit">{t("console.addOrigin")}</Button>
      </form>
      {origins.length > 0 && (
        <ul className={admin["list"]}>
          {origins.map((each) => (
            <li key={each} className={admin["row"]}>
              <span className={admin["words"]}>
                <bdi dir="ltr" className={admin["name"]}>
                  {each}
                </bdi>
              </span>
              <Button
                aria-label={t("console.removeNamed", { name: each })}
                onClick={() =>
                  void removeOrigin(each).then(() => showToast(t("console.removed")), showFailure)
                }
              >
                {t("console.remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A scheme and a host, as the server requires it. */
function isOrigin(text: string): boolean {
  return URL.canParse(text.trim()) && /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+\/?$/i.test(text.trim());
}
