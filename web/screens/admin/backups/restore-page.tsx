import { useEffect, useEffectEvent, useState } from "react";
import type { RestoreProgress, StoredBackupShown } from "#contract/backups/endpoints.ts";
import { useRestore } from "#web/data/admin/backups.ts";
import { Button } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { printBytes, printMoment, printNumber, t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { BackLink, Page } from "../../page.tsx";
import screenStyles from "../../screen.module.css";
import { showingReason } from "./reason.ts";
import { TargetFields } from "./target-fields.tsx";
import {
  targetMistakes,
  targetOf,
  targetValuesOf,
  type TargetField,
  type TargetValues,
} from "./target-values.ts";
import styles from "./backups.module.css";

type Target = Parameters<ReturnType<typeof useRestore>["list"]>[0];
/** What somebody chooses from; `target` is null for the place in the settings of the environment. */
type Found = { target: Target; backups: readonly StoredBackupShown[] };

/** 500 ms: while a backup is restored, nothing else happens on the server. */
const pollMs = 500;

/** On a server that nobody has used yet: takes over what is in a backup. */
export function RestorePage() {
  const restore = useRestore();
  const [found, setFound] = useState<Found>();
  const [progress, setProgress] = useState<RestoreProgress | "unknown">();

  const look = useEffectEvent(async () => {
    const now = await restore.progress();
    if (now != null && now.state !== "done") setProgress(now);
    // If the environment says where backups are, nobody needs to enter it.
    const backups = await restore.list(null).catch(() => undefined);
    if (backups !== undefined && backups.length > 0) setFound({ target: null, backups });
  });
  useEffect(() => void look(), []);

  const isUnderWay =
    progress !== undefined && (progress === "unknown" || !["done", "failed"].includes(progress.state));
  const poll = useEffectEvent(async () => {
    const now = await restore.progress();
    if (now !== undefined && now !== null) setProgress(now);
  });
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => void poll(), pollMs);
    return () => clearInterval(timer);
  }, [isUnderWay]);

  const failed =
    progress !== undefined && progress !== "unknown" && progress.state === "failed" ? progress : undefined;
  if (progress !== undefined && failed === undefined) return <Running progress={progress} />;
  return (
    <Page title={t("restore.title")} above={<BackLink to="/sign-up">{t("account.create")}</BackLink>}>
      {failed !== undefined && <Failed progress={failed} />}
      {found === undefined ? (
        <TargetForm
          onFind={async (target) => setFound({ target, backups: await showingReason(restore.list(target)) })}
        />
      ) : (
        <BackupChoice
          found={found}
          onBack={() => setFound(undefined)}
          onRestore={async (name, passphrase) => {
            await showingReason(restore.start({ target: found.target, name, passphrase }));
            setProgress("unknown");
          }}
        />
      )}
    </Page>
  );
}

function TargetForm({ onFind }: { onFind(target: Target): Promise<void> }) {
  const form = useForm<TargetValues, TargetField>({
    first: targetValuesOf(undefined),
    mistakesOf: (values) => targetMistakes(values, undefined),
    async onSave(values) {
      await onFind(targetOf(values));
      return undefined;
    },
  });
  return (
    <>
      <p className={screenStyles["about"]}>{t("restore.about")}</p>
      <Form form={form} saveLabel={t("restore.find")}>
        <TargetFields values={form.values} stored={undefined} field={form.field} onChange={form.change} />
      </Form>
    </>
  );
}

function BackupChoice({
  found: { backups },
  onBack,
  onRestore,
}: {
  found: Found;
  onBack(): void;
  onRestore(name: string, passphrase: string): Promise<void>;
}) {
  const form = useForm<{ name: string; passphrase: string }>({
    first: { name: backups[0]?.name ?? "", passphrase: "" },
    mistakesOf: ({ passphrase }) => (passphrase === "" ? { passphrase: t("backups.missing") } : {}),
    async onSave({ name, passphrase }) {
      await onRestore(name, passphrase);
      return undefined;
    },
  });
  if (backups.length === 0)
    return <Notice title={t("backups.none")} action={{ label: t("restore.otherPlace"), run: onBack }} />;
  return (
    <Form
      form={form}
      saveLabel={t("restore.start")}
      otherButton={<Button onClick={onBack}>{t("restore.otherPlace")}</Button>}
    >
      <RadioGroup
        legend={t("restore.which")}
        value={form.values.name}
        options={backups.map(({ name, made_at: at, size_bytes: size }) => ({
          value: name,
          label: printMoment(new Date(at)),
          hint: printBytes(size),
        }))}
        onChange={(name) => form.change({ name })}
      />
      <TextField
        label={t("backups.passphrase")}
        isCode
        type="password"
        autoComplete="off"
        name="restore-passphrase"
        {...form.field("passphrase")}
      />
    </Form>
  );
}

function Running({ progress }: { progress: RestoreProgress | "unknown" }) {
  if (progress !== "unknown" && progress.state === "done")
    return (
      <Page title={t("restore.title")}>
        <Notice
          title={t("restore.done")}
          text={t("restore.doneText")}
          // The whole page: nothing of the empty server stays.
          action={{
            label: t("account.signIn"),
            run: () => window.location.assign(new URL("../sign-in", window.location.href)),
          }}
        />
      </Page>
    );
  const {
    state,
    rows,
    rows_total: total,
  } = progress === "unknown" ? { state: "checking" as const, rows: 0, rows_total: null } : progress;
  const isRestoring = state === "restoring";
  return (
    <Page title={t("restore.title")}>
      <p role="status">
        {t(isRestoring ? "restore.restoring" : "restore.checking", { rows: printNumber(rows) })}
      </p>
      <progress
        className={styles["progress"]}
        aria-label={t("restore.title")}
        {...(isRestoring && total !== null ? { value: rows, max: Math.max(1, total) } : {})}
      />
      <p className={screenStyles["about"]}>{t("restore.wait")}</p>
    </Page>
  );
}

function Failed({ progress: { problem, text } }: { progress: RestoreProgress }) {
  return (
    <div role="alert" className={styles["failure"]} data-now>
      <strong>{t("restore.failed")}</strong>
      <span>{t(`restoreProblem.${problem ?? "other"}`)}</span>
      {text !== null && (
        <details>
          <summary>{t("backups.details")}</summary>
          <p lang="en" dir="ltr">
            {text}
          </p>
        </details>
      )}
    </div>
  );
}
