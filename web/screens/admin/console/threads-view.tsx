import { Link, useNavigate } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useState } from "react";
import { useProjectThreads } from "#web/data/console/console.ts";
import { Icon } from "#web/ui/icon.tsx";
import { printRecent, t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { ListContent, MoreButton } from "../../list-content.tsx";
import admin from "../admin.module.css";
import styles from "./console.module.css";
import { useConsoleSearch } from "./console-search.ts";
import { OnlyOf } from "./only-of.tsx";

/** The threads of a project, the last used first. */
export function ThreadsView({ projectId }: { projectId: string }) {
  const { user } = useConsoleSearch();
  const navigate = useNavigate();
  const [isArchived, setArchived] = useState(false);
  const list = useProjectThreads(projectId, { user, isArchived });
  return (
    <>
      <div className={styles["filters"]}>
        <CheckField label={t("console.archived")} checked={isArchived} onChange={setArchived} />
        {user !== undefined && (
          <OnlyOf
            id={user}
            onAll={() =>
              void navigate({
                to: "/admin/projects/$projectId/$view",
                params: { projectId, view: "threads" },
              })
            }
          />
        )}
      </div>
      <ListContent
        list={list}
        isEmpty={list.threads.length === 0}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t("console.noThreads"), t("console.noThreadsHint")]}
      >
        <ul className={admin["list"]}>
          {list.threads.map(({ id, title, workspace_id: workspace, last_message_at: at }) => (
            <li key={id} className={admin["row"]}>
              <Link
                to="/admin/projects/$projectId/$view/$itemId"
                params={{ projectId, view: "threads", itemId: id }}
                className={admin["words"]}
              >
                <bdi className={admin["name"]}>{title === "" ? t("console.untitled") : title}</bdi>
                <span className={admin["facts"]}>
                  <bdi dir="ltr">{workspace}</bdi>
                  <span>{printRecent(new Date(at), new Date())}</span>
                </span>
              </Link>
              <Icon of={ChevronRight} size={16} />
            </li>
          ))}
        </ul>
        <MoreButton list={list} />
      </ListContent>
    </>
  );
}
