import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { useAppUsers } from "#web/data/console/console.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { printRecent, t } from "#web/i18n/translate.ts";
import { Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import { FindField } from "../../find-field.tsx";
import styles from "./console.module.css";

/** The users of an app, the last active first. */
export function UsersView({ appId }: { appId: string }) {
  const [typed, setTyped] = useState("");
  const list = useAppUsers(appId, useDebouncedValue(typed.trim()));
  const linkTo = (view: "threads" | "runs", user: string, text: string) => (
    <Link
      to="/admin/apps/$appId/$view"
      params={{ appId, view }}
      search={{ user }}
      className={styles["inText"]}
    >
      {text}
    </Link>
  );
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
          <Row
            name={id}
            isCode
            facts={[
              linkTo("threads", id, t("console.threadCount", { count: threads })),
              linkTo("runs", id, t("console.runCount", { count: runs })),
              t("console.active", { day: printRecent(new Date(at), new Date()) }),
            ]}
          />
        )}
      </Rows>
    </>
  );
}
