import { useNavigate } from "@tanstack/react-router";
import type { AppRun } from "#contract/endpoints/apps.ts";
import { runStatuses, useAppRuns } from "#web/data/console/console.ts";
import { printDollars, printDuration, printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import { Rows } from "../../rows.tsx";
import styles from "./console.module.css";
import { useConsoleSearch, type ConsoleSearch } from "./console-search.ts";
import { asCode, Mark, Row } from "../../row.tsx";
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
    <Row
      link={{
        to: "/admin/apps/$appId/$view/$itemId",
        params: { appId, view: "runs", itemId: run.id },
      }}
      name={printRecent(new Date(run.created_at), new Date())}
      mark={<RunStatusMark run={run} />}
      facts={[
        run.model_id !== null && asCode(run.model_id),
        run.created_by !== null && asCode(run.created_by),
        run.duration_ms !== null && printDuration(run.duration_ms),
        tokens > 0 && t("console.tokens", { tokens: printNumber(tokens) }),
        run.cost_usd !== null && printDollars(run.cost_usd),
        run.error_code !== null && asCode(run.error_code),
      ]}
    />
  );
}

/** How a run ended, if it did not simply complete. */
export function RunStatusMark({ run: { status } }: { run: AppRun }) {
  if (status === "completed") return null;
  return (
    <Mark tone={status === "error" ? "danger" : undefined}>{t(`runStatus.${status ?? "running"}`)}</Mark>
  );
}
