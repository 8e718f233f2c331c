import type { UsageDay } from "#contract/endpoints/apps.ts";
import { useAppUsage } from "#web/data/console/console.ts";
import { printDollars, printNumber, t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { Figure } from "../../usage/figure.tsx";
import { NumberTable } from "../../usage/number-table.tsx";
import { printDate } from "../../usage/sums.ts";
import { UsagePlot } from "../../usage/usage-plot.tsx";
import { usePeriod } from "../../usage/use-period.tsx";
import styles from "../../usage/usage-page.module.css";

/** Runs, errors, tokens and cost of an app by day. */
export function UsageView({ appId }: { appId: string }) {
  const { days, choice } = usePeriod();
  const usage = useAppUsage(appId, days);
  const used = usage.days.filter(({ runs }) => runs > 0);
  return (
    <>
      {choice}
      <ListContent
        list={usage}
        isEmpty={used.length === 0}
        loadingLabel={t("usage.loading")}
        failedTitle={t("usage.failed")}
        empty={[t("console.noRuns"), t("console.noRunsHint")]}
      >
        <div className={styles["report"]}>
          <Totals days={used} />
          <UsagePlot
            days={usage.days.map((day) => ({ day: day.day, sum: sumOfDay(day) }))}
            kind="tokens"
            table={<DayTable days={used.toReversed()} />}
          />
        </div>
      </ListContent>
    </>
  );
}

function Totals({ days }: { days: readonly UsageDay[] }) {
  const total = (count: (day: UsageDay) => number) => days.reduce((sum, day) => sum + count(day), 0);
  return (
    <dl className={styles["totals"]}>
      <Figure name={t("console.runs")} value={printNumber(total(({ runs }) => runs))} />
      <Figure name={t("console.errors")} value={printNumber(total(({ errors }) => errors))} />
      <Figure name={t("usage.input")} value={printNumber(total((day) => day.input_tokens))} />
      <Figure name={t("usage.output")} value={printNumber(total((day) => day.output_tokens))} />
      <Figure name={t("usage.cost")} value={printDollars(total((day) => day.cost_usd))} />
    </dl>
  );
}

function DayTable({ days }: { days: readonly UsageDay[] }) {
  return (
    <NumberTable
      caption={t("console.byDay")}
      isCaptionHidden
      head={t("usage.day")}
      nameOf={({ day }) => printDate(day)}
      columns={[
        [t("console.runs"), ({ runs }) => printNumber(runs)],
        [t("console.errors"), ({ errors }) => printNumber(errors)],
        [t("usage.input"), (day) => printNumber(day.input_tokens)],
        [t("usage.output"), (day) => printNumber(day.output_tokens)],
        [t("usage.cost"), (day) => printDollars(day.cost_usd)],
      ]}
      rows={days}
    />
  );
}

function sumOfDay({ runs, errors, input_tokens, output_tokens, cost_usd }: UsageDay) {
  const unknown = {
    cached_tokens: 0,
    reasoning_tokens: 0,
    unpriced_requests: 0,
    estimated_requests: 0,
    answered_requests: 0,
    wait_ms: 0,
    positive: 0,
    negative: 0,
  };
  return {
    requests: runs,
    failed_requests: errors,
    input_tokens,
    output_tokens,
    cost_usd,
    ...unknown,
  };
}
