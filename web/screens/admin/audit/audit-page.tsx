import { type ReactNode, useState } from "react";
import Download from "lucide-react/icons/download";
import type { Role } from "#contract/accounts/permissions.ts";
import { cutText } from "#contract/text.ts";
import type { AuditEntry } from "#contract/endpoints/people.ts";
import { type AuditFilters, useAudit } from "#web/data/admin/audit.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Button } from "#web/ui/button.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printRecent, t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../../list-content.tsx";
import { Page } from "../../page.tsx";
import { asCode, asName, Row } from "../../row.tsx";
import styles from "../../screen.module.css";
import { AuditRetentionField } from "./audit-retention-field.tsx";
import { AuditFilterFields } from "./audit-filter-fields.tsx";

const noFilters: AuditFilters = { search: "", action: "", from: "", to: "" };
/** `/admin/audit`: what people did to accounts and settings. */
export function AuditPage() {
  const [filters, setFilters] = useState(noFilters);
  const search = useDebouncedValue(filters.search.trim());
  const list = useAudit({ ...filters, search });
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const { isBusy, run } = useBusy();

  async function save(): Promise<void> {
    saveFile({ name: "audit-log.jsonl", blob: await list.exportLines() });
  }

  return (
    <Page title={t("audit.title")}>
      <p className={styles["about"]}>{t("audit.about")}</p>
      <AuditFilterFields filters={filters} onChange={setFilters} />
      <ListContent
        list={list}
        isEmpty={list.entries.length === 0}
        loadingLabel={t("audit.loading")}
        failedTitle={t("audit.failed")}
        empty={[isFiltered ? t("audit.none") : t("audit.empty")]}
      >
        <ol aria-label={t("audit.title")} className={styles["list"]}>
          {list.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
        <MoreButton list={list} />
        <p>
          <Button icon={Download} disabled={isBusy} onClick={() => run(save)}>
            {t("audit.export")}
          </Button>
        </p>
        <AuditRetentionField />
      </ListContent>
    </Page>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const at = new Date(entry.at);
  const when = (
    <time dateTime={entry.at} title={at.toISOString()}>
      {printRecent(at, new Date())}
    </time>
  );
  return (
    <Row
      name={t(`audit.${entry.action}`)}
      mark={entry.target_name !== null && <bdi>{entry.target_name}</bdi>}
      facts={[
        when,
        asName(actorOf(entry)),
        entry.address !== null && asCode(entry.address),
        detailsOf(entry),
      ]}
    />
  );
}

function actorOf({ actor, actor_name: name }: AuditEntry): string {
  if (actor === "operator") return t("audit.operator");
  if (actor === "server") return t("audit.server");
  return actor === "unknown" ? t("audit.unknown") : (name ?? actor);
}

/** Longer ones are in the downloaded file only. */
const detailCharacters = 200;

function detailsOf({ action, details }: AuditEntry): ReactNode {
  if (details === null) return undefined;
  if (action === "role-changed") {
    const { from, to } = details as Record<"from" | "to", Exclude<Role, "guest">>;
    return t("audit.fromTo", { from: t(`role.${from}`), to: t(`role.${to}`) });
  }
  // Names of fields and values, as the API has them.
  const texts = Object.entries(details).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return asCode(cutText(texts.join(", "), detailCharacters));
}
