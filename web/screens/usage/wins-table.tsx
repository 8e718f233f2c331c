import { useComparisonWins } from "#web/data/usage/comparison-wins.ts";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import styles from "./usage-page.module.css";

/** How often the person chose each model's answer in comparisons. Hidden before the first choice. */
export function WinsTable() {
  const wins = useComparisonWins();
  if (wins.length === 0) return null;
  return (
    <ScrollBox label={t("usage.wins")} className={styles["tableBox"]}>
      <table className={styles["table"]}>
        <caption className={styles["heading"]}>{t("usage.wins")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("usage.model")}</th>
            <th scope="col">{t("usage.winsChosen")}</th>
            <th scope="col">{t("usage.winsCompared")}</th>
          </tr>
        </thead>
        <tbody>
          {wins.map(({ model, wins: chosen, comparisons }) => (
            <tr key={model}>
              <th scope="row">
                <bdi dir="ltr">{model}</bdi>
              </th>
              <td>{printNumber(chosen)}</td>
              <td>{printNumber(comparisons)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
