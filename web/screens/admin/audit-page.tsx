import type { AuditEntry } from "#contract/endpoints/people.ts";
import { useAudit } from "#web/data/people/people.ts";
import { printRecent, t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../list-content.tsx";
import { Page } from "../page.tsx";
import styles from "./admin.module.css";

/** `/admin/audit`: who did what to whom. */
export function AuditPage() {
  const list = useAudit();
  return (
    <Page title={t("audit.title")}>
      <p className={styles["about"]}>{t("audit.about")}</p>
      <ListContent
        list={list}
        isEmpty={list.entries.length === 0}
        loadingLabel={t("audit.loading")}
        failedTitle={t("audit.failed")}
        empty={[t("audit.empty")]}
      >
        <ol className={styles["list"]}>
          {list.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
        <MoreButton list={list} />
      </ListContent>
    </Page>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const at = new Date(entry.at);
  return (
    <li className={styles["row"]}>
      <span className={styles["words"]}>
        <span className={styles["name"]}>{t(`audit.${entry.action}`)}</span>
        {entry.target_name !== null && <bdi>{entry.target_name}</bdi>}
        <span className={styles["facts"]}>
          <time dateTime={entry.at} title={at.toISOString()}>
            {printRecent(at, new Date())}
          </time>
          <bdi>{entry.actor === "operator" ? t("audit.operator") : (entry.actor_name ?? entry.actor)}</bdi>
          {entry.address !== null && <span dir="ltr">{entry.address}</span>}
        </span>
      </span>
    </li>
  );
}
