import type { FeedbackDay } from "#contract/endpoints/usage.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printDay, printNumber, t } from "#web/i18n/translate.ts";
import styles from "./usage-page.module.css";

/** How many answers were rated on each day, the last day first. */
export function FeedbackTable({ days }: { days: readonly FeedbackDay[] }) {
  return (
    <ScrollBox label={t("usage.feedbackByDay")} className={styles["tableBox"]}>
      <table className={styles["table"]}>
        <caption className="unseen">{t("usage.feedbackByDay")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("usage.day")}</th>
            <th scope="col">{t("usage.good")}</th>
            <th scope="col">{t("usage.bad")}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, positive, negative }) => (
            <tr key={day}>
              <th scope="row">{printDay(new Date(`${day}T12:00:00`))}</th>
              <td>{printNumber(positive)}</td>
              <td>{printNumber(negative)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
