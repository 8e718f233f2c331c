import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printDollars, printNumber, printSeconds, t } from "#web/i18n/translate.ts";
import { waitOf, type UsageSum } from "./sums.ts";
import styles from "./usage-page.module.css";

/** The sums of days, models or assistants. */
export function UsageTable({
  caption,
  isCaptionHidden = false,
  head,
  rows,
}: {
  caption: string;
  isCaptionHidden?: boolean;
  /** The heading of the first column. */
  head: string;
  rows: readonly { name: string; isCode?: boolean; sum: UsageSum }[];
}) {
  return (
    <ScrollBox label={caption} className={styles["tableBox"]}>
      <table className={styles["table"]}>
        <caption className={isCaptionHidden ? "unseen" : styles["heading"]}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">{t("usage.requests")}</th>
            <th scope="col">{t("usage.input")}</th>
            <th scope="col">{t("usage.output")}</th>
            <th scope="col">{t("usage.cost")}</th>
            <th scope="col">{t("usage.failedRequests")}</th>
            <th scope="col">{t("usage.wait")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, isCode = false, sum }) => (
            <tr key={name}>
              <th scope="row">{isCode ? <bdi dir="ltr">{name}</bdi> : <bdi>{name}</bdi>}</th>
              <td>{printNumber(sum.requests)}</td>
              <td>{printNumber(sum.input_tokens)}</td>
              <td>{printNumber(sum.output_tokens)}</td>
              <td>{costOf(sum)}</td>
              <td>{printNumber(sum.failed_requests)}</td>
              <td>{waitText(sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function costOf({ cost_usd: cost, unpriced_requests: unpriced, requests }: UsageSum): string {
  return cost === 0 && unpriced > 0 && requests > 0 ? "–" : printDollars(cost);
}

function waitText(sum: UsageSum): string {
  const wait = waitOf(sum);
  return wait === undefined ? "–" : printSeconds(wait);
}
