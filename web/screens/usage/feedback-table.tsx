import type { FeedbackDay } from "#contract/endpoints/usage.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { NumberTable } from "./number-table.tsx";
import { printDate } from "./sums.ts";

/** How many answers were rated on each day, the last day first. */
export function FeedbackTable({ days }: { days: readonly FeedbackDay[] }) {
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
