import { useState } from "react";
import type { Updates as Known } from "#contract/endpoints/health.ts";
import { useUpdates } from "#web/data/admin/health.ts";
import { printMoment, t } from "#web/i18n/translate.ts";
import { showOutcome } from "#web/ui/toast.tsx";
import { CheckField } from "../../form/check-field.tsx";
import styles from "./health-page.module.css";

/** Whether there is a newer release, and how it is installed. Nobody is asked until an administrator switches that on. */
export function Updates() {
  const { updates, change } = useUpdates();
  // The server may ask before it responds, which takes seconds.
  const [chosen, setChosen] = useState<boolean>();
  if (updates === undefined) return null;
  const host = updates.source === null ? undefined : new URL(updates.source).host;
  return (
    <section className={styles["updates"]}>
      <h2 className="text-4 bold below-2">{t("updates.title")}</h2>
      <CheckField
        label={t("updates.look")}
        hint={host === undefined ? t("updates.noSource") : t("updates.what", { host })}
        checked={chosen ?? updates.is_on}
        disabled={chosen !== undefined || (host === undefined && !updates.is_on)}
        onChange={(isOn) => {
          setChosen(isOn);
          showOutcome(
            change(isOn).finally(() => setChosen(undefined)),
            t("account.saved"),
          );
        }}
      />
      <div role="status">{host !== undefined && <Found updates={updates} host={host} />}</div>
    </section>
  );
}

const commands: Record<Known["installed_as"], string> = {
  package: "parlance update",
  npx: "npx parlance-server@latest",
  image: "docker compose up --build --detach",
  clone: "git pull && npm start",
};

function Found({ updates, host }: { updates: Known; host: string }) {
  const { is_on: isOn, looked_at: at, has_failed: hasFailed, newer, version } = updates;
  const time = at === null ? "" : printMoment(new Date(at));
  const wasAsked = isOn && at !== null;
  return (
    <>
      {newer !== null && (
        <div className={styles["newer"]}>
          <p className="bold">{t("updates.newer", { newer: newer.version, version })}</p>
          <p>
            {newer.notes_url === null ? (
              t("updates.notesInPackage")
            ) : (
              <a href={newer.notes_url} target="_blank" rel="noreferrer">
                {t("updates.notes", { version: newer.version })}
              </a>
            )}
          </p>
          <p>
            {t(updates.installed_as === "image" ? "updates.howImage" : "updates.how")}{" "}
            <code dir="ltr">{commands[updates.installed_as]}</code>
          </p>
        </div>
      )}
      {wasAsked && (
        <p className={styles["about"]}>
          {hasFailed
            ? t("updates.failed", { host, time })
            : newer === null
              ? t("updates.newest", { version, host, time })
              : t("updates.asked", { host, time })}
        </p>
      )}
    </>
  );
}
