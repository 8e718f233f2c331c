import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { useAppUsers } from "#web/data/console/console.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { printRecent, t } from "#web/i18n/translate.ts";
import { Rows } from "../../rows.tsx";
import { FindField } from "../../find-field.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";

/** The users of an app, the last active first. */
export function UsersView({ appId }: { appId: string }) {
  const [typed, setTyped] = useState("");
  const list = useAppUsers(appId, useDebouncedValue(typed.trim()));
  return (
    <>
      <FindField label={t("console.findUsers")} value={typed} onChange={setTyped} />
      <Rows
        list={list}
        rows={list.users}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={
          typed === ""
            ? [t("console.noUsers"), t("console.noThreadsHint")]
            : [t("console.noUsersFound", { typed })]
        }
      >
        {({ id, threads, runs, last_active_at: at }) => (
          <li className={screenStyles["row"]}>
            <span className={screenStyles["words"]}>
              <bdi dir="ltr" className={screenStyles["name"]}>
                {id}
              </bdi>
              <span className={screenStyles["facts"]}>
                <Link
                  to="/admin/apps/$appId/$view"
                  params={{ appId, view: "threads" }}
                  search={{ user: id }}
                  className={styles["inText"]}
                >
                  {t("console.threadCount", { count: threads })}
                </Link>
                <Link
                  to="/admin/apps/$appId/$view"
                  params={{ appId, view: "runs" }}
                  search={{ user: id }}
                  className={styles["inText"]}
                >
                  {t("console.runCount", { count: runs })}
                </Link>
                <span>{t("console.active", { day: printRecent(new Date(at), new Date()) })}</span>
              </span>
            </span>
          </li>
        )}
      </Rows>
    </>
  );
}
