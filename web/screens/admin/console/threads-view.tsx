import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAppThreads } from "#web/data/console/console.ts";
import { printRecent, t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Rows } from "../../rows.tsx";
import styles from "./console.module.css";
import { useConsoleSearch } from "./console-search.ts";
import { asCode, Row } from "../../row.tsx";
import { ActiveFilter } from "./active-filter.tsx";

/** The threads of an app, the last used first. */
export function ThreadsView({ appId }: { appId: string }) {
  const { user } = useConsoleSearch();
  const navigate = useNavigate();
  const [isArchived, setArchived] = useState(false);
  const list = useAppThreads(appId, { user, isArchived });
  return (
    <>
      <div className={styles["filters"]}>
        <CheckField label={t("console.archived")} checked={isArchived} onChange={setArchived} />
        {user !== undefined && (
          <ActiveFilter
            id={user}
            onAll={() =>
              void navigate({
                to: "/admin/apps/$appId/$view",
                params: { appId, view: "threads" },
              })
            }
          />
        )}
      </div>
      <Rows
        list={list}
        rows={list.threads}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t("console.noThreads"), t("console.noThreadsHint")]}
      >
        {({ id, title, workspace_id: workspace, last_message_at: at }) => (
          <Row
            link={{
              to: "/admin/apps/$appId/$view/$itemId",
              params: { appId, view: "threads", itemId: id },
            }}
            name={title || t("console.untitled")}
            facts={[asCode(workspace), printRecent(new Date(at), new Date())]}
          />
        )}
      </Rows>
    </>
  );
}
