import type { ReactNode } from "react";
import Download from "lucide-react/icons/download";
import type { UsageReport, FeedbackDay } from "#contract/endpoints/usage.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { modelName, useModels } from "#web/data/assistants/models.ts";
import { useUsage } from "#web/data/usage/usage.ts";
import { Button } from "#web/ui/button.tsx";
import { printDuration, printNumber, t } from "#web/i18n/translate.ts";
import { useComparisonWins } from "#web/data/usage/comparison-wins.ts";
import { ListContent } from "../list-content.tsx";
import { Figure } from "./figure.tsx";
import {
  aboutText,
  costText,
  sumBy,
  sumByDay,
  sumOf,
  usageCsv,
  waitOf,
  type UsageSum,
  printDate,
} from "./sums.ts";
import { UsagePlot } from "./usage-plot.tsx";
import { UsageTable } from "./usage-table.tsx";
import { usePeriod } from "./use-period.tsx";
import { NumberTable } from "./number-table.tsx";
import styles from "./usage-page.module.css";

/** The tokens and the cost of requests to models in a period: one's own, or those of everyone. */
export function UsageSection({ isEveryone = false }: { isEveryone?: boolean }) {
  const { days, choice } = usePeriod();
  const usage = useUsage({ days, isEveryone });
  return (
    <>
      {choice}
      <ListContent
        list={usage}
        isEmpty={usage.report?.rows.length === 0 && usage.report.feedback.length === 0}
        loadingLabel={t("usage.loading")}
        failedTitle={t("usage.failed")}
        empty={[t("usage.none"), t("usage.noneHint")]}
      >
        {usage.report !== undefined && <Report report={usage.report}>{!isEveryone && <WinsTable />}</Report>}
      </ListContent>
    </>
  );
}

function Report({ report, children }: { report: UsageReport; children: ReactNode }) {
  const total = sumOf(report.rows);
  const days = sumByDay(report);
  const { models } = useModels();
  const modelRows = sumBy(report.rows, ({ model }) => model).map(({ key: id, sum }) => ({
    id,
    name: modelName(id, models) ?? t("usage.hiddenModel"),
    sum,
  }));
  const assistants = sumBy(report.rows, (row) => row.assistant_name ?? row.assistant_id);
  const download = () =>
    saveFile({
      name: `usage-${report.from}-${report.to}.csv`,
      blob: new Blob([usageCsv(report)], { type: "text/csv" }),
    });
  return (
    <div className={styles["report"]}>
      <Totals total={total} />
      <UsagePlot days={days} kind="tokens" />
      {total.cost_usd > 0 && <UsagePlot days={days} kind="cost" />}
      <UsagePlot days={days} kind="requests" />
      {total.answered_requests > 0 && <UsagePlot days={days} kind="wait" />}
      {report.feedback.length > 0 && (
        <UsagePlot days={days} kind="feedback" table={<FeedbackTable days={report.feedback} />} />
      )}
      <UsageTable
        caption={t("usage.byModel")}
        head={t("usage.model")}
        // Models of the same name, such as those of two providers, have their ids.
        rows={modelRows.map((row) =>
          row.id !== null && modelRows.some((other) => other !== row && other.name === row.name)
            ? { name: row.id, isCode: true, sum: row.sum }
            : row,
        )}
      />
      <UsageTable
        caption={t("usage.byAssistant")}
        head={t("usage.assistant")}
        rows={assistants.map(({ key, sum }) => ({ name: key ?? t("usage.noAssistant"), sum }))}
      />
      {children}
      <p>
        <Button icon={Download} onClick={download}>
          {t("usage.download")}
        </Button>
      </p>
    </div>
  );
}

function Totals({ total }: { total: UsageSum }) {
  const { unpriced_requests: unpriced, estimated_requests: estimated, cached_tokens: cached } = total;
  const wait = waitOf(total);
  return (
    <section>
      <dl className={styles["totals"]}>
        <Figure name={t("usage.input")} value={aboutText(total, total.input_tokens)}>
          {cached > 0 && t("usage.cached", { count: cached })}
        </Figure>
        <Figure name={t("usage.output")} value={aboutText(total, total.output_tokens)} />
        <Figure name={t("usage.requests")} value={printNumber(total.requests)}>
          {total.failed_requests > 0 && t("usage.failedOfThem", { count: total.failed_requests })}
        </Figure>
        <Figure name={t("usage.cost")} value={costText(total)} />
        <Figure name={t("usage.wait")} value={wait === undefined ? "–" : printDuration(wait * 1000)} />
      </dl>
      <p className={styles["note"]}>
        {total.cost_usd > 0 && t("usage.costAbout")}{" "}
        {unpriced > 0 && t("usage.unpriced", { count: unpriced })}{" "}
        {estimated > 0 && t("usage.estimated", { count: estimated })}
      </p>
    </section>
  );
}

/** How many answers were rated on each day, the last day first. */
function FeedbackTable({ days }: { days: readonly FeedbackDay[] }) {
  return (
    <NumberTable
      caption={t("usage.feedbackByDay")}
      isCaptionHidden
      head={t("usage.day")}
      nameOf={({ day }) => printDate(day)}
      columns={[
        [t("usage.good"), ({ positive }) => printNumber(positive)],
        [t("usage.bad"), ({ negative }) => printNumber(negative)],
      ]}
      rows={days.toReversed()}
    />
  );
}

/** How often the person chose each model's answer in comparisons. Hidden before the first choice. */
function WinsTable() {
  const wins = useComparisonWins();
  if (wins.length === 0) return null;
  return (
    <NumberTable
      caption={t("usage.wins")}
      head={t("usage.model")}
      nameOf={({ model }) => model}
      isCode={() => true}
      columns={[
        [t("usage.winsChosen"), (row) => printNumber(row.wins)],
        [t("usage.winsCompared"), (row) => printNumber(row.comparisons)],
      ]}
      rows={wins}
    />
  );
}
