import { useComparisonWins } from "#web/data/usage/comparison-wins.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { NumberTable } from "./number-table.tsx";

/** How often the person chose each model's answer in comparisons. Hidden before the first choice. */
export function WinsTable() {
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
