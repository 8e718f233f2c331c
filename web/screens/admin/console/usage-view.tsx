import type { UsageDay } from "#contract/endpoints/projects.ts";
import { useProjectUsage } from "#web/data/console/console.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printDay, printDollars, printNumber, t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { Figure } from "../../usage/figure.tsx";
import { UsagePlot } from "../../usage/usage-plot.tsx";
import { usePeriod } from "../../usage/use-period.tsx";
import styles from "../../usage/usage-page.module.css";

/** Runs, errors, tokens and cost of a project by day. */
export function UsageView({ projectId }: { projectId: string }) {
  const { days, choice } = usePeriod();
  const usage = useProjectUsage(projectId, days);
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
    <ScrollBox label={t("console.byDay")} className={styles["tableBox"]}>
      <table className={styles["table"]}>
        <caption className="unseen">{t("console.byDay")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("usage.day")}</th>
            <th scope="col">{t("console.runs")}</th>
            <th scope="col">{t("console.errors")}</th>
            <th scope="col">{t("usage.input")}</th>
            <th scope="col">{t("usage.output")}</th>
            <th scope="col">{t("usage.cost")}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{printDay(new Date(`${day.day}T12:00:00`))}</th>
              <td>{printNumber(day.runs)}</td>
              <td>{printNumber(day.errors)}</td>
              <td>{printNumber(day.input_tokens)}</td>
              <td>{printNumber(day.output_tokens)}</td>
              <td>{printDollars(day.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function sumOfDay({ runs, errors, input_tokens, output_tokens, cost_usd }: UsageDay) {
  const unknown = {
    cached_tokens: 0,
    reasoning_tokens: 0,
    unpriced_requests: 0,
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
