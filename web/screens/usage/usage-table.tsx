import { printDuration, printNumber, t } from "#web/i18n/translate.ts";
import { NumberTable } from "./number-table.tsx";
import { aboutText, costText, waitOf, type UsageSum } from "./sums.ts";

/** The sums of days, models or assistants. */
export function UsageTable(props: {
  caption: string;
  isCaptionHidden?: boolean;
  /** The heading of the first column. */
  head: string;
  rows: readonly { name: string; isCode?: boolean; sum: UsageSum }[];
}) {
  return (
    <NumberTable
      {...props}
      nameOf={({ name }) => name}
      isCode={({ isCode }) => isCode === true}
      columns={[
        [t("usage.requests"), ({ sum }) => printNumber(sum.requests)],
        [t("usage.input"), ({ sum }) => aboutText(sum, sum.input_tokens)],
        [t("usage.output"), ({ sum }) => aboutText(sum, sum.output_tokens)],
        [t("usage.cost"), ({ sum }) => costText(sum)],
        [t("usage.failedRequests"), ({ sum }) => printNumber(sum.failed_requests)],
        [t("usage.wait"), ({ sum }) => waitText(sum)],
      ]}
    />
  );
}

function waitText(sum: UsageSum): string {
  const wait = waitOf(sum);
  return wait === undefined ? "–" : printDuration(wait * 1000);
}
