import { Link, useNavigate } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ProjectRun } from "#contract/endpoints/projects.ts";
import { runStatuses, useProjectRuns } from "#web/data/console/console.ts";
import { Icon } from "#web/ui/icon.tsx";
import { printDollars, printDuration, printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../../form/field.tsx";
import { ListContent, MoreButton } from "../../list-content.tsx";
import admin from "../admin.module.css";
import styles from "./console.module.css";
import { useConsoleSearch, type ConsoleSearch } from "./console-search.ts";
import { OnlyOf } from "./only-of.tsx";

/** The runs of a project, newest first. */
export function RunsView({ projectId }: { projectId: string }) {
  const { user, thread, status } = useConsoleSearch();
  const navigate = useNavigate();
  const list = useProjectRuns(projectId, { user, thread, status });
  const show = (search: ConsoleSearch) =>
    void navigate({
      to: "/admin/projects/$projectId/$view",
      params: { projectId, view: "runs" },
      search,
      replace: true,
    });
  const only = user ?? thread;
  return (
    <>
      <div className={styles["filters"]}>
        <Field label={t("console.status")}>
          {(props) => (
            <select
              {...props}
              value={status ?? ""}
              className={fieldStyles["input"]}
              onChange={(event) =>
                show({
                  user,
                  thread,
                  status: runStatuses.find((each) => each === event.currentTarget.value),
                })
              }
            >
              <option value="">{t("console.anyStatus")}</option>
              {runStatuses.map((each) => (
                <option key={each} value={each}>
                  {t(`runStatus.${each}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        {only !== undefined && <OnlyOf id={only} onAll={() => show({ status })} />}
      </div>
      <ListContent
        list={list}
        isEmpty={list.runs.length === 0}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={
          status === undefined ? [t("console.noRuns"), t("console.noRunsHint")] : [t("console.noRunsWith")]
        }
      >
        <ul className={admin["list"]}>
          {list.runs.map((run) => (
            <RunRow key={run.id} projectId={projectId} run={run} />
          ))}
        </ul>
        <MoreButton list={list} />
      </ListContent>
    </>
  );
}

function RunRow({ projectId, run }: { projectId: string; run: ProjectRun }) {
  const tokens = (run.input_tokens ?? 0) + (run.output_tokens ?? 0);
  return (
    <li className={admin["row"]}>
      <Link
        to="/admin/projects/$projectId/$view/$itemId"
        params={{ projectId, view: "runs", itemId: run.id }}
        className={admin["words"]}
      >
        <span className={admin["name"]}>{printRecent(new Date(run.created_at), new Date())}</span>
        <RunStatusMark run={run} />
        <span className={admin["facts"]}>
          {run.model_id !== null && <bdi dir="ltr">{run.model_id}</bdi>}
          {run.created_by !== null && <bdi dir="ltr">{run.created_by}</bdi>}
          {run.duration_ms !== null && <span>{printDuration(run.duration_ms)}</span>}
          {tokens > 0 && <span>{t("console.tokens", { tokens: printNumber(tokens) })}</span>}
          {run.cost_usd !== null && <span>{printDollars(run.cost_usd)}</span>}
          {run.error_code !== null && <bdi dir="ltr">{run.error_code}</bdi>}
        </span>
      </Link>
      <Icon of={ChevronRight} size={16} />
    </li>
  );
}

/** How a run ended, if it did not simply complete. */
export function RunStatusMark({ run: { status } }: { run: ProjectRun }) {
  if (status === "completed") return null;
  return (
    <span className={admin["mark"]} data-tone={status === "error" ? "loss" : undefined}>
      {t(`runStatus.${status ?? "running"}`)}
    </span>
  );
}
