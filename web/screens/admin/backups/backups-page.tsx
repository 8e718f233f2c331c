import { useEffect, useEffectEvent, useState } from "react";
import type { BackupReport } from "#contract/backups/endpoints.ts";
import { useBackups, useStoredBackups } from "#web/data/admin/backups.ts";
import { useCan, useSession } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printBytes, printMoment, printRecent, t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { Page } from "../../page.tsx";
import { Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import { BackupForm } from "./backup-form.tsx";
import { RestorePage } from "./restore-page.tsx";
import styles from "./backups.module.css";

/** 1 s: how often a backup that runs is looked at. */
const pollMs = 1_000;

/** `/admin/backups`. Who opened the owner's link and has no account yet restores a backup here. */
export function BackupsPage() {
  const { me } = useSession();
  const isAllowed = useCan("backups.manage");
  if (isAllowed === undefined || me === undefined) return null;
  if (!isAllowed)
    return (
      <Page title={t("backups.title")}>
        <Notice title={t("backups.notYours")} text={t("backups.notYoursText")} />
      </Page>
    );
  return me.email === null ? <RestorePage /> : <OwnBackups />;
}

function OwnBackups() {
  const backups = useBackups();
  const [removals, setRemovals] = useState(0);
  const { report, readAgain } = backups;
  const isRunning = report?.is_running === true;
  const read = useEffectEvent(readAgain);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(read, pollMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <Page title={t("backups.title")}>
      <p className={screenStyles["about"]}>{t("backups.about")}</p>
      <ListContent
        list={backups}
        isEmpty={false}
        loadingLabel={t("backups.loading")}
        failedTitle={t("backups.failed")}
      >
        {report !== undefined && (
          <>
            {report.settings !== null && (
              <>
                <Ends report={report} />
                <StartButton isRunning={isRunning} start={backups.start} />
                <Stored key={report.last_success?.at} of={report.last_success?.at ?? ""} />
              </>
            )}
            <section aria-labelledby="backup-settings">
              <h2 id="backup-settings" className={screenStyles["heading"]}>
                {t("backups.settings")}
              </h2>
              {report.settings?.is_from_environment === true ? (
                <p className={screenStyles["about"]}>
                  {t("backups.fromEnvironment", { place: placeOf(report.settings.target) })}
                </p>
              ) : (
                <BackupForm
                  key={removals}
                  stored={report.settings}
                  backups={backups}
                  timeZone={report.time_zone}
                  onRemoved={() => setRemovals(removals + 1)}
                />
              )}
            </section>
          </>
        )}
      </ListContent>
    </Page>
  );
}

function placeOf({ folder, bucket }: NonNullable<BackupReport["settings"]>["target"]): string {
  return folder ?? `${bucket?.endpoint} ${bucket?.bucket}`;
}

function StartButton({ isRunning, start }: { isRunning: boolean; start(): Promise<unknown> }) {
  const { isBusy, run } = useBusy();
  return (
    <p role="status">
      <Button disabled={isBusy || isRunning} onClick={() => run(async () => void (await start()))}>
        {t(isRunning ? "backups.running" : "backups.start")}
      </Button>
    </p>
  );
}

function Ends({ report }: { report: BackupReport }) {
  const { next_at: next, last_success: success, last_failure: failure, failures } = report;
  const now = new Date();
  const facts: [string, string][] = [
    [
      t("backups.lastSuccess"),
      success === null
        ? t("backups.none")
        : t("backups.made", {
            when: printRecent(new Date(success.at), now),
            size: printBytes(success.size_bytes),
          }),
    ],
    ...(next === null ? [] : ([[t("backups.next"), printMoment(new Date(next))]] as [string, string][])),
  ];
  return (
    <>
      <dl className={styles["facts"]}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {failure !== null && (
        <div className={styles["failure"]} data-now={failures > 0 || undefined}>
          <strong>{t("backups.lastFailure", { when: printMoment(new Date(failure.at)) })}</strong>
          <span>{t(`backupProblem.${failure.problem}`)}</span>
          <details>
            <summary>{t("backups.details")}</summary>
            <p lang="en" dir="ltr">
              {failure.text}
            </p>
          </details>
        </div>
      )}
    </>
  );
}

/** What is in the folder or the bucket. `of`: changes when there is a new one. */
function Stored({ of }: { of: string }) {
  const list = useStoredBackups({ enabled: true, of });
  const rows = list.backups.map((backup) => ({ ...backup, id: backup.name }));
  return (
    <section aria-labelledby="stored-backups">
      <h2 id="stored-backups" className={screenStyles["heading"]}>
        {t("backups.stored")}
      </h2>
      <Rows
        list={list}
        rows={rows}
        loadingLabel={t("backups.loading")}
        failedTitle={t("backups.storedFailed")}
        empty={[t("backups.none")]}
      >
        {({ name, made_at: at, size_bytes: size, is_own: isOwn }) => (
          <Row
            name={printMoment(new Date(at))}
            mark={!isOwn && <span className={screenStyles["mark"]}>{t("backups.foreign")}</span>}
            facts={[
              printBytes(size),
              <bdi key="name" dir="ltr">
                {name}
              </bdi>,
            ]}
          />
        )}
      </Rows>
    </section>
  );
}
