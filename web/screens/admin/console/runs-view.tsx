import { useNavigate } from "@tanstack/react-router";
import type { AppRun } from "#contract/endpoints/apps.ts";
import { runStatuses, useAppRuns } from "#web/data/console/console.ts";
import { printDollars, printDuration, printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./console.module.css";
import { useConsoleSearch, type ConsoleSearch } from "./console-search.ts";
import { LinkRow } from "../../link-row.tsx";
import { ActiveFilter } from "./active-filter.tsx";

/** The runs of an app, newest first. */
export function RunsView({ appId }: { appId: string }) {
  const { user, thread, status } = useConsoleSearch();
  const navigate = useNavigate();
  const list = useAppRuns(appId, { user, thread, status });
  const show = (search: ConsoleSearch) =>
    void navigate({
      to: "/admin/apps/$appId/$view",
      params: { appId, view: "runs" },
      search,
      replace: true,
    });
  const only = user ?? thread;
  return (
    <>
      <div className={styles["filters"]}>
        <SelectField
          label={t("console.status")}
          value={status ?? ""}
          options={[
            ["", t("console.anyStatus")],
            ...runStatuses.map((each) => [each, t(`runStatus.${each}`)] as const),
          ]}
          onChange={(next) => show({ user, thread, status: next === "" ? undefined : next })}
        />
        {only !== undefined && <ActiveFilter id={only} onAll={() => show({ status })} />}
      </div>
      <Rows
        list={list}
        rows={list.runs}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={
          status === undefined ? [t("console.noRuns"), t("console.noRunsHint")] : [t("console.noRunsWith")]
        }
      >
        {(run) => <RunRow appId={appId} run={run} />}
      </Rows>
    </>
  );
}

function RunRow({ appId, run }: { appId: string; run: AppRun }) {
  const tokens = (run.input_tokens ?? 0) + (run.output_tokens ?? 0);
  return (
    <LinkRow
      link={{
        to: "/admin/apps/$appId/$view/$itemId",
        params: { appId, view: "runs", itemId: run.id },
      }}
      name={printRecent(new Date(run.created_at), new Date())}
      mark={<RunStatusMark run={run} />}
    >
      {run.model_id !== null && <bdi dir="ltr">{run.model_id}</bdi>}
      {run.created_by !== null && <bdi dir="ltr">{run.created_by}</bdi>}
      {run.duration_ms !== null && <span>{printDuration(run.duration_ms)}</span>}
      {tokens > 0 && <span>{t("console.tokens", { tokens: printNumber(tokens) })}</span>}
      {run.cost_usd !== null && <span>{printDollars(run.cost_usd)}</span>}
      {run.error_code !== null && <bdi dir="ltr">{run.error_code}</bdi>}
    </LinkRow>
  );
}

/** How a run ended, if it did not simply complete. */
export function RunStatusMark({ run: { status } }: { run: AppRun }) {
  if (status === "completed") return null;
  return (
    <span className={screenStyles["mark"]} data-tone={status === "error" ? "danger" : undefined}>
      {t(`runStatus.${status ?? "running"}`)}
    </span>
  );
}
