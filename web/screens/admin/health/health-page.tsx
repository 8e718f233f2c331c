import { useState, type ReactNode } from "react";
import type { Health, HealthCheck } from "#contract/endpoints/health.ts";
import { useHealth } from "#web/data/admin/health.ts";
import { Button } from "#web/ui/button.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printBytes, printMoment, printNumber, t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { Page } from "../../page.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./health-page.module.css";
import { Updates } from "./updates.tsx";

/** `/admin/health`: versions, sizes and free space, and the check that the command `doctor` does. */
export function HealthPage() {
  const list = useHealth();
  return (
    <Page title={t("health.title")}>
      <ListContent
        list={list}
        isEmpty={false}
        loadingLabel={t("health.loading")}
        failedTitle={t("health.failed")}
      >
        {list.health !== undefined && <Report health={list.health} />}
      </ListContent>
      <Updates />
      <Check check={list.check} />
    </Page>
  );
}

function Report({ health }: { health: Health }) {
  const { database, disk } = health;
  const engine = database.engine === "sqlite" ? "SQLite" : "PostgreSQL";
  const facts: [string, ReactNode][] = [
    [
      t("health.version"),
      t("health.both", {
        one: `Parlance ${health.version}${health.commit === null ? "" : ` (${health.commit.slice(0, 8)})`}`,
        two: `Node.js ${health.node_version}`,
      }),
    ],
    [t("health.running"), printMoment(new Date(health.started_at))],
    [t("health.memory"), printBytes(health.memory_bytes)],
    [
      t("health.database"),
      t("health.both", { one: `${engine} ${database.version}`, two: printBytes(database.size_bytes) }),
    ],
    [
      t("health.files"),
      t(health.file_storage === "disk" ? "health.filesOnDisk" : "health.filesInBucket", {
        count: health.files,
        size: printBytes(health.file_bytes),
      }),
    ],
    ...(disk === null
      ? []
      : ([
          [
            t("health.disk"),
            t("health.free", { free: printBytes(disk.free_bytes), total: printBytes(disk.total_bytes) }),
          ],
        ] as [string, string][])),
    ...health.extras.map((extra): [string, ReactNode] => [
      t("health.ocr"),
      <Extra key={extra.name} extra={extra} />,
    ]),
    [t("health.backups"), backupText(health.backups)],
    [t("health.people"), printNumber(health.people)],
    [t("health.threads"), printNumber(health.threads)],
  ];
  return (
    <dl className={styles["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const extraTexts = {
  ready: "health.ocrReady",
  missing: "health.ocrMissing",
  outdated: "health.ocrOutdated",
  damaged: "health.ocrDamaged",
} as const;

function Extra({ extra: { state, languages, command } }: { extra: Health["extras"][number] }) {
  return (
    <>
      {t(extraTexts[state], { languages: languages.join(", ") })}{" "}
      {state !== "ready" && <code dir="ltr">{command}</code>}
    </>
  );
}

function backupText({
  is_set: isSet,
  last_success: success,
  last_failure: failure,
  failures,
}: Health["backups"]) {
  if (failures > 0 && failure !== null)
    return t("health.backupFailed", {
      failed: printMoment(new Date(failure.at)),
      last: success === null ? t("health.noBackup") : printMoment(new Date(success.at)),
    });
  if (success !== null) return printMoment(new Date(success.at));
  return t(isSet ? "health.noBackup" : "health.noBackups");
}

function Check({ check }: { check(): Promise<HealthCheck> }) {
  const [result, setResult] = useState<HealthCheck>();
  const { isBusy, run } = useBusy();
  return (
    <section>
      <h2 className="text-4 bold below-2">{t("health.checkTitle")}</h2>
      <p className={styles["about"]}>{t("health.checkWhat")}</p>
      <Button disabled={isBusy} onClick={() => run(async () => setResult(await check()))}>
        {t(isBusy ? "health.checking" : "health.check")}
      </Button>
      <div role="status">{result !== undefined && !isBusy && <Findings result={result} />}</div>
    </section>
  );
}

function Findings({ result: { faults, notes, checks, checked_at: at } }: { result: HealthCheck }) {
  return (
    <>
      <p className={styles["outcome"]} data-tone={faults.length === 0 ? "fine" : "danger"}>
        {faults.length === 0
          ? t("health.fine", { count: checks.length })
          : t("health.faults", { count: faults.length })}{" "}
        <small>{printMoment(new Date(at))}</small>
      </p>
      {faults.length + notes.length > 0 && (
        <ul className={screenStyles["list"]}>
          {[...faults, ...notes].map(({ check, about, count, ids, remedy }) => (
            <li key={check + about} lang="en" dir="ltr" className={styles["finding"]}>
              <strong>
                {ids.length === 0 ? about : `${printNumber(count)} × ${about}`} <small>{check}</small>
              </strong>
              <span>{remedy}</span>
              {ids.length > 0 && (
                <details>
                  <summary>{t("health.which")}</summary>
                  <code>{ids.join(", ")}</code>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
